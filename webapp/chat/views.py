"""Chats: the lists of them, one chat, its pictures, and what a member makes of one for themselves."""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from .. import limits, media
from ..accounts.store import find
from ..app import config, db
from ..errors import Forbidden, Invalid, NotFound
from ..following import blocks
from ..ids import parse_id
from ..security import beside, safe_path
from . import invites, marks, reading, reports, showing
from .cards import carried
from .forms import MessageForm, ReportForm
from .page import Asked, View, asked, back_to, forbidden, known_cid, looks_unseen, show
from .reading import Row
from .store import direct_id, other

bp = Blueprint("chats", __name__, url_prefix="/chats")
bp.register_error_handler(Forbidden, forbidden)


@bp.get("")
def index() -> str:
    """The chats of a member, the one that was written to last first."""
    rows = _rows()
    return _list("chats", [row for row in rows if not row.waiting and not row.archived], rows)


@bp.get("/requests")
def requests() -> str:
    """Chats that others have begun and that wait for an answer."""
    rows = _rows()
    return _list("requests", [row for row in rows if row.waiting == "request"], rows)


@bp.get("/archived")
def archived() -> str:
    """Chats that were put away."""
    rows = _rows()
    return _list("archived", [row for row in rows if row.archived and not row.waiting], rows)


@bp.get("/@<login>")
def direct(login: str) -> Response:
    """The direct chat with a member."""
    member = find(db(), login)
    if member.uid == g.viewer.uid:
        raise Invalid("chat_yourself", _("You cannot chat with yourself."))
    return redirect(url_for("chats.show", cid=direct_id(g.viewer.uid, member.uid)), 303)


@bp.get("/forward")
@beside(lambda uid, session: reading.list_command(uid))
def forward() -> str:
    """The chats that a post may be sent to."""
    number = parse_id(request.args.get("status", ""))
    if number is None:
        raise NotFound("no_status")
    rows = [row for row in reading.listing(db(), g.viewer.uid, g.session.beside[-1]) if not row.waiting]
    return render_template(
        "chats/forward.html",
        status=carried(db(), number, g.viewer.uid),
        rows=rows,
        form=MessageForm(status=str(number)),
        unread_chats=showing.unread_in_all(rows),
    )


@bp.get("/<cid>", endpoint="show")
def room(cid: str) -> View:
    """A chat: its newest messages, or those that the address asks for."""
    return show(known_cid(cid), asked())


@bp.get("/<cid>/pictures/<file>")
def picture(cid: str, file: str) -> Response:
    """A picture, for members who may see the message it belongs to (`<message>-<hash>.webp`), or the chat's own
    (`<hash>.webp`), for everybody where anybody may join.
    """
    cid = known_cid(cid)
    number, dash, name = file.removesuffix(".webp").rpartition("-")
    message = parse_id(number) if dash else 0
    if message is None or not file.endswith(".webp"):
        raise NotFound("no_picture")
    if f"chat/{cid}/{name}" not in _shown(cid, message):
        raise NotFound("no_picture")
    return media.show_in_chat(config(), f"chat/{cid}/{name}")


@bp.post("/<cid>/read")
def read(cid: str) -> tuple[str, int]:
    """Marks a chat as read up to a message."""
    cid = known_cid(cid)
    _count("chat-mark")
    upto = parse_id(request.form.get("id", ""))
    if upto is None:
        raise Invalid("bad_id", _("Say up to which message you have read."))
    uid, to = g.viewer.uid, other(cid, g.viewer.uid)
    if to is None:
        unseen, quiet = marks.waits(db(), uid, cid), False
    else:
        unseen = looks_unseen(reading.opened(db(), uid, cid, size=1).chat, uid, False)
        quiet = bool(blocks.between(db(), uid, [to]))
    if not unseen:
        marks.read(db(), uid, cid, upto, quiet)
    return "", 204


@bp.post("/<cid>/typing")
def typing(cid: str) -> tuple[str, int]:
    """Tells who looks at the chat that one is writing."""
    cid = known_cid(cid)
    _count("chat-mark")
    marks.typing(db(), g.viewer.uid, cid)
    return "", 204


@bp.post("/<cid>/<any(mute, unmute, archive, unarchive):act>")
def flag(cid: str, act: str) -> Response:
    """Mutes a chat or puts it away, or takes that back."""
    cid = known_cid(cid)
    _count()
    which = "muted" if act.endswith("mute") else "archived"
    marks.set_flag(db(), g.viewer.uid, cid, which, not act.startswith("un"))
    said = {
        "mute": _("This chat is muted: it does not count as unread."),
        "unmute": _("This chat is not muted any more."),
        "archive": _("The chat is put away until somebody writes."),
        "unarchive": _("The chat is back in your list."),
    }
    flash(said[act])
    return redirect(_next() or (url_for("chats.index") if act == "archive" else back_to(cid)), 303)


@bp.post("/<cid>/accept")
def accept(cid: str) -> Response:
    """Takes a chat that somebody else began."""
    cid = known_cid(cid)
    _count()
    marks.answer(db(), config(), g.viewer.uid, cid, "accept")
    return redirect(back_to(cid), 303)


@bp.post("/<cid>/ignore")
def ignore(cid: str) -> Response:
    """Wants to hear no more of it. Nobody is told."""
    cid = known_cid(cid)
    _count()
    with suppress(NotFound):  # whether there is such a chat is not told
        marks.answer(db(), config(), g.viewer.uid, cid, "ignore")
    flash(_("You will not hear of it again. They are not told."))
    return redirect(url_for("chats.requests"), 303)


@bp.post("/<cid>/report")
def report(cid: str) -> View:
    """Tells the operator of a message, or of the chat as a whole."""
    cid, form = known_cid(cid), ReportForm()
    message = parse_id(form.message.data or "")
    if not form.validate_on_submit():
        return show(cid, Asked(report=form, about=message or 0, where={"around": message} if message else {}), 422)
    _count()
    new = reports.report(db(), config(), g.viewer.uid, cid, message, form.reason.data)
    flash(_("Thank you. Your report is with those who run this site.") if new else _("You have reported this before."))
    return redirect(back_to(cid, message or 0), 303)


def _rows() -> list[Row]:
    return reading.listing(db(), g.viewer.uid)


def _shown(cid: str, message: int) -> set[str]:
    """The names of the pictures of a message, or of the chat's own for 0. Raises NotFound, Forbidden."""
    try:
        opened = reading.opened(db(), g.viewer.uid, cid, around=message or None, size=1)
    except Forbidden:
        chat = None if message else invites.open_chat(db(), cid)
        if chat is None:
            raise
        return {chat.picture}
    if not message:
        return {opened.chat.picture}
    return {picture.name for one in opened.messages if one.id == message for picture in one.pictures}


def _list(which: str, shown: list[Row], rows: list[Row]) -> str:
    counts = {
        "requests": sum(row.waiting == "request" for row in rows),
        "archived": sum(row.archived and not row.waiting for row in rows),
    }
    return render_template(
        "chats/index.html",
        which=which,
        rows=shown,
        counts=counts,
        unread_chats=showing.unread_in_all(rows),
    )


def _count(act: str = "chat") -> None:
    limits.take(db(), (act, str(g.viewer.uid), config().limit_chat))


def _next() -> str | None:
    return safe_path(request.form.get("next"))
