"""The page of one chat, with the list of all beside it; and what of it may be asked for in the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.store import Member, member_by_id
from webapp.core.store.ids import parse_id
from webapp.core.web.context import config, db
from webapp.core.web.error_pages import error_page
from webapp.errors import Forbidden, Invalid, NotFound, Refused
from webapp.following.blocks import store as blocks
from webapp.statuses.status import Status

from .forms import EditForm, MessageForm, ReactForm, ReportForm
from .inbox import chat_state
from .members import invitations
from .messages import presenter, reading
from .messages.cards import load_shareable
from .messages.reading import ChatPage, InboxRow, Related
from .store import Chat, Message, direct_members, is_direct, other_member_uid, parse_cid

SIDE_LIST_MAX = 50  # chats beside an open one
WHOLE_CHAT = "all"  # instead of a message, where the whole chat is reported
MESSAGE_ACTIONS = ("reply", "edit", "react", "report")  # what a message's own link asks for

ViewResponse = (
    str | Response | tuple[str, int] | tuple[dict[str, int], int] | tuple[str, int, dict[str, str]]
)


@dataclass
class PageParams:
    """What a page of a chat shows besides the messages: its forms as they were left, and what they are about."""

    form: MessageForm | None = None
    edit: EditForm | None = None
    react: ReactForm | None = None
    report: ReportForm | None = None
    message_id: int = 0  # the message that an edit, a reply, a reaction or a report is for
    window: Mapping[str, Any] = field(default_factory=dict)


def cid_or_404(text: str) -> str:
    """The chat id in an address. Raises NotFound, also for a direct chat of two others: nobody learns of it."""
    cid = parse_cid(text)
    members = direct_members(cid) if cid else None
    if cid is None or (members and g.viewer.uid not in members):
        raise NotFound("no_chat")
    return cid


def handle_forbidden(refusal: Forbidden) -> ViewResponse:
    """The page of a refusal; for who does not belong to a chat it is as if there were none."""
    error: Refused = NotFound("no_chat") if refusal.code == "not_in_chat" else refusal
    return error_page(error.status, error.sentence)


def retry_headers(refusal: Refused) -> dict[str, str]:
    """When to try again, where that is known."""
    return {"Retry-After": str(refusal.retry_after)} if refusal.retry_after else {}


def message_id_or_404(text: str) -> int:
    """The message id in an address. Raises NotFound."""
    message_id = parse_id(text)
    if message_id is None:
        raise NotFound("no_message")
    return message_id


def chat_url(cid: str, message_id: int = 0) -> str:
    """The address of a chat, at one of its messages."""
    return url_for("chats.show", cid=cid, _anchor=f"m{message_id}" if message_id else None)


def parse_params() -> PageParams:
    """What the address of a page asks for. Raises Invalid."""
    args = request.args
    if args.get("report") == WHOLE_CHAT:
        return PageParams(report=ReportForm())
    for param in MESSAGE_ACTIONS:
        if param in args:
            message_id = message_id_or_404(args[param])
            return PageParams(message_id=message_id, window={"around": message_id})
    for param in ("before", "after", "around"):
        if param in args:
            edge_id = 0 if (param, args[param]) == ("after", "0") else parse_id(args[param])
            if edge_id is None:
                raise Invalid("bad_cursor")
            return PageParams(window={param: edge_id})
    if "date" in args:
        return PageParams(window={"date": _parse_date(args["date"])})
    return PageParams(window={"unread": True} if "unread" in args else {})


def render_chat(
    cid: str, params: PageParams, status: int = 200, headers: dict[str, str] | None = None
) -> ViewResponse:
    """A page of a chat, which counts what it shows as read. Five trips with the session's, whatever it shows."""
    uid = g.viewer.uid
    try:
        chat_page, related, rows, blocked = reading.page_data(
            db(), uid, cid, config().chat_page, **params.window
        )
    except NotFound:
        if not is_direct(cid):
            raise
        return _empty_direct(cid, params, status)
    except Forbidden:
        return _join_page(cid)
    if better := _redirect_to_better(chat_page, params, status):
        return better
    row = next((row for row in rows if row.chat.id == cid), None)
    without_receipts = hides_receipts(chat_page.chat, uid, bool(row and row.request_state))
    # What is unread in the list although the chat has it as read: a process died between the two.
    if (
        _last_shown(chat_page) > chat_page.last_read or (row and row.unread)
    ) and not without_receipts:
        chat_state.mark_seen_page(
            db(), uid, cid, max(_last_shown(chat_page), chat_page.last_read), quiet=blocked
        )
    html = render_template(
        "chat/show.html",
        **_page_context(chat_page.chat, row, rows, chat_page),
        **_form_context(chat_page, related, params),
        chat_page=chat_page,
        related=related,
        is_owner=chat_page.is_owner,
        blocked=blocked,
        message_rows=list(presenter.message_rows(chat_page, uid)),
        hide_receipts=without_receipts,
        readers=presenter.newest_readers(chat_page, related, uid, blocked),
    )
    return html, status, headers or {}


def hides_receipts(chat: Chat, uid: int, request_pending: bool) -> bool:
    """Whether nobody is told that a member has looked at a chat, which is so until they accept it. `request_pending`: whether
    their list says that it waits, which may lag: a direct chat knows by itself.
    """
    return not chat.accepted and chat.creator_uid != uid if chat.direct_members else request_pending


def empty_direct_chat(cid: str) -> Chat:
    """A direct chat before its first message."""
    return Chat(
        cid, "direct", "", "", "", False, "history", datetime.now(UTC), 0, 0, 1, 0, 2, False
    )


def _last_shown(chat_page: ChatPage) -> int:
    """How far a page shows a chat: to its end also where the messages are not kept any more."""
    if chat_page.messages:
        return chat_page.messages[-1].id
    return 0 if chat_page.has_newer else chat_page.chat.last_id


def _redirect_to_better(chat_page: ChatPage, params: PageParams, status: int) -> Response | None:
    """The way to a page that serves better than the one that was asked for."""
    cid = chat_page.chat.id
    if params.window.get("date") and not chat_page.messages:
        flash(_("Nothing was written since that day."))
        return redirect(url_for("chats.show", cid=cid, newest=1), 303)
    # What is new does not fit on the newest page: its beginning is shown, so that nothing is passed over as read.
    is_default = status == 200 and not params.window and "newest" not in request.args
    if (
        is_default
        and chat_page.messages
        and chat_page.has_older
        and chat_page.messages[0].id > chat_page.last_read + 1
    ):
        return redirect(url_for("chats.show", cid=cid, unread=1, _anchor="new"), 303)
    return None


def _empty_direct(cid: str, params: PageParams, status: int) -> ViewResponse:
    """A direct chat that nobody has written in yet."""
    other_member = member_by_id(db(), other_member_uid(cid, g.viewer.uid) or 0)
    if other_member.suspended:
        raise NotFound("no_chat")
    rows = reading.inbox(db(), g.viewer.uid)
    chat = empty_direct_chat(cid)
    chat_page = ChatPage(chat, False, 1, 0, [], False, False, {}, [])
    related = Related({other_member.uid: other_member}, {}, {})
    html = render_template(
        "chat/show.html",
        **_page_context(chat, None, rows, chat_page, other_member),
        **_form_context(chat_page, related, params),
        chat_page=chat_page,
        related=related,
        is_owner=False,
        blocked=bool(blocks.blocked_either_way(db(), g.viewer.uid, [other_member.uid])),
        message_rows=[],
        hide_receipts=False,
        readers=None,
    )
    return html, status


def _join_page(cid: str) -> ViewResponse:
    """An open chat may be joined; any other is closed to who does not belong to it."""
    chat = invitations.get_open_chat(db(), cid)
    if chat is None:
        raise NotFound("no_chat")
    return render_template(
        "chat/members/join.html", chat=chat, action=url_for("membership.join_open", cid=cid)
    )


def _page_context(
    chat: Chat,
    row: InboxRow | None,
    rows: Sequence[InboxRow],
    chat_page: ChatPage,
    other_member: Member | None = None,
) -> dict[str, object]:
    """The chat, the viewer's marks on it, and the list beside it, in which what is shown counts as read."""
    unread_left = max(chat.last_id - max(chat_page.last_read, _last_shown(chat_page)), 0)
    return {
        "chat": chat,
        "row": row,
        "other_member": row.other_member if row else other_member,
        "rows": [one for one in rows if not one.request_state and not one.archived][:SIDE_LIST_MAX],
        "unread_left": unread_left,
        "unread_chats": presenter.total_unread(rows, chat.id, unread_left),
    }


def _form_context(chat_page: ChatPage, related: Related, params: PageParams) -> dict[str, object]:
    """The forms of the page, and the messages they are about. Raises NotFound."""
    visible = {message.id: message for message in chat_page.messages if not message.deleted}
    target = visible.get(params.message_id)
    if params.message_id and target is None:
        raise NotFound("no_message")
    message_form = params.form or MessageForm(reply=request.args.get("reply", ""))
    parent_id = parse_id(message_form.reply.data or "")
    edit_form = params.edit
    if target and edit_form is None and "edit" in request.args and request.method == "GET":
        if target.author_uid != g.viewer.uid:
            raise Forbidden("not_yours")
        edit_form = EditForm(text=target.text)
    return {
        "form": message_form,
        "edit": edit_form,
        "react": params.react or (ReactForm() if target and "react" in request.args else None),
        "report": params.report
        or (ReportForm(message=params.message_id) if target and "report" in request.args else None),
        "target": target,
        "parent": _parent(visible, related, parent_id) if parent_id else None,
        "shared_status": _load_status_card(message_form.status.data),
        "pictures_max": config().chat_pictures_max,
        "alt_max": config().alt_max,
        "max_characters": config().chat_message_max,
    }


def _parent(visible: Mapping[int, Message], related: Related, parent_id: int) -> Message | None:
    return visible.get(parent_id) or related.parents.get(parent_id)


def _load_status_card(text: str | None) -> Status | None:
    status_id = parse_id(text or "")
    try:
        return load_shareable(db(), status_id, g.viewer.uid) if status_id else None
    except Refused:
        return None


def _parse_date(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise Invalid("bad_date", _("That is no date.")) from None
