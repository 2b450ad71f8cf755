"""Chats in the API: list, create, change and delete them, and mark them as read."""

from flask import Response, g

from webapp.chat import reading
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import group_chats
from webapp.core.errors import Invalid
from webapp.core.rendering.json_responses import json_response
from webapp.core.store.ids import MAX_ID
from webapp.core.web import config, db, public, site

from .blueprint import api_blueprint
from .content import parse_content
from .fields import group_fields, id_field, resolve_members
from .requests import consume_limit, idempotency_key, limited, request_fields
from .serializers import chat_to_json, row_to_json

bp = api_blueprint("chat_api", __name__)


@bp.get("")
@limited("chat-read")
def index() -> Response:
    """List the caller's chats, by their newest message, the newest first."""
    rows = listing.inbox(db(), g.caller.uid)
    return json_response({"chats": [row_to_json(row) for row in rows]})


@bp.get("/<cid>")
@limited("chat-read")
def show(cid: str) -> Response:
    """Return a chat that the caller belongs to."""
    return _chat_response(cid)


@bp.post("")
@public
def create() -> Response:
    """Make a group chat, with its first members and its first message."""
    fields, key = request_fields(), idempotency_key()
    settings = group_fields(fields)
    if "name" not in settings:
        raise Invalid("bad_name")
    content = parse_content(fields, config().chat_message_max) if fields.get("text") else None
    consume_limit("group")
    member_uids = resolve_members(fields)
    cid = group_chats.create(
        site(),
        g.caller.uid,
        member_uids=member_uids,
        content=content,
        key=key,
        **{"kind": "private", **settings},
    )
    return _chat_response(cid, 201)


@bp.patch("/<cid>")
@limited("chat")
def change(cid: str) -> Response:
    """Change a group chat's name, topic, type, shared history or retention, as an owner."""
    changes = Invalid.unless(group_fields(request_fields()), "no_changes")
    group_chats.change(site(), g.caller.uid, cid, **changes)
    return _chat_response(cid)


@bp.delete("/<cid>")
@limited("chat")
def delete(cid: str) -> Response:
    """Delete a group chat and everything in it, as an owner."""
    group_chats.delete(site(), g.caller.uid, cid)
    return Response(status=204)


@bp.post("/<cid>/read")
@limited("chat-mark")
def read(cid: str) -> Response:
    """Mark a chat as read up to a message, by default the newest."""
    message_id = id_field(request_fields(), "message_id") or MAX_ID
    chat_state.mark_read_unless_request(db(), g.caller.uid, cid, message_id)
    return Response(status=204)


def _chat_response(cid: str, status: int = 200) -> Response:
    """Return a chat with the caller's role and position. One trip. Raises NotFound, Forbidden."""
    page = db().read(reading.open_chat(g.caller.uid, cid))
    data = {
        **chat_to_json(page.chat),
        "role": "owner" if page.is_owner else "member",
        "last_read_id": page.last_read,
    }
    return json_response(data, status)
