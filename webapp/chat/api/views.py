"""The JSON API of chats, for programs and bots. `docs/chat-api.md` shows each call."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, Response, g, request

from webapp.accounts.store import Member
from webapp.chat.forms import KEY_PATTERN
from webapp.chat.ids import parse_cid
from webapp.chat.inbox import listing
from webapp.chat.messages import reading, sending
from webapp.chat.messages.message_text import parse_message
from webapp.chat.messages.related import related_to
from webapp.chat.models import Chat, Draft, Message
from webapp.core.forms.csrf import csrf, require_same_origin
from webapp.core.media.responses import chat_picture_response
from webapp.core.store.ids import parse_id
from webapp.core.text.parser import Unacceptable
from webapp.core.web.context import config, db
from webapp.core.web.view_options import public
from webapp.errors import Invalid, NotFound

from . import fetch as api_fetch
from .auth import authenticate
from .requests import (
    PAGE_MAX,
    cid_or_404,
    consume_limit,
    id_param,
    is_id,
    request_fields,
    should_mark_fetched,
)
from .responses import json_response, register_error_handlers
from .serializers import chat_to_json, message_to_json, row_to_json

bp = Blueprint("chat_api", __name__, url_prefix="/api/chats")
csrf.exempt(bp)  # `load_caller` checks the origin of callers with a cookie
register_error_handlers(bp)


@bp.before_request
def load_caller() -> None:
    """Authenticate the caller, a member or a bot. A cookie is accepted from pages of this site."""
    g.caller = authenticate(db(), config(), request.headers.get("Authorization", ""), g.viewer)
    by_cookie = g.caller is g.viewer  # whatever headers there are: a browser may send an empty one
    # A plain GET that fetches changes something too, so a link or an image must not cause it.
    is_write = request.method == "POST" or (
        request.endpoint == "chat_api.pending" and should_mark_fetched()
    )
    if by_cookie and is_write:
        require_same_origin()


@bp.get("")
@public
def index() -> Response:
    """List the caller's chats, by their newest message, the newest first."""
    consume_limit("chat-read")
    rows = listing.inbox(db(), g.caller.uid)
    return json_response({"chats": [row_to_json(row) for row in rows]})


@bp.get("/pending")
@public
def pending() -> Response:
    """Return what the caller has not fetched. It counts as fetched then, unless `mark=0`."""
    consume_limit("chat-read")
    fetched_chats = api_fetch.fetch_pending(db(), config(), g.caller.uid, should_mark_fetched())
    all_messages = [message for fetched in fetched_chats for message in fetched.messages]
    people = db().read(related_to(all_messages)).people
    return json_response(
        {
            "chats": [
                _messages_to_json(fetched.chat, fetched.messages, people)
                for fetched in fetched_chats
            ],
            "more": any(fetched.has_more for fetched in fetched_chats),
        }
    )


@bp.post("/fetched")
@public
def fetched() -> Response:
    """Note how far the caller has fetched: a message id for each chat."""
    consume_limit("chat-read")
    last_ids = request_fields()
    if len(last_ids) > config().chats_max:
        raise Invalid("bad_fetched")
    for cid, last_id in last_ids.items():
        if not parse_cid(cid) or not is_id(last_id):
            raise Invalid("bad_fetched")
    api_fetch.mark_fetched(db(), g.caller.uid, last_ids)
    return Response(status=204)


@bp.get("/<cid>/messages")
@public
def messages(cid: str) -> Response:
    """Return a page of a chat, oldest first: the newest, or before, after or around a message."""
    consume_limit("chat-read")
    before, after, around = id_param("before"), id_param("after"), id_param("around")
    if [before, after, around].count(None) < 2:
        raise Invalid("one_place")
    size = min(id_param("limit") or config().chat_page, PAGE_MAX)
    page = db().read(
        reading.open_page(
            g.caller.uid, cid_or_404(cid), before=before, after=after, around=around, size=size
        )
    )
    people = db().read(related_to(page.messages)).people
    return json_response(
        {
            **_messages_to_json(page.chat, page.messages, people),
            "older": page.has_older,
            "newer": page.has_newer,
            "read": page.last_read,
        }
    )


@bp.get("/<cid>/pictures/<message>/<name>.webp")
@public
def picture(cid: str, message: str, name: str) -> Response:
    """Return a picture of a message."""
    consume_limit("chat-read")
    cid, message_id = cid_or_404(cid), parse_id(message)
    if message_id is None:
        raise NotFound("no_picture")
    found = db().read(reading.find_message(g.caller.uid, cid, message_id))
    picture_name = f"chat/{cid}/{name}"
    if found is None or picture_name not in {one.name for one in found.pictures}:
        raise NotFound("no_picture")
    return chat_picture_response(config(), picture_name)


@bp.post("/<cid>/messages")
@public
def send(cid: str) -> Response:
    """Send a message: `text`, and optionally `reply` and `key`."""
    draft, key = _parse_draft(request_fields())
    consume_limit("chat")
    message_id = sending.send(db(), config(), g.caller.uid, cid_or_404(cid), draft, key)
    return json_response({"id": message_id}, 201)


def _parse_draft(fields: dict[str, Any]) -> tuple[Draft, str]:
    """Return the message to send and its idempotency key. Raises Invalid."""
    text, reply = fields.get("text"), fields.get("reply")
    key = fields.get("key", secrets.token_urlsafe(12))
    if isinstance(reply, str):  # of a form
        reply = parse_id(reply)
    if not isinstance(text, str):
        raise Invalid("bad_text")
    if "reply" in fields and not is_id(reply):
        raise Invalid("bad_reply")
    if not isinstance(key, str) or not KEY_PATTERN.match(key):
        raise Invalid("bad_key")
    try:
        parsed = parse_message(text, config().chat_message_max)
    except Unacceptable as error:
        raise Invalid("text_long" if error.reason == "too_long" else "bad_text") from None
    return Draft(parsed.text, parsed.entities, reply or 0), key


def _messages_to_json(
    chat: Chat, chat_messages: Sequence[Message], people: Mapping[int, Member]
) -> dict[str, Any]:
    return {
        "chat": chat_to_json(chat),
        "messages": [message_to_json(chat.id, message, people) for message in chat_messages],
    }
