"""Chats: the lists of them, one chat, its pictures, and what a member makes of one for themselves."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.store import find_member
from webapp.core.media.responses import chat_picture_response
from webapp.core.store.ids import parse_id
from webapp.core.store.reads import Read
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.prefetch import prefetch
from webapp.core.web.redirects import safe_path
from webapp.errors import Forbidden, Invalid, NotFound
from webapp.following.blocks import store as blocks

from .forms import MessageForm, ReportForm
from .inbox import chat_state
from .members import invitations
from .messages import presenter, reading
from .messages.cards import load_shareable
from .messages.reading import InboxRow
from .page import (
    PageParams,
    ViewResponse,
    chat_url,
    cid_or_404,
    handle_forbidden,
    hides_receipts,
    parse_params,
    render_chat,
)
from .reports import store as reports
from .store import direct_id, other_member_uid

bp = Blueprint("chats", __name__, url_prefix="/chats")
bp.register_error_handler(Forbidden, handle_forbidden)


@bp.get("")
def index() -> str:
    """The chats of a member, the one that was written to last first."""
    rows = _load_inbox()
    return _render_list(
        "chats", [row for row in rows if not row.request_state and not row.archived], rows
    )


@bp.get("/requests")
def requests() -> str:
    """Chats that others have begun and that wait for an answer."""
    rows = _load_inbox()
    return _render_list("requests", [row for row in rows if row.request_state == "request"], rows)


@bp.get("/archived")
def archived() -> str:
    """Chats that were put away."""
    rows = _load_inbox()
    return _render_list(
        "archived", [row for row in rows if row.archived and not row.request_state], rows
    )


@bp.get("/@<login>")
def direct(login: str) -> Response:
    """The direct chat with a member."""
    member = find_member(db(), login)
    if member.uid == g.viewer.uid:
        raise Invalid("chat_yourself", _("You cannot chat with yourself."))
    return redirect(url_for("chats.show", cid=direct_id(g.viewer.uid, member.uid)), 303)


@bp.get("/forward")
@prefetch(
    lambda requester: Read((reading.inbox_command(requester.uid),), lambda replies: replies[0])
)
def forward(entries: list[Any]) -> str:
    """The chats that a post may be sent to."""
    status_id = parse_id(request.args.get("status", ""))
    if status_id is None:
        raise NotFound("no_status")
    rows = [row for row in reading.inbox(db(), g.viewer.uid, entries) if not row.request_state]
    return render_template(
        "chat/messages/forward.html",
        status=load_shareable(db(), status_id, g.viewer.uid),
        rows=rows,
        form=MessageForm(status=str(status_id)),
        unread_chats=presenter.total_unread(rows),
    )


@bp.get("/<cid>", endpoint="show")
def show_chat(cid: str) -> ViewResponse:
    """A chat: its newest messages, or those that the address asks for."""
    return render_chat(cid_or_404(cid), parse_params())


@bp.get("/<cid>/pictures/<file>")
def picture(cid: str, file: str) -> Response:
    """A picture, for members who may see the message it belongs to (`<message>-<hash>.webp`), or the chat's own
    (`<hash>.webp`), for everybody where anybody may join.
    """
    cid = cid_or_404(cid)
    message_part, dash, name = file.removesuffix(".webp").rpartition("-")
    message_id = parse_id(message_part) if dash else 0
    if message_id is None or not file.endswith(".webp"):
        raise NotFound("no_picture")
    if f"chat/{cid}/{name}" not in _picture_names(cid, message_id):
        raise NotFound("no_picture")
    return chat_picture_response(config(), f"chat/{cid}/{name}")


@bp.post("/<cid>/read")
def read(cid: str) -> tuple[str, int]:
    """Marks a chat as read up to a message."""
    cid = cid_or_404(cid)
    _consume_limit("chat-mark")
    message_id = parse_id(request.form.get("id", ""))
    if message_id is None:
        raise Invalid("bad_id", _("Say up to which message you have read."))
    uid, other_uid = g.viewer.uid, other_member_uid(cid, g.viewer.uid)
    if other_uid is None:
        receipts_hidden, quiet = chat_state.is_pending(db(), uid, cid), False
    else:
        receipts_hidden = hides_receipts(reading.open_page(db(), uid, cid, size=1).chat, uid, False)
        quiet = bool(blocks.blocked_either_way(db(), uid, [other_uid]))
    if not receipts_hidden:
        chat_state.mark_read(db(), uid, cid, message_id, quiet)
    return "", 204


@bp.post("/<cid>/typing")
def typing(cid: str) -> tuple[str, int]:
    """Tells who looks at the chat that one is writing."""
    cid = cid_or_404(cid)
    _consume_limit("chat-mark")
    chat_state.announce_typing(db(), g.viewer.uid, cid)
    return "", 204


@bp.post("/<cid>/<any(mute, unmute, archive, unarchive):act>")
def flag(cid: str, act: str) -> Response:
    """Mutes a chat or puts it away, or takes that back."""
    cid = cid_or_404(cid)
    _consume_limit()
    flag_name = "muted" if act.endswith("mute") else "archived"
    chat_state.set_flag(db(), g.viewer.uid, cid, flag_name, not act.startswith("un"))
    messages = {
        "mute": _("This chat is muted: it does not count as unread."),
        "unmute": _("This chat is not muted any more."),
        "archive": _("The chat is put away until somebody writes."),
        "unarchive": _("The chat is back in your list."),
    }
    flash(messages[act])
    return redirect(
        _next_path() or (url_for("chats.index") if act == "archive" else chat_url(cid)), 303
    )


@bp.post("/<cid>/accept")
def accept(cid: str) -> Response:
    """Takes a chat that somebody else began."""
    cid = cid_or_404(cid)
    _consume_limit()
    chat_state.answer_request(db(), config(), g.viewer.uid, cid, "accept")
    return redirect(chat_url(cid), 303)


@bp.post("/<cid>/ignore")
def ignore(cid: str) -> Response:
    """Wants to hear no more of it. Nobody is told."""
    cid = cid_or_404(cid)
    _consume_limit()
    with suppress(NotFound):  # whether there is such a chat is not told
        chat_state.answer_request(db(), config(), g.viewer.uid, cid, "ignore")
    flash(_("You will not hear of it again. They are not told."))
    return redirect(url_for("chats.requests"), 303)


@bp.post("/<cid>/report")
def report(cid: str) -> ViewResponse:
    """Tells the operator of a message, or of the chat as a whole."""
    cid, form = cid_or_404(cid), ReportForm()
    message_id = parse_id(form.message.data or "")
    if not form.validate_on_submit():
        return render_chat(
            cid,
            PageParams(
                report=form,
                message_id=message_id or 0,
                window={"around": message_id} if message_id else {},
            ),
            422,
        )
    _consume_limit()
    new = reports.report(db(), config(), g.viewer.uid, cid, message_id, form.reason.data)
    flash(
        _("Thank you. Your report is with those who run this site.")
        if new
        else _("You have reported this before.")
    )
    return redirect(chat_url(cid, message_id or 0), 303)


def _load_inbox() -> list[InboxRow]:
    return reading.inbox(db(), g.viewer.uid)


def _picture_names(cid: str, message_id: int) -> set[str]:
    """The names of the pictures of a message, or of the chat's own for 0. Raises NotFound, Forbidden."""
    try:
        chat_page = reading.open_page(db(), g.viewer.uid, cid, around=message_id or None, size=1)
    except Forbidden:
        chat = None if message_id else invitations.get_open_chat(db(), cid)
        if chat is None:
            raise
        return {chat.picture}
    if not message_id:
        return {chat_page.chat.picture}
    return {
        picture.name
        for one in chat_page.messages
        if one.id == message_id
        for picture in one.pictures
    }


def _render_list(tab: str, visible_rows: list[InboxRow], rows: list[InboxRow]) -> str:
    counts = {
        "requests": sum(row.request_state == "request" for row in rows),
        "archived": sum(row.archived and not row.request_state for row in rows),
    }
    return render_template(
        "chat/index.html",
        current_tab=tab,
        rows=visible_rows,
        counts=counts,
        unread_chats=presenter.total_unread(rows),
    )


def _consume_limit(action: str = "chat") -> None:
    rate_limits.consume(db(), (action, str(g.viewer.uid), config().limit_chat))


def _next_path() -> str | None:
    return safe_path(request.form.get("next"))
