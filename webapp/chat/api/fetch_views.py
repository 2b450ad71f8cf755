"""Fetching new messages in the API, each once."""

from flask import Response, g

from webapp.chat.ids import parse_cid
from webapp.chat.messages.related import related_to
from webapp.core.errors import Invalid
from webapp.core.rendering.json_responses import json_response
from webapp.core.store import parse_id
from webapp.core.web import config, db, site

from . import fetch
from .blueprint import api_blueprint
from .requests import limited, request_fields, should_mark_fetched
from .serializers import messages_to_json

bp = api_blueprint("chat_api_fetch", __name__)


@bp.get("/pending")
@limited("chat-read")
def pending() -> Response:
    """Return messages that the caller has not fetched. They count as fetched unless `mark=0`."""
    fetched_chats = fetch.fetch_pending(site(), g.caller.uid, should_mark_fetched())
    all_messages = [message for fetched in fetched_chats for message in fetched.messages]
    people = db().read(related_to(all_messages)).people
    return json_response(
        {
            "chats": [
                messages_to_json(fetched.chat, fetched.messages, people)
                for fetched in fetched_chats
            ],
            "has_more": any(fetched.has_more for fetched in fetched_chats),
        }
    )


@bp.post("/fetched")
@limited("chat-read")
def fetched() -> Response:
    """Note how far the caller has fetched: a message id for each chat."""
    last_ids = request_fields()
    if len(last_ids) > config().chats_max:
        raise Invalid("bad_fetched")
    for cid, last_id in last_ids.items():
        if not parse_cid(cid) or type(last_id) is not int or parse_id(str(last_id)) is None:
            raise Invalid("bad_fetched")
    fetch.mark_fetched(db(), g.caller.uid, last_ids)
    return Response(status=204)
