"""Parse the content of messages that programs send, in a request or in a webhook's answer."""

from collections.abc import Mapping
from typing import Any

from webapp.chat.message_text import parse_message
from webapp.chat.models import Content
from webapp.core.errors import Invalid
from webapp.core.store import parse_id
from webapp.core.text.parser import Parsed, Unacceptable


def parse_content(fields: Mapping[str, Any], max_length: int, is_required: bool = True) -> Content:
    """Return the content of the fields `text` and `in_reply_to_id`. Raises Invalid."""
    reply_to = fields.get("in_reply_to_id")
    number = parse_number(reply_to)
    if reply_to is not None and number is None:
        raise Invalid("bad_in_reply_to_id")
    parsed = parse_text(fields, max_length, is_required)
    return Content(parsed.text, parsed.entities, number or 0)


def parse_text(fields: Mapping[str, Any], max_length: int, is_required: bool = True) -> Parsed:
    """Return the parsed `text`. Raises Invalid."""
    text = fields.get("text")
    if not (text or is_required):
        text = ""
    if not isinstance(text, str):
        raise Invalid("bad_text")
    try:
        return parse_message(text, max_length, is_required)
    except Unacceptable as error:
        raise Invalid("text_long" if error.reason == "too_long" else "bad_text") from None


def parse_number(value: object) -> int | None:
    """Return an id that is a number or, in a form, its digits; None for anything else."""
    return parse_id(str(value)) if type(value) in (int, str) else None
