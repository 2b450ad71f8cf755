"""Chats for scripts and bots, as JSON. `docs/chat-api.md` shows each call."""

from __future__ import annotations

import secrets
from typing import Any

import orjson
from flask import Blueprint, Response, g, request
from werkzeug.exceptions import HTTPException, InternalServerError

from .. import limits, media
from ..app import config, db
from ..errors import Invalid, NotFound, Refused, Unauthorized
from ..ids import parse_id
from ..logs import log
from ..security import csrf, own_page, public
from ..text import Unacceptable
from . import invites, reading, sending
from . import pending as pulling
from .api_callers import identify
from .drafting import parse_message
from .forms import KEY
from .shapes import chat_shape, message_shape, row_shape
from .store import Chat, Draft, Message, parse_cid

bp = Blueprint("chat_api", __name__, url_prefix="/api/chats")
csrf.exempt(bp)  # whoever acts with a cookie proves that a page of this site asks, see below
PAGE_MAX = 100  # messages a page


@bp.before_request
def who_asks() -> None:
    """Finds out who is asking: a member or a bot by access token, or the member of a session."""
    g.caller = identify(db(), config(), request.headers.get("Authorization", ""), g.viewer)
    by_cookie = g.caller is g.viewer  # whatever headers there are: a browser may send an empty one
    # Fetching with a plain GET changes something too: elsewhere a picture or a link could do it.
    changes = request.method == "POST" or (request.endpoint == "chat_api.pending" and _marks())
    if by_cookie and changes:
        own_page()


@bp.get("")
@public
def index() -> Response:
    """The caller's chats, the one that was written to last first."""
    _count("chat-read")
    rows = reading.listing(db(), g.caller.uid)
    return _json({"chats": [row_shape(row, {row.author.uid: row.author} if row.author else {}) for row in rows]})


@bp.get("/pending")
@public
def pending() -> Response:
    """What the caller has not fetched yet, of all chats; it counts as fetched then, unless `mark=0`."""
    _count("chat-read")
    found = pulling.pending(db(), config(), g.caller.uid, _marks())
    people = reading.hydrate(db(), [message for _, messages in found for message in messages]).people
    chats = [_with_messages(chat, messages, people) for chat, messages in found]
    return _json({"chats": chats, "more": any(messages[-1].id < chat.last for chat, messages in found)})


@bp.post("/fetched")
@public
def fetched() -> Response:
    """Notes how far the caller has fetched: a message id for each chat."""
    _count("chat-read")
    upto = {}
    for cid, last in _body().items():
        if not parse_cid(cid) or not _is_id(last):
            raise Invalid("bad_fetched")
        upto[cid] = last
    if len(upto) > config().chats_max:
        raise Invalid("bad_fetched")
    pulling.fetched(db(), g.caller.uid, upto)
    return Response(status=204)


@bp.get("/<cid>/messages")
@public
def messages(cid: str) -> Response:
    """A page of a chat, oldest first: the newest, or those before, after or around a message."""
    _count("chat-read")
    before, after, around = _number("before"), _number("after"), _number("around")
    if [before, after, around].count(None) < 2:
        raise Invalid("one_place")
    size = min(_number("limit") or config().chat_page, PAGE_MAX)
    opened = reading.opened(db(), g.caller.uid, _cid(cid), before=before, after=after, around=around, size=size)
    people = reading.hydrate(db(), opened.messages).people
    page = {"older": opened.older, "newer": opened.newer, "read": opened.read}
    return _json(_with_messages(opened.chat, opened.messages, people) | page)


@bp.get("/<cid>/pictures/<message>/<name>.webp")
@public
def picture(cid: str, message: str, name: str) -> Response:
    """A picture of a message."""
    _count("chat-read")
    cid, number, wanted = _cid(cid), parse_id(message), f"chat/{cid}/{name}"
    if number is None:
        raise NotFound("no_picture")
    opened = reading.opened(db(), g.caller.uid, cid, around=number, size=1)
    if wanted not in {one.name for found in opened.messages if found.id == number for one in found.pictures}:
        raise NotFound("no_picture")
    return media.show_in_chat(config(), wanted)


@bp.post("/<cid>/messages")
@public
def send(cid: str) -> Response:
    """Sends a message: `text`, and if wanted `reply` and `key`."""
    given = _body()
    text, reply, key = given.get("text"), given.get("reply"), given.get("key", secrets.token_urlsafe(12))
    if isinstance(reply, str):  # of a form
        reply = parse_id(reply)
    if not isinstance(text, str):
        raise Invalid("bad_text")
    if "reply" in given and not _is_id(reply):
        raise Invalid("bad_reply")
    if not isinstance(key, str) or not KEY.match(key):
        raise Invalid("bad_key")
    try:
        parsed = parse_message(text, config().chat_message_max)
    except Unacceptable as error:
        raise Invalid("text_long" if error.reason == "too_long" else "bad_text") from None
    _count("chat")
    draft = Draft(parsed.text, parsed.entities, reply or 0)
    return _json({"id": sending.send(db(), config(), g.caller.uid, _cid(cid), draft, key)}, 201)


@bp.errorhandler(Refused)
def refused(error: Refused) -> Response:
    """What a store refuses, for programs and for people."""
    error = _hidden(error)
    answer = _json({"error": error.code, "message": str(error.sentence)}, error.status)
    if error.retry_after:
        answer.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, Unauthorized):
        answer.headers["WWW-Authenticate"] = 'Bearer realm="Linnet"'
    return answer


@bp.errorhandler(HTTPException)
def failed(error: HTTPException) -> Response:
    """What the server refuses before anybody looks."""
    return _json({"error": error.name.lower().replace(" ", "_"), "message": error.description}, error.code or 500)


@bp.errorhandler(Exception)
def broken(error: Exception) -> Response:
    """What should not happen."""
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return failed(InternalServerError())


def _hidden(error: Refused) -> Refused:
    """To who does not belong to it, a chat that is not open is none."""
    cid = parse_cid((request.view_args or {}).get("cid", ""))
    if error.code == "not_in_chat" and not (cid and invites.open_chat(db(), cid)):
        return NotFound("no_chat")
    return error


def _with_messages(chat: Chat, found: list[Message], people: dict[int, Any]) -> dict[str, Any]:
    return {"chat": chat_shape(chat), "messages": [message_shape(chat.id, one, people) for one in found]}


def _body() -> dict[str, Any]:
    """The fields of the body: a JSON object, or a form. Raises Invalid."""
    if not request.is_json:
        return dict(request.form)
    try:
        found = orjson.loads(request.get_data())
    except orjson.JSONDecodeError:
        raise Invalid("bad_json") from None
    if not isinstance(found, dict):
        raise Invalid("bad_json")
    return found


def _cid(text: str) -> str:
    cid = parse_cid(text)
    if cid is None:
        raise NotFound("no_chat")
    return cid


def _number(name: str) -> int | None:
    """A number in the address, or None. Raises Invalid."""
    given = request.args.get(name)
    number = parse_id(given) if given is not None else None
    if given is not None and number is None:
        raise Invalid("bad_number")
    return number


def _is_id(value: object) -> bool:
    return type(value) is int and parse_id(str(value)) is not None


def _marks() -> bool:
    return request.args.get("mark") != "0"


def _count(act: str) -> None:
    limits.take(db(), (act, str(g.caller.uid), config().limit_chat))


def _json(data: Any, status: int = 200) -> Response:
    answer = Response(orjson.dumps(data), status, content_type="application/json")
    answer.headers["Cache-Control"] = "no-store"
    return answer
