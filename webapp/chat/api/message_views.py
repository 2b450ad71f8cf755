"""Messages in the API: read, send, edit and delete them, react to them, and fetch pictures."""

from dataclasses import replace
from datetime import UTC, datetime

from flask import Response, g

from webapp.chat import reading
from webapp.chat.message_text import parse_emoji
from webapp.chat.messages import sending, uploads
from webapp.chat.messages.related import find_card, related_to
from webapp.chat.models import Content, Message
from webapp.core.errors import Invalid, NotFound
from webapp.core.forms.fields import PICTURES_MAX, uploaded_pictures
from webapp.core.media.decoding import BadPicture
from webapp.core.media.responses import chat_picture_response
from webapp.core.rendering.json_responses import json_response
from webapp.core.web import accepts_uploads, config, db, public, site

from .blueprint import api_blueprint
from .content import parse_content, parse_text
from .fields import Fields, id_field
from .requests import cursor_param, idempotency_key, limit_param, limited, request_fields
from .serializers import message_to_json, messages_to_json

bp = api_blueprint("chat_api_messages", __name__)


@bp.get("/<cid>/messages")
@limited("chat-read")
def index(cid: str) -> Response:
    """Return a page of a chat, oldest first: the newest, or before, after or around a message."""
    before, after, around = map(cursor_param, ("before", "after", "around"))
    if [before, after, around].count(None) < 2:
        raise Invalid("one_place")
    window = reading.open_page(
        g.caller.uid, cid, before=before, after=after, around=around, size=limit_param()
    )
    page = db().read(window)
    people = db().read(related_to(page.messages)).people
    return json_response(
        {
            **messages_to_json(page.chat, page.messages, people),
            "has_older": page.has_older,
            "has_newer": page.has_newer,
            "last_read_id": page.last_read,
        }
    )


@bp.get("/<cid>/messages/<id:message_id>")
@limited("chat-read")
def show(cid: str, message_id: int) -> Response:
    """Return a message."""
    return _message_response(cid, db().read(reading.get_message(g.caller.uid, cid, message_id)))


@bp.post("/<cid>/messages")
@public
@accepts_uploads(PICTURES_MAX)
def send(cid: str) -> Response:
    """Send a message: `text`, pictures or a shared status, and perhaps its parent."""
    fields, key, pictures = request_fields(), idempotency_key(), uploaded_pictures()
    uploads.consume_limits(g.caller.uid, has_pictures=bool(pictures))
    content = _parse_content(fields, has_pictures=bool(pictures))
    try:
        message_id = uploads.send(g.caller.uid, cid, content, pictures, key)
    except BadPicture as refusal:
        raise Invalid("bad_picture", refusal.sentence) from None
    try:
        message = db().read(reading.get_message(g.caller.uid, cid, message_id))
    except NotFound:  # sent before with this key, and gone since
        message = Message(message_id, g.caller.uid, datetime.now(UTC), deleted=True)
    return _message_response(cid, message, 201)


@bp.patch("/<cid>/messages/<id:message_id>")
@limited("chat")
def edit(cid: str, message_id: int) -> Response:
    """Change the text of one's own message."""
    uid, parsed = g.caller.uid, parse_text(request_fields(), config().chat_message_max)
    db().read(reading.open_chat(uid, cid))  # only members learn which messages there are
    sending.edit(site(), uid, cid, message_id, parsed.text, parsed.entities)
    return _message_response(cid, db().read(reading.get_message(uid, cid, message_id)))


@bp.delete("/<cid>/messages/<id:message_id>")
@limited("chat")
def delete(cid: str, message_id: int) -> Response:
    """Delete a message for everybody: one's own, or any as an owner."""
    sending.delete(site(), g.caller.uid, cid, message_id)
    return Response(status=204)


@bp.put("/<cid>/messages/<id:message_id>/reactions/<emoji>")
@limited("chat")
def react(cid: str, message_id: int, emoji: str) -> Response:
    """React to a message with an emoji."""
    return _react(cid, message_id, emoji, add=True)


@bp.delete("/<cid>/messages/<id:message_id>/reactions/<emoji>")
@limited("chat")
def unreact(cid: str, message_id: int, emoji: str) -> Response:
    """Take a reaction back."""
    return _react(cid, message_id, emoji, add=False)


@bp.get("/<cid>/pictures/<id:message_id>/<name>.webp")
@limited("chat-read")
def picture(cid: str, message_id: int, name: str) -> Response:
    """Return a picture of a message."""
    message = db().read(reading.find_message(g.caller.uid, cid, message_id))
    file = f"chat/{cid}/{name}.webp"
    if message is None or file not in message.picture_files:
        raise NotFound("no_picture")
    return chat_picture_response(config(), file)


def _parse_content(fields: Fields, has_pictures: bool) -> Content:
    """Return the message to send, without its pictures. At most two trips, for a shared status.

    Raises Invalid, NotFound, Forbidden.
    """
    status_id = id_field(fields, "status_id")
    text_required = not (has_pictures or status_id)
    content = parse_content(fields, config().chat_message_max, text_required)
    return replace(content, card=find_card(g.caller.uid, status_id, content.entities))


def _react(cid: str, message_id: int, emoji: str, *, add: bool) -> Response:
    sign = Invalid.unless(parse_emoji(emoji), "bad_emoji")
    sending.react(site(), g.caller.uid, cid, message_id, sign, add)
    return Response(status=204)


def _message_response(cid: str, message: Message, status: int = 200) -> Response:
    """Return a message with its author. One trip."""
    people = db().read(related_to([message])).people
    return json_response(message_to_json(cid, message, people), status)
