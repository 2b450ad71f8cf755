"""Parsing the requests of the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from urllib.parse import unquote_to_bytes

import orjson
from flask import g, request
from werkzeug.exceptions import RequestEntityTooLarge

from webapp.config import Rate
from webapp.core.errors import Invalid, Refused
from webapp.core.forms.idempotency import KEY_PATTERN, new_form_key
from webapp.core.store import parse_id
from webapp.core.web import SAFE_METHODS, config, db, public, rate_limits

PAGE_MAX = 100  # messages a page
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
P = ParamSpec("P")
R = TypeVar("R")


def request_fields() -> dict[str, Any]:
    """Return the fields of the body: a JSON object, or a form. Raises Refused for anything else.

    Some clients declare JSON without sending a body.
    """
    if not request.is_json:
        return _form_fields()
    body = request.get_data()
    if len(body) > config().body_max:  # a view that accepts pictures has room for more
        raise RequestEntityTooLarge()
    try:
        fields = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        raise Refused("bad_json") from None
    if not isinstance(fields, dict):
        raise Refused("bad_json")
    return fields


def _form_fields() -> dict[str, Any]:
    """Return the fields of a form, none without a body. Raises Refused for one that is JSON.

    A body of another type than declared must not count as an empty one.
    """
    if request.mimetype == "multipart/form-data":
        return _utf8_fields()
    body = request.get_data()
    if body.lstrip().startswith((b"{", b"[")):  # as many clients do by default
        raise Refused("bad_body")
    try:
        unquote_to_bytes(body).decode()
    except UnicodeDecodeError:
        raise Refused("bad_body") from None
    return dict(request.form)


def _utf8_fields() -> dict[str, Any]:
    """Return the fields of a form with files. Raises Refused where one is not UTF-8.

    Werkzeug has put a replacement character in place of each such byte.
    """
    fields = dict(request.form)
    if any(REPLACEMENT in value for value in fields.values()):
        raise Refused("bad_body")
    return fields


def idempotency_key() -> str:
    """Return the key in the Idempotency-Key header, a new one without it. Raises Invalid."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return new_form_key()
    if not KEY_PATTERN.match(key):
        raise Invalid("bad_key")
    return key


def cursor_param(name: str) -> int | None:
    """Return a message id of the query string, None without one. Raises Invalid.

    `after=0` is the place before the first message.
    """
    value = request.args.get(name)
    if value is None:
        return None
    number = 0 if (name, value) == ("after", "0") else parse_id(value)
    if number is None:
        raise Invalid("bad_number")
    return number


def limit_param() -> int:
    """Return how many messages the caller wants on a page. Raises Invalid outside 1 to PAGE_MAX."""
    value = request.args.get("limit")
    if value is None:
        return config().chat_page
    limit = parse_id(value)
    if limit is None or limit > PAGE_MAX:
        raise Invalid("bad_limit")
    return limit


def should_mark_fetched() -> bool:
    """Return True unless the caller asks to keep the fetched messages as unfetched."""
    return request.args.get("mark") != "0"


def consume_limit(bucket: str) -> None:
    """Count one action of the caller. Raises RateLimited."""
    if request.method in SAFE_METHODS:
        db().read(rate_limits.count_read(*_limit(bucket)))
    else:
        rate_limits.consume(db(), _limit(bucket))


def limited(bucket: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Count each call of a view as `consume_limit` does. It needs no session: see the blueprint."""

    def decorate(view: Callable[P, R]) -> Callable[P, R]:
        @wraps(view)
        def counted(*args: P.args, **arguments: P.kwargs) -> R:
            consume_limit(bucket)
            return view(*args, **arguments)

        return public(counted)

    return decorate


def _limit(bucket: str) -> tuple[str, str, Rate]:
    """Return the caller's limit for a kind of action: group chats have one of their own."""
    rate = config().limit_group if bucket == "group" else config().limit_chat
    return bucket, str(g.caller.uid), rate
