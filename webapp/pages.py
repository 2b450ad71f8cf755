"""What every page shares: languages, template filters, and errors in the same clothes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from babel.dates import format_datetime, format_skeleton
from babel.numbers import format_compact_decimal
from flask import Flask, g, render_template, request, url_for
from flask_babel import Babel, get_locale
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.exceptions import BadHost, HTTPException, InternalServerError, MethodNotAllowed, SecurityError

from . import text
from .errors import Refused
from .events import request_id
from .logs import log
from .text import Entity

SCHEME = re.compile(r"https?://", re.IGNORECASE)
TITLES = {
    400: (_l("That did not work"), _l("We could not understand that request. Go back, reload the page and try again.")),
    403: (_l("Not allowed"), _l("You may look, but not do that.")),
    404: (_l("Nothing here"), _l("This page does not exist, or it is gone.")),
    405: (_l("Not like that"), _l("This address does not take that kind of request.")),
    408: (_l("Too slow"), _l("Your request took too long to arrive.")),
    409: (_l("That has changed"), _l("Things are not as they were any more. Reload the page and try again.")),
    413: (_l("Too much"), _l("That is larger than we accept.")),
    422: (_l("Not quite"), _l("Something in that request cannot be accepted.")),
    429: (_l("A little slower, please"), _l("That was too often. Please wait a moment.")),
    500: (_l("Our mistake"), _l("Something broke on our side. We have noted it; please try again.")),
    503: (_l("Back in a moment"), _l("We cannot answer right now. Please try again in a moment.")),
}


def init(app: Flask) -> None:
    """Gives templates their globals and filters, and errors their page."""
    Babel(app)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(
        when=when,
        full_date=full_date,
        iso=datetime.isoformat,
        compact=compact,
        segments=segments,
        href=text.href,
        shown=shown,
    )
    app.context_processor(
        lambda: {"viewer": g.get("viewer"), "lang": str(get_locale()).replace("_", "-"), "asset": asset}
    )
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(HTTPException, _failed)
    if not app.debug:
        app.register_error_handler(Exception, _broken)


def when(moment: datetime) -> str:
    """A past moment in few characters: `now`, `5m`, `3h`, then the date, with the year when it is another one."""
    now = datetime.now(UTC)
    seconds = max((now - moment).total_seconds(), 0)
    if seconds < 60:
        return str(_("now"))
    if seconds < 3600:
        return str(_("%(minutes)dm", minutes=seconds // 60))
    if seconds < 86_400:
        return str(_("%(hours)dh", hours=seconds // 3600))
    return format_skeleton("MMMd" if moment.year == now.year else "yMMMd", moment, locale=get_locale())


def full_date(moment: datetime) -> str:
    """A moment in full, in the reader's language."""
    return _full_date(moment, str(get_locale()))


def compact(number: int) -> str:
    """A count in few characters: 1.2K."""
    return format_compact_decimal(number, locale=get_locale(), fraction_digits=1 if number >= 1000 else 0)


def shown(url: str) -> str:
    """A link as it is read: without its scheme, but never without its host."""
    return url[match.end() :] if (match := SCHEME.match(url)) else url


class Written(Protocol):
    """Anything with a text and the entities found in it."""

    @property
    def text(self) -> str: ...

    @property
    def entities(self) -> tuple[Entity, ...]: ...


def segments(status: Written) -> Iterator[tuple[str, Entity | None]]:
    """A status's text cut into plain runs and entities."""
    return iter(text.segments(status.text, status.entities))


def asset(path: str) -> str:
    """The address of a static file, which changes with its content."""
    return url_for("static", filename=path, v=_fingerprint(path))


@lru_cache(10_000)  # a timeline shows the same moments to everybody, and Babel takes long over one
def _full_date(moment: datetime, locale: str) -> str:
    return str(format_datetime(moment, "long", tzinfo=UTC, locale=locale))


@cache
def _fingerprint(path: str) -> str:
    return hashlib.sha256((Path(__file__).parent.parent / "static" / path).read_bytes()).hexdigest()[:12]


def error_page(status: int, sentence: object = "", retry_after: int | None = None) -> tuple[str, int, dict[str, str]]:
    """The page of an error, with its headers."""
    title, usual = TITLES.get(status, TITLES[500 if status >= 500 else 400])
    page = render_template(
        "error.html",
        status=status,
        title=title,
        sentence=sentence or usual,
        retry_after=retry_after,
        request_id=request_id.get(),
    )
    headers = {"Cache-Control": "no-store"}
    if retry_after:
        headers["Retry-After"] = str(retry_after)
    return page, status, headers


def _refused(error: Refused) -> tuple[str, int, dict[str, str]]:
    return error_page(error.status, error.sentence, error.retry_after)


def _failed(error: HTTPException) -> tuple[str, int, dict[str, str]]:
    if isinstance(error, BadHost | SecurityError):  # no page can be drawn: its links would need the host
        return f"{TITLES[400][1]}\n", 400, {"Content-Type": "text/plain; charset=utf-8"}
    page, status, headers = error_page(error.code or 500)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return page, status, headers


def _broken(error: Exception) -> tuple[str, int, dict[str, str]]:
    log.error("%s %s failed", request.method, quote(request.path), exc_info=error)
    return error_page(InternalServerError.code)
