"""Compute the cache key of a visitor's request: the path, and all that the page depends on.

The app renders such a page from `CacheKey.to_environ` and nothing else. So no header, cookie or
parameter of one visitor gets into the page of another.
"""

import io
import re
import sys
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header
from werkzeug.sansio.http import parse_cookie  # as Werkzeug's requests do: it takes any bytes

from webapp.core.i18n.preferences import (
    ANNOUNCEMENT_COOKIE,
    ENGLISH,
    JOIN_COOKIE,
    LANGUAGE_COOKIE,
    LINK_CARDS_COOKIE,
    THEME_COOKIE,
    THEMES,
    negotiate_language,
    off_or_nothing,
)
from webapp.core.rendering.compression import ENCODINGS, negotiate_encoding
from webapp.core.web.context import HOST_PREFIX, SESSION_COOKIES, SHARED_PAGE

from .decorators import CacheHints

Environ = dict[str, Any]
# The senders of these cookies may get another page.
MEMBER_COOKIES = frozenset({*SESSION_COOKIES, "linnet_form", f"{HOST_PREFIX}linnet_form"})
# Flask reads `//a` as `/a`, and events drop the pages of `/a` alone.
PATH_PATTERN = re.compile(r"/(?!/)[\w@/.-]{0,199}\Z")
SITE_PATTERN = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?\Z", re.ASCII)
KEY_LENGTH_MAX = 2_000  # characters of all that a key is made of; a longer request is not cached


@dataclass(frozen=True)
class CacheKey:
    """One variant of one path. `uncompressed`: the client takes no compressed body."""

    path: str
    query: str  # its parameters sorted
    site: str  # scheme and host
    language: str  # code
    theme: str
    encoding: str  # of the cached body
    uncompressed: bool
    link_cards: str = ""  # "off" if they are hidden
    join: str = ""  # "off" if the invitation to join is closed
    settings: str = ""  # their version, and the id of the announcement, if they were changed
    closed: str = ""  # id of the announcement if it is closed

    @cached_property
    def variant(self) -> str:
        """Return the variant's name among the pages of the path."""
        join = f" join-{self.join}" if self.join else ""
        settings = f" {self.settings} {self.closed}" if self.settings else ""
        appearance = f"{self.language} {self.theme}{self.link_cards}{join}{settings}"
        return f"{self.site}?{self.query} {appearance} {self.encoding}"

    @cached_property
    def param_names(self) -> frozenset[str]:
        """Return the names of the query's parameters."""
        return frozenset(name for name, _ in parse_qsl(self.query, keep_blank_values=True))

    def to_environ(self, hints: CacheHints) -> Environ:
        """Return the WSGI request that this page is rendered for, the same for all visitors."""
        scheme, _, host = self.site.partition("://")
        chosen = (
            (THEME_COOKIE, self.theme),
            (LINK_CARDS_COOKIE, self.link_cards),
            (JOIN_COOKIE, self.join),
            (ANNOUNCEMENT_COOKIE, self.closed),
        )
        cookies = "".join(f"; {name}={value}" for name, value in chosen if value)
        return {
            "REQUEST_METHOD": "GET",
            "SCRIPT_NAME": "",
            "PATH_INFO": self.path.encode().decode("latin-1"),
            "QUERY_STRING": self.query,
            "SERVER_NAME": "visitors",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": host,
            "HTTP_COOKIE": f"{LANGUAGE_COOKIE}={self.language}{cookies}",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": scheme,
            "wsgi.input": io.BytesIO(),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
            SHARED_PAGE: hints,
        }


class Shared(NamedTuple):
    """The state that pages share for all visitors: the settings' version, the announcement's id.

    `language`: the code of the one for readers who accept none of ours.
    """

    settings: str = ""
    announcement: str = ""
    language: str = ENGLISH.code


def cache_key(environ: Environ, site: str, shared: Shared) -> CacheKey | None:
    """Return the key of a visitor's request. None for members, and for unusual requests.

    `site`: cache pages of this address only, if any is given.
    """
    if environ["REQUEST_METHOD"] not in ("GET", "HEAD") or environ.get("SCRIPT_NAME"):
        return None
    parts = (
        environ["PATH_INFO"],
        environ.get("QUERY_STRING", ""),
        f"{environ['wsgi.url_scheme']}://{environ.get('HTTP_HOST', '')}",
        environ.get("HTTP_COOKIE", ""),
        environ.get("HTTP_ACCEPT_LANGUAGE", ""),
        environ.get("HTTP_ACCEPT_ENCODING", ""),
    )
    return _cache_key(*parts, site, shared) if sum(map(len, parts)) <= KEY_LENGTH_MAX else None


@lru_cache(2_048)
def _cache_key(
    path: str,
    query: str,
    origin: str,
    cookie_header: str,
    accept_language: str,
    accept_encoding: str,
    site: str,
    shared: Shared,
) -> CacheKey | None:
    path = _decode_path(path)
    cookies, sorted_query = parse_cookie(cookie_header), _sort_query(query)
    if not PATH_PATTERN.match(path) or sorted_query is None:
        return None
    if not SITE_PATTERN.match(origin) or (site and site != origin):
        return None
    if not MEMBER_COOKIES.isdisjoint(cookies):
        return None
    accepted = parse_accept_header(accept_language, LanguageAccept)
    chosen = cookies.get(LANGUAGE_COOKIE, "")
    theme = cookies.get(THEME_COOKIE, "")
    encoding = negotiate_encoding(accept_encoding)
    is_closed = cookies.get(ANNOUNCEMENT_COOKIE, "") == shared.announcement
    return CacheKey(
        path=path,
        query=sorted_query,
        site=origin,
        language=negotiate_language(chosen, accepted, shared.language).code,
        theme=theme if theme in THEMES else "",
        link_cards=off_or_nothing(cookies.get(LINK_CARDS_COOKIE, "")),
        join=off_or_nothing(cookies.get(JOIN_COOKIE, "")),
        settings="-".join(filter(None, shared[:2])),
        closed=shared.announcement if is_closed else "",
        encoding=encoding or ENCODINGS[-1],
        uncompressed=not encoding,
    )


def _sort_query(query: str) -> str | None:
    """Return a query with its parameters sorted, None if it is unusual.

    Unusual are characters that are not ASCII, a name twice, and one that begins with `_`.
    """
    if not query:
        return ""
    if not query.isascii():
        return None
    pairs = parse_qsl(query, keep_blank_values=True, errors="werkzeug.url_quote")
    names = {name for name, _ in pairs}
    if len(names) < len(pairs) or any(name.startswith("_") for name in names):
        return None
    return urlencode(sorted(pairs))


def _decode_path(path: str) -> str:
    """Return the text of a WSGI path, "" if it is no UTF-8."""
    try:
        return path.encode("latin-1").decode()
    except UnicodeError:
        return ""
