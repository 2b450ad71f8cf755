"""The language and the theme of a visitor: kept in cookies, so that they hold before and after a sign-in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from flask import Blueprint, g, has_request_context, request, url_for
from flask_babel import gettext as _
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header
from werkzeug.wrappers import Response

from webapp.core.web.security import csrf, public, redirect_back
from webapp.errors import Forbidden, Invalid

bp = Blueprint("preferences", __name__)
LANGUAGE_COOKIE, THEME_COOKIE = "linnet_lang", "linnet_theme"
YEAR_SECONDS = 31_536_000  # seconds


@dataclass(frozen=True, slots=True)
class Language:
    """A language the site speaks."""

    code: str  # as it is chosen, and the first part of what browsers ask for
    tag: str  # BCP 47, for the page
    locale: str  # for Babel
    name: str  # in the language itself


ENGLISH = Language("en", "en", "en", "English")
CHINESE = Language("zh", "zh-Hans", "zh_Hans_CN", "简体中文")
LANGUAGES = {one.code: one for one in (ENGLISH, CHINESE)}
THEMES = ("light", "dark")


def language() -> Language:
    """The language of this request: the chosen one, else the first we speak of those the browser asks for. English
    where nobody asks, as on the command line.
    """
    if not has_request_context():
        return ENGLISH
    cached = g.get("language")  # asked for many times a page
    if cached is None:
        cached = g.language = _negotiate_cached(
            _cookie(LANGUAGE_COOKIE), request.headers.get("Accept-Language", "")
        )
    return cast(Language, cached)


def negotiate_language(chosen_code: str, accepted: LanguageAccept) -> Language:
    """The language of this code or, where there is none, the first we speak of those that are accepted."""
    if chosen_code in LANGUAGES:
        return LANGUAGES[chosen_code]
    for tag, quality in accepted:  # the best first
        candidate = LANGUAGES.get(tag.replace("_", "-").split("-")[0].lower())
        if candidate and quality > 0:
            return candidate
    return ENGLISH


def theme() -> str:
    """The chosen theme, or nothing where the page is to look as the system does."""
    chosen = _cookie(THEME_COOKIE)
    return chosen if chosen in THEMES else ""


@bp.post("/preferences")
@csrf.exempt  # type: ignore[untyped-decorator]  # a token would give every visitor a cookie, and no cache a page
@public
def choose() -> Response:
    """Keeps a language, a theme or both, and goes back to the page they were chosen on."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise Forbidden("elsewhere", _("That came from another site."))
    chosen_language, chosen_theme = request.form.get("language"), request.form.get("theme")
    if chosen_language is None and chosen_theme is None:
        raise Invalid("preference", _("Choose a language or a theme."))
    if chosen_language is not None and chosen_language not in LANGUAGES:
        raise Invalid("preference", _("We do not speak that language yet."))
    if chosen_theme is not None and chosen_theme not in ("system", *THEMES):
        raise Invalid("preference", _("There is no such theme."))
    response = redirect_back(url_for("timelines.index"))
    if chosen_language is not None:
        _set_cookie(response, LANGUAGE_COOKIE, chosen_language)
    if chosen_theme == "system":
        response.delete_cookie(
            THEME_COOKIE, samesite="Lax", httponly=True, secure=request.is_secure
        )
    elif chosen_theme is not None:
        _set_cookie(response, THEME_COOKIE, chosen_theme)
    return response


def _cookie(name: str) -> str:
    cookies = request.cookies
    return (
        str(cookies[name]) if name in cookies else ""
    )  # to look for what is not there takes it long


@lru_cache(256)  # there are few kinds of browsers
def _negotiate_cached(chosen_code: str, accept_language: str) -> Language:
    return negotiate_language(chosen_code, parse_accept_header(accept_language, LanguageAccept))


def _set_cookie(response: Response, cookie: str, value: str) -> None:
    response.set_cookie(
        cookie, value, max_age=YEAR_SECONDS, httponly=True, samesite="Lax", secure=request.is_secure
    )
