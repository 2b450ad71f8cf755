"""Chats for scripts and bots, as JSON. `docs/chat-api.md` shows each call."""

from __future__ import annotations

import secrets
from typing import Any

import orjson
from flask import Blueprint, Response, g, request
from werkzeug.exceptions import HTTPException, InternalServerError

from webapp.chat.forms import KEY_PATTERN
from webapp.chat.members import invitations
from webapp.chat.messages import reading, sending
from webapp.chat.messages.message_text import parse_message
from webapp.chat.store import Chat, Draft, Message, parse_cid
from webapp.core.forms.csrf import csrf, require_same_origin
from webapp.core.logs import log
from webapp.core.media.responses import chat_picture_response
from webapp.core.store.ids import parse_id
from webapp.core.text.parser import Unacceptable
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.view_options import public
from webapp.errors import Invalid, NotFound, Refused, Unauthorized

from . import fetch as api_fetch
from .auth import authenticate
from .serializers import chat_to_json, message_to_json, row_to_json

bp = Blueprint("chat_api", __name__, url_prefix="/api/chats")
csrf.exempt(bp)  # whoever acts with a cookie proves that a page of this site asks, see below
PAGE_MAX = 100  # messages a page


@bp.before_request
def load_caller() -> None:
    """Finds out who is asking: a member or a bot by access token, or the member of a session."""
    g.caller = authenticate(db(), config(), request.headers.get("Authorization", ""), g.viewer)
    by_cookie = g.caller is g.viewer  # whatever headers there are: a browser may send an empty one
    # Fetching with a plain GET changes something too: elsewhere a picture or a link could do it.
    is_write = request.method == "POST" or (
        request.endpoint == "chat_api.pending" and _should_mark_fetched()
    )
    if by_cookie and is_write:
        require_same_origin()


@bp.get("")
@public
def index() -> Response:
    """The caller's chats, the one that was written to last first."""
    _consume_limit("chat-read")
    rows = reading.inbox(db(), g.caller.uid)
    return _json(
        {
            "chats": [
                row_to_json(row, {row.author.uid: row.author} if row.author else {}) for row in rows
            ]
        }
    )


@bp.get("/pending")
@public
def pending() -> Response:
    """What the caller has not fetched yet, of all chats; it counts as fetched then, unless `mark=0`."""
    _consume_limit("chat-read")
    unfetched = api_fetch.fetch_pending(db(), config(), g.caller.uid, _should_mark_fetched())
    people = reading.hydrate(
        db(), [message for _, messages in unfetched for message in messages]
    ).people
    chats = [_messages_to_json(chat, messages, people) for chat, messages in unfetched]
    return _json(
        {
            "chats": chats,
            "more": any(messages[-1].id < chat.last_id for chat, messages in unfetched),
        }
    )


@bp.post("/fetched")
@public
def fetched() -> Response:
    """Notes how far the caller has fetched: a message id for each chat."""
    _consume_limit("chat-read")
    last_ids = {}
    for cid, last_id in _request_fields().items():
        if not parse_cid(cid) or not _is_id(last_id):
            raise Invalid("bad_fetched")
        last_ids[cid] = last_id
    if len(last_ids) > config().chats_max:
        raise Invalid("bad_fetched")
    api_fetch.mark_fetched(db(), g.caller.uid, last_ids)
    return Response(status=204)


@bp.get("/<cid>/messages")
@public
def messages(cid: str) -> Response:
    """A page of a chat, oldest first: the newest, or those before, after or around a message."""
    _consume_limit("chat-read")
    before, after, around = _id_param("before"), _id_param("after"), _id_param("around")
    if [before, after, around].count(None) < 2:
        raise Invalid("one_place")
    size = min(_id_param("limit") or config().chat_page, PAGE_MAX)
    chat_page = reading.open_page(
        db(), g.caller.uid, _cid_or_404(cid), before=before, after=after, around=around, size=size
    )
    people = reading.hydrate(db(), chat_page.messages).people
    page_info = {
        "older": chat_page.has_older,
        "newer": chat_page.has_newer,
        "read": chat_page.last_read,
    }
    return _json(_messages_to_json(chat_page.chat, chat_page.messages, people) | page_info)


@bp.get("/<cid>/pictures/<message>/<name>.webp")
@public
def picture(cid: str, message: str, name: str) -> Response:
    """A picture of a message."""
    _consume_limit("chat-read")
    cid, message_id, picture_name = _cid_or_404(cid), parse_id(message), f"chat/{cid}/{name}"
    if message_id is None:
        raise NotFound("no_picture")
    chat_page = reading.open_page(db(), g.caller.uid, cid, around=message_id, size=1)
    if picture_name not in {
        one.name for found in chat_page.messages if found.id == message_id for one in found.pictures
    }:
        raise NotFound("no_picture")
    return chat_picture_response(config(), picture_name)


@bp.post("/<cid>/messages")
@public
def send(cid: str) -> Response:
    """Sends a message: `text`, and if wanted `reply` and `key`."""
    fields = _request_fields()
    text, reply, key = (
        fields.get("text"),
        fields.get("reply"),
        fields.get("key", secrets.token_urlsafe(12)),
    )
    if isinstance(reply, str):  # of a form
        reply = parse_id(reply)
    if not isinstance(text, str):
        raise Invalid("bad_text")
    if "reply" in fields and not _is_id(reply):
        raise Invalid("bad_reply")
    if not isinstance(key, str) or not KEY_PATTERN.match(key):
        raise Invalid("bad_key")
    try:
        parsed = parse_message(text, config().chat_message_max)
    except Unacceptable as error:
        raise Invalid("text_long" if error.reason == "too_long" else "bad_text") from None
    _consume_limit("chat")
    draft = Draft(parsed.text, parsed.entities, reply or 0)
    return _json(
        {"id": sending.send(db(), config(), g.caller.uid, _cid_or_404(cid), draft, key)}, 201
    )


@bp.errorhandler(Refused)
def handle_refused(error: Refused) -> Response:
    """What a store refuses, for programs and for people."""
    error = _hide_closed_chat(error)
    response = _json({"error": error.code, "message": str(error.sentence)}, error.status)
    if error.retry_after:
        response.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, Unauthorized):
        response.headers["WWW-Authenticate"] = 'Bearer realm="Linnet"'
    return response


@bp.errorhandler(HTTPException)
def handle_http_error(error: HTTPException) -> Response:
    """What the server refuses before anybody looks."""
    return _json(
        {"error": error.name.lower().replace(" ", "_"), "message": error.description},
        error.code or 500,
    )


@bp.errorhandler(Exception)
def handle_exception(error: Exception) -> Response:
    """What should not happen."""
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return handle_http_error(InternalServerError())


def _hide_closed_chat(error: Refused) -> Refused:
    """To who does not belong to it, a chat that is not open is none."""
    cid = parse_cid((request.view_args or {}).get("cid", ""))
    if error.code == "not_in_chat" and not (cid and invitations.get_open_chat(db(), cid)):
        return NotFound("no_chat")
    return error


def _messages_to_json(
    chat: Chat, chat_messages: list[Message], people: dict[int, Any]
) -> dict[str, Any]:
    return {
        "chat": chat_to_json(chat),
        "messages": [message_to_json(chat.id, one, people) for one in chat_messages],
    }


def _request_fields() -> dict[str, Any]:
    """The fields of the body: a JSON object, or a form. Raises Invalid."""
    if not request.is_json:
        return dict(request.form)
    try:
        fields = orjson.loads(request.get_data())
    except orjson.JSONDecodeError:
        raise Invalid("bad_json") from None
    if not isinstance(fields, dict):
        raise Invalid("bad_json")
    return fields


def _cid_or_404(text: str) -> str:
    cid = parse_cid(text)
    if cid is None:
        raise NotFound("no_chat")
    return cid


def _id_param(name: str) -> int | None:
    """A number in the address, or None. Raises Invalid."""
    value = request.args.get(name)
    number = parse_id(value) if value is not None else None
    if value is not None and number is None:
        raise Invalid("bad_number")
    return number


def _is_id(value: object) -> bool:
    return type(value) is int and parse_id(str(value)) is not None


def _should_mark_fetched() -> bool:
    return request.args.get("mark") != "0"


def _consume_limit(action: str) -> None:
    rate_limits.consume(db(), (action, str(g.caller.uid), config().limit_chat))


def _json(data: Any, status: int = 200) -> Response:
    response = Response(orjson.dumps(data), status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response
