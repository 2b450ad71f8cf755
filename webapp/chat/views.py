"""The lists of chats, a chat's page, and pictures."""

from collections.abc import Sequence

from flask import g, redirect, render_template, request, url_for
from flask_babel import gettext as _

from webapp.accounts import store as accounts
from webapp.autocomplete.picking.people import PeopleSearch, picker, search_people
from webapp.core.errors import Forbidden, Invalid, NotFound
from webapp.core.media.responses import chat_picture_response
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store import Read, parse_id
from webapp.core.web import Requester, Response, config, db, limit_for_viewer, prefetch

from . import reading
from .ids import direct_id
from .inbox import listing
from .inbox.listing import ListEntry
from .members import invitations
from .messages import presenter
from .messages.forms import MessageForm
from .messages.related import load_shareable
from .page.params import parse_params
from .page.render import render_chat
from .web import ViewResponse, chat_blueprint

bp = chat_blueprint("chats", __name__)


def _list_entries(requester: Requester) -> Read[list[ListEntry]]:
    return listing.list_entries(requester.uid or accounts.NO_UID)


@bp.get("")
@prefetch(_list_entries)
def index(entries: list[ListEntry]) -> Response:
    """Show the member's chats, by their newest message, the newest first."""
    return _render_list("chats", entries, [one for one in entries if one.is_active])


@bp.get("/requests")
@prefetch(_list_entries)
def requests(entries: list[ListEntry]) -> Response:
    """Show chats that others have begun and that wait for an answer."""
    return _render_list("requests", entries, [one for one in entries if one.is_request])


@bp.get("/archived")
@prefetch(_list_entries)
def archived(entries: list[ListEntry]) -> Response:
    """Show archived chats."""
    visible = [one for one in entries if one.archived and not one.request_state]
    return _render_list("archived", entries, visible)


def _people(requester: Requester) -> Read[PeopleSearch]:
    return search_people(requester.uid, request.args.get("q", ""), request.args.getlist("people"))


@bp.get("/new-message")
@prefetch(_people)
def new_message(found: PeopleSearch) -> str | Response:
    """Offer people to write to, or to choose for a group chat: recent contacts, or those of `q`.

    With `chosen`, redirect to the chat with the one in `people`, or to a new group chat of several.
    """
    people = request.args.getlist("people") if "chosen" in request.args else []
    if people[1:]:
        return redirect(url_for("membership.new", people=people), 303)
    if people:
        return redirect(url_for("chats.direct", login=people[0]), 303)
    _, offered = db().fetch(limit_for_viewer("autocomplete"), picker(g.viewer.uid, found))
    return render_template("chat/new_message.html", picker=offered)


@bp.get("/@<login>")
def direct(login: str) -> Response:
    """Redirect to the direct chat with a member. The message form begins with `text`, if any."""
    member = accounts.get_by_login(db(), login)
    if member.uid == g.viewer.uid:
        raise Invalid("chat_yourself", _("You can’t chat with yourself."))
    cid, text = direct_id(g.viewer.uid, member.uid), request.args.get("text")
    return redirect(url_for("chats.show", cid=cid, text=text), 303)


@bp.get("/forward")
@prefetch(_list_entries)
def forward(entries: list[ListEntry]) -> str:
    """Show the chats that a status may be sent to."""
    status_id = NotFound.unless(parse_id(request.args.get("status", "")), "no_status")
    offered = [one for one in entries if not one.request_state]
    return render_template(
        "chat/messages/forward.html",
        status=load_shareable(db(), status_id, g.viewer.uid),
        rows=listing.inbox(db(), g.viewer.uid, offered),
        form=MessageForm(status=str(status_id)),
        unread_chats=presenter.badge_count(entries),
    )


@bp.get("/<cid:cid>")
def show(cid: str) -> ViewResponse:
    """Show a chat: its newest messages, or those that the address asks for."""
    return render_chat(cid, parse_params())


@bp.get("/<cid:cid>/pictures/<file>")
def picture(cid: str, file: str) -> Response:
    """Serve a picture of a message (`<message>-<file>`) or of the chat (`<file>`).

    Members get those they may see; everybody gets the picture of an open chat.
    """
    message_part, dash, name = file.partition("-")
    if not dash:
        visible, name = {f"{_chat_picture(cid)}.webp"}, file
    elif message_id := parse_id(message_part):
        message = db().read(reading.find_message(g.viewer.uid, cid, message_id))
        visible = message.picture_files if message else set()
    else:
        raise NotFound("no_picture")
    path = f"chat/{cid}/{name}"
    if path not in visible:
        raise NotFound("no_picture")
    return chat_picture_response(config(), path)


def _chat_picture(cid: str) -> str:
    """Return the name of a chat's own picture. At most two trips. Raises NotFound, Forbidden."""
    try:
        return db().read(reading.open_chat(g.viewer.uid, cid)).chat.picture
    except Forbidden:
        chat = db().read(invitations.open_chat(cid))
        if chat is None:
            raise
        return chat.picture


def _render_list(tab: str, entries: Sequence[ListEntry], visible: Sequence[ListEntry]) -> Response:
    return render_kept(
        "chat/index.html",
        replayable=True,
        current_tab=tab,
        rows=listing.inbox(db(), g.viewer.uid, visible),
        request_count=presenter.count_requests(entries),
        unread_chats=presenter.badge_count(entries),
    )
