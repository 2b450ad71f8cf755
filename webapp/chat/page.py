"""The page of one chat, with the list of all beside it; and what of it may be asked for in the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from ..accounts.store import Member, by_id
from ..app import config, db
from ..errors import Forbidden, Invalid, NotFound, Refused
from ..following import blocks
from ..ids import parse_id
from ..pages import error_page
from ..statuses.status import Status
from . import invites, marks, reading, showing
from .cards import carried
from .forms import EditForm, MessageForm, ReactForm, ReportForm
from .reading import Known, Opened, Row
from .store import Chat, Message, is_direct, other, pair, parse_cid

PANE_MAX = 50  # chats beside an open one
WHOLE = "all"  # instead of a message, where the whole chat is reported
ABOUT = ("reply", "edit", "react", "report")  # what a message's own link asks for

View = str | Response | tuple[str, int] | tuple[dict[str, int], int] | tuple[str, int, dict[str, str]]


@dataclass
class Asked:
    """What a page of a chat shows besides the messages: its forms as they were left, and what they are about."""

    form: MessageForm | None = None
    edit: EditForm | None = None
    react: ReactForm | None = None
    report: ReportForm | None = None
    about: int = 0  # the message that an edit, a reply, a reaction or a report is for
    where: Mapping[str, Any] = field(default_factory=dict)


def known_cid(text: str) -> str:
    """The chat id in an address. Raises NotFound, also for a direct chat of two others: nobody learns of it."""
    cid = parse_cid(text)
    both = pair(cid) if cid else None
    if cid is None or (both and g.viewer.uid not in both):
        raise NotFound("no_chat")
    return cid


def forbidden(refusal: Forbidden) -> View:
    """The page of a refusal; for who does not belong to a chat it is as if there were none."""
    told: Refused = NotFound("no_chat") if refusal.code == "not_in_chat" else refusal
    return error_page(told.status, told.sentence)


def retry_headers(refusal: Refused) -> dict[str, str]:
    """When to try again, where that is known."""
    return {"Retry-After": str(refusal.retry_after)} if refusal.retry_after else {}


def known_message(text: str) -> int:
    """The message id in an address. Raises NotFound."""
    number = parse_id(text)
    if number is None:
        raise NotFound("no_message")
    return number


def back_to(cid: str, message: int = 0) -> str:
    """The address of a chat, at one of its messages."""
    return url_for("chats.show", cid=cid, _anchor=f"m{message}" if message else None)


def asked() -> Asked:
    """What the address of a page asks for. Raises Invalid."""
    args = request.args
    if args.get("report") == WHOLE:
        return Asked(report=ReportForm())
    for name in ABOUT:
        if name in args:
            number = known_message(args[name])
            return Asked(about=number, where={"around": number})
    for name in ("before", "after", "around"):
        if name in args:
            cursor = 0 if (name, args[name]) == ("after", "0") else parse_id(args[name])
            if cursor is None:
                raise Invalid("bad_cursor")
            return Asked(where={name: cursor})
    if "date" in args:
        return Asked(where={"date": _date(args["date"])})
    return Asked(where={"unread": True} if "unread" in args else {})


def show(cid: str, wanted: Asked, status: int = 200, headers: dict[str, str] | None = None) -> View:
    """A page of a chat, which counts what it shows as read. Five trips with the session's, whatever it shows."""
    uid = g.viewer.uid
    try:
        opened, known, rows, blocked = reading.room(db(), uid, cid, config().chat_page, **wanted.where)
    except NotFound:
        if not is_direct(cid):
            raise
        return _unwritten(cid, wanted, status)
    except Forbidden:
        return _offer(cid)
    if elsewhere := _elsewhere(opened, wanted, status):
        return elsewhere
    row = next((row for row in rows if row.chat.id == cid), None)
    unseen = looks_unseen(opened.chat, uid, bool(row and row.waiting))
    # What is unread in the list although the chat has it as read: a process died between the two.
    if (_upto(opened) > opened.read or (row and row.unread)) and not unseen:
        marks.see(db(), uid, cid, max(_upto(opened), opened.read), quiet=blocked)
    page = render_template(
        "chats/show.html",
        **_frame(opened.chat, row, rows, opened),
        **_forms(opened, known, wanted),
        opened=opened,
        known=known,
        owner=opened.owner,
        blocked=blocked,
        lines=list(showing.lines(opened, uid)),
        unseen=unseen,
        readers=showing.readers(opened, known, uid, blocked),
    )
    return page, status, headers or {}


def looks_unseen(chat: Chat, uid: int, waits: bool) -> bool:
    """Whether nobody is told that a member has looked at a chat, which is so until they accept it. `waits`: whether
    their list says that it waits, which may lag: a direct chat knows by itself.
    """
    return not chat.answered and chat.by != uid if chat.direct else waits


def blank_chat(cid: str) -> Chat:
    """A direct chat before its first message."""
    return Chat(cid, "direct", "", "", "", False, "history", datetime.now(UTC), 0, 0, 1, 0, 2, False)


def _upto(opened: Opened) -> int:
    """How far a page shows a chat: to its end also where the messages are not kept any more."""
    if opened.messages:
        return opened.messages[-1].id
    return 0 if opened.newer else opened.chat.last


def _elsewhere(opened: Opened, wanted: Asked, status: int) -> Response | None:
    """The way to a page that serves better than the one that was asked for."""
    cid = opened.chat.id
    if wanted.where.get("date") and not opened.messages:
        flash(_("Nothing was written since that day."))
        return redirect(url_for("chats.show", cid=cid, newest=1), 303)
    # What is new does not fit on the newest page: its beginning is shown, so that nothing is passed over as read.
    plain = status == 200 and not wanted.where and "newest" not in request.args
    if plain and opened.messages and opened.older and opened.messages[0].id > opened.read + 1:
        return redirect(url_for("chats.show", cid=cid, unread=1, _anchor="new"), 303)
    return None


def _unwritten(cid: str, wanted: Asked, status: int) -> View:
    """A direct chat that nobody has written in yet."""
    whom = by_id(db(), other(cid, g.viewer.uid) or 0)
    if whom.suspended:
        raise NotFound("no_chat")
    rows = reading.listing(db(), g.viewer.uid)
    chat = blank_chat(cid)
    opened = Opened(chat, False, 1, 0, [], False, False, {}, [])
    known = Known({whom.uid: whom}, {}, {})
    page = render_template(
        "chats/show.html",
        **_frame(chat, None, rows, opened, whom),
        **_forms(opened, known, wanted),
        opened=opened,
        known=known,
        owner=False,
        blocked=bool(blocks.between(db(), g.viewer.uid, [whom.uid])),
        lines=[],
        unseen=False,
        readers=None,
    )
    return page, status


def _offer(cid: str) -> View:
    """An open chat may be joined; any other is closed to who does not belong to it."""
    chat = invites.open_chat(db(), cid)
    if chat is None:
        raise NotFound("no_chat")
    return render_template("chats/join.html", chat=chat, action=url_for("membership.join_open", cid=cid))


def _frame(
    chat: Chat, row: Row | None, rows: Sequence[Row], opened: Opened, whom: Member | None = None
) -> dict[str, object]:
    """The chat, the viewer's marks on it, and the list beside it, in which what is shown counts as read."""
    left = max(chat.last - max(opened.read, _upto(opened)), 0)
    return {
        "chat": chat,
        "row": row,
        "whom": row.other if row else whom,
        "rows": [one for one in rows if not one.waiting and not one.archived][:PANE_MAX],
        "left": left,
        "unread_chats": showing.unread_in_all(rows, chat.id, left),
    }


def _forms(opened: Opened, known: Known, wanted: Asked) -> dict[str, object]:
    """The forms of the page, and the messages they are about. Raises NotFound."""
    shown = {message.id: message for message in opened.messages if not message.deleted}
    about = shown.get(wanted.about)
    if wanted.about and about is None:
        raise NotFound("no_message")
    form = wanted.form or MessageForm(reply=request.args.get("reply", ""))
    reply = parse_id(form.reply.data or "")
    edit = wanted.edit
    if about and edit is None and "edit" in request.args and request.method == "GET":
        if about.author != g.viewer.uid:
            raise Forbidden("not_yours")
        edit = EditForm(text=about.text)
    return {
        "form": form,
        "edit": edit,
        "react": wanted.react or (ReactForm() if about and "react" in request.args else None),
        "report": wanted.report or (ReportForm(message=wanted.about) if about and "report" in request.args else None),
        "about": about,
        "reply": _parent(shown, known, reply) if reply else None,
        "card": _card(form.status.data),
        "pictures_max": config().chat_pictures_max,
        "alt_max": config().alt_max,
        "most": config().chat_message_max,
    }


def _parent(shown: Mapping[int, Message], known: Known, reply: int) -> Message | None:
    return shown.get(reply) or known.replies.get(reply)


def _card(given: str | None) -> Status | None:
    number = parse_id(given or "")
    try:
        return carried(db(), number, g.viewer.uid) if number else None
    except Refused:
        return None


def _date(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise Invalid("bad_date", _("That is no date.")) from None
