"""Answers of the client API: entities as JSON, `Link`, errors, and other origins' access."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from flask import Flask, Response, g, request
from flask.globals import request_ctx
from werkzeug.exceptions import HTTPException

from webapp.core.errors import Conflict, Invalid, NotFound, RateLimited, Refused, Unauthorized
from webapp.core.web import site_address, unwrap
from webapp.core.web.request_log import note_refusal

from .paging import CURSORS
from .parameters import InvalidRequest

S = TypeVar("S")
T = TypeVar("T")
# The paths that pages of other origins may call. Browsers let none read what a cookie opens.
OPEN_PATHS = (
    "/api/v1/",
    "/api/v2/",
    "/oauth/token",
    "/oauth/revoke",
    "/oauth/userinfo",
    "/.well-known/",
    "/nodeinfo/",
    "/media/",
    "/static/icons/",
)
OWN_API = ("/api/chats", "/api/v1/streams")  # answered in their own way
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key",
    "Access-Control-Expose-Headers": (
        "Link, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id"
    ),
    "Access-Control-Max-Age": "86400",
}
# Of what only an author may do, and of what is closed to the caller, also by a block: as if it were
# not there.
BLOCKED = ("cannot_like", "cannot_boost", "cannot_vote", "cannot_quote")
CLOSED = ("not_yours", "not_for_you", "suspended", *BLOCKED)
OWN_POLL = "own_poll"  # and of a vote by the author of the poll
RECORD_MISSING = "Record not found"
SENTENCES = {  # that some clients compare
    "bad_vote": "The chosen vote option does not exist",
    OWN_POLL: "You cannot vote in your own polls",
    "poll_ended": "The poll has already ended",
    "waiting": "Your login is currently pending approval",
    "voted": "You have already voted on this poll",
}
encoder = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """A page of entities. `older`: the cursor of the next page, `newer`: of the one before.

    `by`: the parameter that takes `older`.
    """

    items: Sequence[T]
    older: int | None = None
    newer: int | None = None
    by: str = "max_id"

    def showing(self, items: Sequence[S]) -> "Listed[S]":
        """Return the page with other items in the places of its own."""
        return Listed(items, self.older, self.newer, self.by)


@dataclass(frozen=True, slots=True)
class Paged(Generic[T]):
    """An entity that holds a page. The rest is as of a Listed."""

    entity: T
    older: int | None = None
    newer: int | None = None
    by: str = "max_id"


def answer(result: Any) -> Response:
    """Return an entity, a page of them, or `{}` for None, as JSON that no cache stores."""
    if isinstance(result, Response):
        return result
    if not isinstance(result, Listed | Paged):
        return json({} if result is None else result)
    response = json(result.items if isinstance(result, Listed) else result.entity)
    if links := _links(result):
        response.headers["Link"] = links
    return response


def without_entries(result: Any) -> Any:
    """Return a result without the entities that it lists, and what leads to others."""
    if isinstance(result, Listed | list):
        return []
    found = result.entity if isinstance(result, Paged) else result
    if not isinstance(found, msgspec.Struct):
        return found
    listed = [name for name, value in msgspec.structs.asdict(found).items() if type(value) is list]
    return msgspec.structs.replace(found, **{name: [] for name in listed})


def json(data: Any, status: int = 200) -> Response:
    """Return data as JSON."""
    response = Response(
        encoder.encode(data), status, content_type="application/json; charset=utf-8"
    )
    response.headers["Cache-Control"] = "private, no-store"
    return response


def format_time(moment: datetime) -> str:
    """Return a time in UTC as clients read it: `2026-11-25T20:30:00.123Z`."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"


def error(refusal: Refused) -> Response:
    """Answer a refusal with the sentence that clients know.

    As Mastodon does, it answers 404 where only the author of a status may act or the author is
    closed to the caller, and 422 to what the present state does not allow.
    """
    if refusal.code in CLOSED:
        refusal = NotFound("no_status")
    if isinstance(refusal, Conflict) or refusal.code == OWN_POLL:
        refusal = Invalid(refusal.code, refusal.sentence, refusal.retry_after)
    if isinstance(refusal, NotFound):
        sentence = RECORD_MISSING
    elif isinstance(refusal, RateLimited):
        sentence = "Too many requests"
    else:
        sentence = SENTENCES.get(refusal.code) or str(refusal.sentence)
    if isinstance(refusal, Invalid) and not sentence.startswith("Validation failed"):
        sentence = f"Validation failed: {sentence}"
    about = refusal.about if isinstance(refusal, InvalidRequest) else {}
    response = json({"error": sentence, **about}, refusal.status)
    if refusal.retry_after:
        response.headers["Retry-After"] = str(refusal.retry_after)
    if isinstance(refusal, Unauthorized):
        response.headers["WWW-Authenticate"] = 'Bearer realm="Linnet"'
    return response


def http_error(error: HTTPException) -> Response:
    """Answer an error of the server, such as an unknown path."""
    sentence = RECORD_MISSING if error.code == 404 else error.name
    return json({"error": sentence}, error.code or 500)


def site_host() -> str:
    """Return the host of the pages, with its port if that is unusual."""
    return urlsplit(site_address()).netloc


def is_open(path: str) -> bool:
    """Return True for a path that pages of other origins may call."""
    return path.startswith(OPEN_PATHS) and not path.startswith(OWN_API)


def init(app: Flask) -> None:
    """Let pages of other origins call the client API, and answer their preflights."""
    app.before_request(_answer_early)
    app.after_request(_add_cors)


def _answer_early() -> Response | None:
    """Answer preflights, and calls of paths that no endpoint has.

    Where a path has `abc` for an id, a record is missing.
    """
    asked = unwrap(request)
    if not is_open(asked.path):
        return None
    if asked.method == "OPTIONS":
        return Response(status=204)
    error = asked.routing_exception
    if not asked.path.startswith("/api/") or error is None or error.code not in (404, 405):
        return None
    note_refusal(type(error).__name__)
    return json({"error": RECORD_MISSING if _would_match(asked.path) else "Not Found"}, 404)


def _would_match(path: str) -> bool:
    """Return True if an endpoint has a path like this, with an id for one of its parts."""
    parts, adapter = path.split("/"), unwrap(request_ctx).url_adapter
    numbered = (
        "/".join([*parts[:at], "1", *parts[at + 1 :]]) for at in range(3, min(len(parts), 8))
    )
    return adapter is not None and any(map(adapter.test, numbered))


def _add_cors(response: Response) -> Response:
    """Add the headers of other origins' access, and of the rate limit."""
    if is_open(unwrap(request).path):
        response.headers.extend(CORS)
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    if calls := unwrap(g).get("calls"):
        full_at = datetime.fromtimestamp(calls.full_at, UTC)
        response.headers["X-RateLimit-Limit"] = str(calls.rate.burst)
        response.headers["X-RateLimit-Remaining"] = str(calls.remaining)
        response.headers["X-RateLimit-Reset"] = format_time(full_at)
    return response


def _links(listed: Listed[Any] | Paged[Any]) -> str:
    """Return the Link header, with `next` first: some clients read only the first one."""
    links = []
    if listed.older is not None:
        links.append(f'<{_url(listed.by, listed.older)}>; rel="next"')
    if listed.newer is not None:
        links.append(f'<{_url("min_id", listed.newer)}>; rel="prev"')
    return ", ".join(links)


def _url(name: str, cursor: int) -> str:
    kept = [pair for pair in request.args.items(multi=True) if pair[0] not in (*CURSORS, "offset")]
    return f"{site_address()}{quote(request.path)}?{urlencode([*kept, (name, cursor)])}"
