"""The value of the session cookie: `uid.token`, the token 256 random bits.

Only the token's SHA-256 is stored.
"""

import hashlib
from functools import lru_cache

from webapp.core.store import parse_id
from webapp.core.web.context import SESSION_COOKIE

COOKIE_NAME = SESSION_COOKIE
COOKIE_MAX = 99  # characters
PARSED_MAX = 4_096  # cookies that a process has parsed: a request asks for its own several times


def parse_cookie(cookie: str) -> tuple[int | None, str]:
    """Return (uid, sha of the token). The uid is None if the cookie is malformed."""
    return _parse(cookie) if len(cookie) <= COOKIE_MAX else (None, "")


def sha_of(cookie: str) -> str:
    """Return the sha that a cookie's session is stored under."""
    return parse_cookie(cookie)[1]


def sha256(token: str) -> str:
    """Return the SHA-256 of a token, in hex."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


@lru_cache(PARSED_MAX)
def _parse(cookie: str) -> tuple[int | None, str]:
    uid_text, _, token = cookie.partition(".")
    return parse_id(uid_text), sha256(token)
