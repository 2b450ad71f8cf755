"""What every page shares: languages, template filters, and errors in the same clothes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol
from urllib.parse import quote

from babel.dates import format_datetime, format_skeleton
from babel.numbers import format_compact_decimal
from flask import Flask, Response, g, render_template, request
from flask_babel import Babel, get_locale
from flask_babel import lazy_gettext as _l
from werkzeug.exceptions import (
    BadHost,
    HTTPException,
    InternalServerError,
    MethodNotAllowed,
    SecurityError,
)

from webapp.core.i18n import preferences
from webapp.core.i18n.catalogs import CatalogDomain
from webapp.core.logs import log, request_id
from webapp.core.media import storage as media
from webapp.core.media.identicons import identicon
from webapp.core.text import parser
from webapp.core.text.parser import Entity
from webapp.errors import Refused
from webapp.server.health import storeless

from .context import config
from .security import vary

SCHEME_PATTERN = re.compile(r"https?://", re.IGNORECASE)
TODAY_STYLE, THIS_YEAR_STYLE, OLDER_STYLE = (
    "Hm",
    "MMMd",
    "yMMMd",
)  # forms of a time (CLDR skeletons)
TITLES = {
    400: (
        _l("That did not work"),
        _l("We could not understand that request. Go back, reload the page and try again."),
    ),
    403: (_l("Not allowed"), _l("You may look, but not do that.")),
    404: (_l("Nothing here"), _l("This page does not exist, or it is gone.")),
    405: (_l("Not like that"), _l("This address does not take that kind of request.")),
    408: (_l("Too slow"), _l("Your request took too long to arrive.")),
    409: (
        _l("That has changed"),
        _l("Things are not as they were any more. Reload the page and try again."),
    ),
    413: (_l("Too much"), _l("That is larger than we accept.")),
    422: (_l("Not quite"), _l("Something in that request cannot be accepted.")),
    429: (_l("A little slower, please"), _l("That was too often. Please wait a moment.")),
    500: (
        _l("Our mistake"),
        _l("Something broke on our side. We have noted it; please try again."),
    ),
    503: (_l("Back in a moment"), _l("We cannot answer right now. Please try again in a moment.")),
}


def init(app: Flask) -> None:
    """Gives templates their globals and filters, and errors their page."""
    Babel(
        app, locale_selector=lambda: preferences.language().locale
    ).domain_instance = CatalogDomain()
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(
        short_time=short_time,
        styled_time=styled_time,
        full_date=full_date,
        iso_time=iso_time,
        format_number=format_number,
        segments=segments,
        tag_name=parser.tag_name,
        href=parser.href,
        display_url=display_url,
        identicon=identicon,
        picture_url=media.picture_url,
    )
    app.jinja_env.globals["languages"] = tuple(preferences.LANGUAGES.values())
    app.context_processor(template_context)
    app.after_request(_add_content_language)
    app.add_url_rule("/robots.txt", view_func=robots)
    app.register_error_handler(Refused, _handle_refused)
    app.register_error_handler(HTTPException, _handle_http_error)
    if not app.debug:
        app.register_error_handler(Exception, _handle_exception)


def template_context() -> dict[str, object]:
    """What every template may use."""
    is_page_view = request.method in ("GET", "HEAD") and request.endpoint is not None
    return {
        "viewer": g.get("viewer"),
        "language": preferences.language(),
        "signups": config().signup,
        "theme": preferences.theme(),
        # The page that a change of preferences comes back to: one that was asked for, not the answer to a form.
        "return_path": request.full_path.rstrip("?") if is_page_view else "",
        "canonical": request.base_url if is_page_view and not request.args else "",
    }


@storeless
def robots() -> tuple[str, dict[str, str]]:
    """What crawlers may read: pages, but nobody's settings."""
    rules = "User-agent: *\nDisallow: /settings\n"
    return rules, {
        "Content-Type": "text/plain; charset=utf-8",
        "Cache-Control": "public, max-age=86400",
    }


def short_time(moment: datetime) -> str:
    """A past moment in few characters, the same for every reader: today's time (UTC), else the date, with its year
    when that is another one. The browser turns it into the reader's own.
    """
    now, moment = datetime.now(UTC), moment.astimezone(UTC)
    same_day, same_year = moment.date() == now.date(), moment.year == now.year
    return styled_time(
        moment, TODAY_STYLE if same_day else THIS_YEAR_STYLE if same_year else OLDER_STYLE
    )


def styled_time(moment: datetime, style: str) -> str:
    """A moment (UTC) in one of the styles that `short_time` chooses from."""
    return _format_skeleton(moment, style, str(get_locale())) + (
        " UTC" if style == TODAY_STYLE else ""
    )


def iso_time(moment: datetime) -> str:
    """A moment as HTML's `datetime` takes it."""
    return moment.isoformat(timespec="milliseconds")


def full_date(moment: datetime) -> str:
    """A moment in full, in the reader's language."""
    return _full_date(moment, str(get_locale()))


def format_number(number: int) -> str:
    """A count in few characters: 1.2K."""
    return format_compact_decimal(
        number, locale=get_locale(), fraction_digits=1 if number >= 1000 else 0
    )


def display_url(url: str) -> str:
    """A link as it is read: without its scheme, but never without its host."""
    return url[match.end() :] if (match := SCHEME_PATTERN.match(url)) else url


class LinkedText(Protocol):
    """Anything with a text and the entities found in it."""

    @property
    def text(self) -> str: ...

    @property
    def entities(self) -> tuple[Entity, ...]: ...


def segments(status: LinkedText) -> Iterator[tuple[str, Entity | None]]:
    """A status's text cut into plain runs and entities."""
    return iter(parser.segments(status.text, status.entities))


@lru_cache(10_000)  # a timeline shows the same moments to everybody, and Babel takes long over one
def _full_date(moment: datetime, locale: str) -> str:
    # A narrow space that is no ASCII would make every text it stands in twice as large in memory.
    return str(format_datetime(moment, "long", tzinfo=UTC, locale=locale)).replace("\u202f", " ")


@lru_cache(10_000)
def _format_skeleton(moment: datetime, skeleton: str, locale: str) -> str:
    return format_skeleton(skeleton, moment, locale=locale)


def error_page(
    status: int, sentence: object = "", retry_after: int | None = None
) -> tuple[str, int, dict[str, str]]:
    """The page of an error, with its headers."""
    title, default_sentence = TITLES.get(status, TITLES[500 if status >= 500 else 400])
    page = render_template(
        "error.html",
        status=status,
        title=title,
        sentence=sentence or default_sentence,
        retry_after=retry_after,
        request_id=request_id.get(),
    )
    headers = {"Cache-Control": "no-store"}
    if retry_after:
        headers["Retry-After"] = str(retry_after)
    return page, status, headers


def _add_content_language(response: Response) -> Response:
    if response.mimetype == "text/html":
        response.headers.setdefault("Content-Language", preferences.language().tag)
        vary(response, "Accept-Language")
    return response


def _handle_refused(error: Refused) -> tuple[str, int, dict[str, str]]:
    return error_page(error.status, error.sentence, error.retry_after)


def _handle_http_error(error: HTTPException) -> tuple[str, int, dict[str, str]]:
    if isinstance(
        error, BadHost | SecurityError
    ):  # no page can be drawn: its links would need the host
        return (
            f"{TITLES[400][1]}\n",
            400,
            {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"},
        )
    page, status, headers = error_page(error.code or 500)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return page, status, headers


def _handle_exception(error: Exception) -> tuple[str, int, dict[str, str]]:
    log.error("%s %s failed", request.method, quote(request.path), exc_info=error)
    return error_page(InternalServerError.code)
