"""Rendering the page of a chat."""

from typing import Any

from flask import Response as FlaskResponse, g, redirect, render_template, request, url_for
from flask_babel import gettext as _

from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.chat.ids import is_direct, other_member_uid
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import invitations
from webapp.chat.messages import presenter
from webapp.chat.messages.related import Related
from webapp.chat.models import Chat
from webapp.chat.reading import ChatPage
from webapp.chat.web import ViewResponse
from webapp.core.errors import Forbidden, NotFound
from webapp.core.forms.idempotency import new_form_key
from webapp.core.rendering.kept_pages import kept_page
from webapp.core.rendering.shells import placeholder
from webapp.core.web import Response, config, db, done, is_loaded_ahead
from webapp.following.blocks import store as blocks

from .data import SIDE_LIST_MAX, PageData, beside, load_page
from .forms import SentForms, form_context
from .params import PageParams

NO_FORMS = SentForms()


def render_chat(cid: str, params: PageParams, sent: SentForms = NO_FORMS) -> ViewResponse:
    """Render a page of a chat, and mark its messages as read. Five trips with the session's.

    One that a browser loads ahead marks them once it is shown (static/js/chat/messages.js).
    Somebody who is not a member gets a page to join an open chat. Raises NotFound, Forbidden.
    """
    try:
        data = load_page(db(), g.viewer.uid, cid, config().chat_page, params.window)
    except NotFound:
        if not is_direct(cid):
            raise
        return _render_empty_direct(cid, params, sent)
    except Forbidden:
        return _render_join_page(cid)
    is_default = not sent.refused and not params.window and "newest" not in request.args
    better = _redirect_to_better(data.chat_page, params, is_default)
    if better:
        return better
    hide_receipts = _hides_receipts(data)
    if not is_loaded_ahead():
        _note_shown(data, hide_receipts)
    return _render(data, params, sent, hide_receipts=hide_receipts)


def _render(
    data: PageData,
    params: PageParams,
    sent: SentForms,
    *,
    hide_receipts: bool = False,
    other_member: Member | None = None,
) -> FlaskResponse:
    forms = form_context(data.chat_page, data.related, params, sent)
    if sent is NO_FORMS and data.can_write and params.action != "edit":
        forms |= {"composer_key": placeholder("composer_key"), "composer_form": "composer"}

    def render() -> str:
        return _render_page(data, forms, hide_receipts, other_member)

    values = data, params, hide_receipts, other_member, forms["shared_status"]
    response = kept_page(values, render, {"composer_key": new_form_key})
    if sent.refused:
        response.status_code = sent.refused.http_status
        response.headers.update(sent.refused.http_headers)
    return response


def _render_page(
    data: PageData, forms: dict[str, Any], hide_receipts: bool, other_member: Member | None
) -> str:
    chat_page, chat, row = data.chat_page, data.chat_page.chat, data.row
    unread_left = chat_page.unread_left(row.deleted if row else ())
    return render_template(
        "chat/show.html",
        **forms,
        chat=chat,
        chat_page=chat_page,
        related=data.related,
        row=row,
        rows=data.rows[:SIDE_LIST_MAX],
        other_member=row.other_member if row else other_member,
        is_owner=chat_page.is_owner,
        blocked=data.blocked,
        can_write=data.can_write,
        request_waits=chat.is_request_from(g.viewer.uid) and not data.blocked,
        message_rows=list(presenter.message_rows(chat_page, g.viewer.uid)),
        hide_receipts=hide_receipts,
        readers=presenter.newest_readers(chat_page, data.related, g.viewer.uid, data.blocked),
        unread_left=unread_left,
        unread_chats=presenter.badge_count(data.entries, chat.id, unread_left),
    )


def _hides_receipts(data: PageData) -> bool:
    """Return True for a request: nobody learns that the member has seen it before they accept.

    A direct chat knows by itself. For a group chat the member's list says so, which may lag behind.
    """
    chat = data.chat_page.chat
    if chat.direct_members:
        return chat.is_request_to(g.viewer.uid)
    return bool(data.row and data.row.request_state)


def _note_shown(data: PageData, hide_receipts: bool) -> None:
    """Mark the page's messages as read, or a request as opened. At most one trip."""
    if not hide_receipts:
        _mark_shown(data)
    elif data.row and data.row.request_state == "request":
        chat_state.mark_opened(db(), g.viewer.uid, data.row.cid)


def _mark_shown(data: PageData) -> None:
    """Mark the page's messages as read. At most one trip."""
    chat_page = data.chat_page
    # The list may lag behind the chat, where a process died between the two.
    list_is_behind = data.row is not None and data.row.unread > 0
    if chat_page.last_shown > chat_page.last_read or list_is_behind:
        read_up_to = max(chat_page.last_shown, chat_page.last_read)
        chat_state.mark_seen_page(
            db(),
            g.viewer.uid,
            chat_page.chat.id,
            read_up_to,
            chat_page.sent_shown,
            quiet=data.blocked,
        )


def _redirect_to_better(
    chat_page: ChatPage, params: PageParams, is_default: bool
) -> Response | None:
    """Return a redirect if another page serves better than the requested one."""
    cid = chat_page.chat.id
    if params.window.get("date") and not chat_page.messages:
        return done(_("No messages since that day."), "chats.show", cid=cid, newest=1)
    # Begin with the first unread message: the newest page would mark older ones as read unseen.
    starts_late = chat_page.messages and chat_page.messages[0].id > chat_page.last_read + 1
    if is_default and chat_page.has_older and starts_late:
        return redirect(url_for("chats.show", cid=cid, unread=1, _anchor="new"), 303)
    return None


def _render_empty_direct(cid: str, params: PageParams, sent: SentForms) -> ViewResponse:
    """Render a direct chat in which nobody has written yet. Four trips."""
    other_uid = other_member_uid(cid, g.viewer.uid) or 0
    other_member, entries = db().fetch(
        accounts.get_or_404(other_uid), listing.list_entries(g.viewer.uid)
    )
    if other_member.suspended:
        raise NotFound("no_chat")
    data = PageData(
        chat_page=ChatPage(Chat.new_direct(cid)),
        related=Related({other_uid: other_member}),
        entries=entries,
        rows=listing.inbox(db(), g.viewer.uid, beside(entries, cid)),
        blocked=bool(blocks.blocked_either_way(db(), g.viewer.uid, [other_uid])),
    )
    return _render(data, params, sent, other_member=other_member)


def _render_join_page(cid: str) -> ViewResponse:
    """Render the page to join an open chat. One trip. Raises NotFound for any other chat."""
    chat = NotFound.unless(db().read(invitations.open_chat(cid)), "no_chat")
    action = url_for("chat_invitations.join_open", cid=cid)
    return render_template("chat/members/join.html", chat=chat, action=action)
