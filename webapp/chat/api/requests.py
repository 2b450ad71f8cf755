"""Parsing the requests of the API."""

from __future__ import annotations

from typing import Any

import orjson
from flask import g, request

from webapp.chat.ids import parse_cid
from webapp.core.store.ids import parse_id
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.errors import Invalid, NotFound

PAGE_MAX = 100  # messages a page


def request_fields() -> dict[str, Any]:
    """Return the fields of the body: a JSON object, or a form. Raises Invalid."""
    if not request.is_json:
        return dict(request.form)
    try:
        fields = orjson.loads(request.get_data())
    except orjson.JSONDecodeError:
        raise Invalid("bad_json") from None
    if not isinstance(fields, dict):
        raise Invalid("bad_json")
    return fields


def cid_or_404(text: str) -> str:
    """Return the chat id in the path. Raises NotFound, which the API answers in JSON."""
    cid = parse_cid(text)
    if cid is None:
        raise NotFound("no_chat")
    return cid


def id_param(name: str) -> int | None:
    """Return a number of the query string, None without one. Raises Invalid."""
    value = request.args.get(name)
    if value is None:
        return None
    number = parse_id(value)
    if number is None:
        raise Invalid("bad_number")
    return number


def is_id(value: object) -> bool:
    """Return True for a number that can be an id."""
    return type(value) is int and parse_id(str(value)) is not None


def should_mark_fetched() -> bool:
    """Return True unless the caller asks to keep what is fetched as unfetched."""
    return request.args.get("mark") != "0"


def consume_limit(bucket: str) -> None:
    """Count one action of the caller. Raises RateLimited."""
    rate_limits.consume(db(), (bucket, str(g.caller.uid), config().limit_chat))
