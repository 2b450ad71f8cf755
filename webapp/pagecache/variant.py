"""Which kept page a visitor's request may be answered with: its path, and everything else that makes a difference.

The app renders such a page from `Wanted.environ` and nothing else. What is not in here cannot change the page, so that
no header, cookie or parameter of one visitor gets into what another one sees.
"""

from __future__ import annotations

import io
import re
import sys
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header
from werkzeug.sansio.http import parse_cookie  # the one that requests use: it takes any bytes

from webapp.core.i18n.preferences import LANGUAGE_COOKIE, THEME_COOKIE, THEMES, negotiate_language
from webapp.core.rendering.compression import ENCODINGS, negotiate_encoding
from webapp.core.web.context import SHARED_PAGE

from .decorators import CacheHints

Environ = dict[str, Any]
MEMBER_COOKIES = {
    "linnet",
    "linnet_form",
}  # of whoever is, or has just been, more to us than a visitor
PATH_PATTERN = re.compile(r"/[\w@/.-]{0,199}\Z")
SITE_PATTERN = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?\Z", re.ASCII)
KEY_LENGTH_MAX = 2_000  # characters of a path and of what distinguishes its variants; longer requests go past the cache


@dataclass(frozen=True)
class CacheKey:
    """One variant of one path. `plain`: the client takes no compressed body."""

    path: str
    query: str
    site: str  # scheme and host
    language: str
    theme: str
    encoding: str  # of the body that is kept
    uncompressed: bool

    @cached_property
    def variant(self) -> str:
        """Its name among the pages of the path."""
        return f"{self.site}?{self.query} {self.language} {self.theme} {self.encoding}"

    @cached_property
    def param_names(self) -> frozenset[str]:
        """The parameters that are given."""
        return frozenset(name for name, _ in parse_qsl(self.query, keep_blank_values=True))

    def to_environ(self, hints: CacheHints) -> Environ:
        """The request that everybody makes who wants this."""
        scheme, _, host = self.site.partition("://")
        theme = f"; {THEME_COOKIE}={self.theme}" if self.theme else ""
        return {
            "REQUEST_METHOD": "GET",
            "SCRIPT_NAME": "",
            "PATH_INFO": self.path.encode().decode("latin-1"),
            "QUERY_STRING": self.query,
            "SERVER_NAME": "visitors",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": host,
            "HTTP_COOKIE": f"{LANGUAGE_COOKIE}={self.language}{theme}",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": scheme,
            "wsgi.input": io.BytesIO(),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
            SHARED_PAGE: hints,
        }


def cache_key(environ: Environ, site: str = "") -> CacheKey | None:
    """What a request may be answered with, or None: it is no visitor's, or so odd that its answer is its own. `site`:
    the only address that pages are kept for, if there is one.
    """
    if environ["REQUEST_METHOD"] not in ("GET", "HEAD") or environ.get("SCRIPT_NAME"):
        return None
    get = environ.get
    parts = (
        environ["PATH_INFO"],
        get("QUERY_STRING", ""),
        f"{environ['wsgi.url_scheme']}://{get('HTTP_HOST', '')}",
        get("HTTP_COOKIE", ""),
        get("HTTP_ACCEPT_LANGUAGE", ""),
        get("HTTP_ACCEPT_ENCODING", ""),
    )
    return _cache_key(*parts, site) if sum(map(len, parts)) <= KEY_LENGTH_MAX else None


@lru_cache(2_048)
def _cache_key(
    path: str, query: str, origin: str, cookie: str, languages: str, encodings: str, site: str
) -> CacheKey | None:
    path = _decode_path(path)
    if not PATH_PATTERN.match(path) or not SITE_PATTERN.match(origin) or (site and site != origin):
        return None
    cookies = parse_cookie(cookie)
    if not MEMBER_COOKIES.isdisjoint(cookies) or not query.isascii():
        return None
    pairs = parse_qsl(query, keep_blank_values=True, errors="werkzeug.url_quote") if query else []
    if len({name for name, _ in pairs}) < len(pairs) or any(
        name.startswith("_") for name, _ in pairs
    ):
        return None
    theme = cookies.get(THEME_COOKIE, "")
    encoding = negotiate_encoding(encodings)
    return CacheKey(
        path=path,
        query=urlencode(sorted(pairs)),
        site=origin,
        language=negotiate_language(
            cookies.get(LANGUAGE_COOKIE, ""), parse_accept_header(languages, LanguageAccept)
        ).code,
        theme=theme if theme in THEMES else "",
        encoding=encoding or ENCODINGS[-1],
        uncompressed=not encoding,
    )


def _decode_path(path: str) -> str:
    """A path of a WSGI environ as it is read; nothing where it is no UTF-8."""
    try:
        return path.encode("latin-1").decode()
    except UnicodeError:
        return ""
