"""A visitor's preferences, from cookies: they hold before and after a sign-in."""

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from flask import g, has_request_context, request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from webapp.core.store.caches.recording import changes_at
from webapp.core.web import config, unwrap

LANGUAGE_COOKIE = "linnet_lang"
THEME_COOKIE = "linnet_theme"
LINK_CARDS_COOKIE = "linnet_link_cards"
JOIN_COOKIE = "linnet_join"
MORE_COOKIE = "linnet_more"
COUNTS_COOKIE = "linnet_counts"
ANNOUNCEMENT_COOKIE = "linnet_announcement"  # the id of the one that was closed
THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Language:
    """A language of the site."""

    code: str  # in the cookie, and the first part of browsers' requests
    tag: str  # BCP 47, for the page
    locale: str  # for Babel
    name: str  # in the language itself


ENGLISH = Language("en", "en", "en", "English")
CHINESE = Language("zh", "zh-Hans", "zh_Hans_CN", "简体中文")
LANGUAGES = {language.code: language for language in (ENGLISH, CHINESE)}


def language() -> Language:
    """Return the language of this request: the chosen one, or the first that the browser accepts.

    English outside of requests, as on the command line.
    """
    if not has_request_context():
        return ENGLISH
    request_g = unwrap(g)
    cached = request_g.get("language")  # a page needs it many times
    if cached is None:
        accept_language = unwrap(request).environ.get("HTTP_ACCEPT_LANGUAGE", "")
        default = config().default_language
        cached = _negotiate_cached(_cookie(LANGUAGE_COOKIE), accept_language, default)
        request_g.language = cached
    return cast(Language, cached)


def negotiate_language(chosen_code: str, accepted: LanguageAccept, default: str) -> Language:
    """Return the language of a code; without one of ours, the best that is accepted.

    `default`: the code of the language for readers who accept neither.
    """
    if chosen_code in LANGUAGES:
        return LANGUAGES[chosen_code]
    for tag, quality in accepted:  # the best first
        primary_subtag = tag.replace("_", "-").split("-")[0].lower()
        if quality > 0 and primary_subtag in LANGUAGES:
            return LANGUAGES[primary_subtag]
    return LANGUAGES[default]


def theme() -> str:
    """Return the chosen theme, or "" to follow the reader's system."""
    chosen = _cookie(THEME_COOKIE)
    return chosen if chosen in THEMES else ""


def link_cards() -> str:
    """Return "off" if link cards are hidden, otherwise ""."""
    return off_or_nothing(_cookie(LINK_CARDS_COOKIE))


def counts() -> str:
    """Return "off" if the numbers of likes and the like are hidden, otherwise ""."""
    return off_or_nothing(_cookie(COUNTS_COOKIE))


def join_prompt() -> str:
    """Return "off" if the visitor has closed the invitation to join, otherwise ""."""
    return off_or_nothing(_cookie(JOIN_COOKIE))


def announcement() -> str:
    """Return the announcement above this page, "" if there is none, or the reader closed it."""
    settings = config()
    text = settings.announcement(language().code, time.time())
    if text:
        changes_at(settings.announcement_end)
    is_closed = bool(text) and _cookie(ANNOUNCEMENT_COOKIE) == settings.announcement_id
    return "" if is_closed else text


def more_menu() -> str:
    """Return "off" if the member has hidden "More" from the navigation, otherwise ""."""
    return off_or_nothing(_cookie(MORE_COOKIE))


def appearance() -> tuple[str, ...]:
    """Return all preferences that change a page."""
    switches = link_cards(), counts(), join_prompt(), more_menu()
    return language().code, theme(), *switches, announcement()


def off_or_nothing(chosen: str) -> str:
    """Return "off" or "", the value of a preference that hides something, for that of a cookie."""
    return "off" if chosen == "off" else ""


def _cookie(name: str) -> str:
    # `get` would raise and catch an error inside Werkzeug for each cookie that is missing.
    cookies = unwrap(request).cookies
    return str(cookies[name]) if name in cookies else ""


@lru_cache(256)  # browsers differ in few ways
def _negotiate_cached(chosen_code: str, accept_language: str, default: str) -> Language:
    accepted = parse_accept_header(accept_language, LanguageAccept)
    return negotiate_language(chosen_code, accepted, default)
