"""Display preferences of members: stored with the account, copied to cookies.

Pages read the cookies alone. A browser gets them when its member signs in or chooses.
"""

from collections.abc import Mapping
from contextlib import suppress

from flask import g, request

from webapp.accounts import keys
from webapp.core.errors import Refused
from webapp.core.i18n.preferences import (
    COUNTS_COOKIE,
    LANGUAGE_COOKIE,
    LANGUAGES,
    MORE_COOKIE,
    THEME_COOKIE,
    THEMES,
)
from webapp.core.store import Read, read
from webapp.core.web import Response, consume_for_viewer, db

from .choices import remember

# By field of the user hash.
COOKIES = {
    "language": LANGUAGE_COOKIE,
    "theme": THEME_COOKIE,
    "counts": COUNTS_COOKIE,
    "more_menu": MORE_COOKIE,
}
SYSTEM_THEME = "system"  # as the device
VALUES = {
    "language": (*LANGUAGES,),
    "theme": (SYSTEM_THEME, *THEMES),
    "counts": ("on", "off"),
    "more_menu": ("on", "off"),
}
DEFAULTS = (SYSTEM_THEME, "on")  # values that need no cookie
YEAR_SECONDS = 31_536_000


def stored_display(uid: int) -> Read[dict[str, str]]:
    """Read a member's choices, by the names in COOKIES."""
    return read(
        ("HMGET", keys.user(uid), *COOKIES),
        lambda values: {name: one for name, one in zip(COOKIES, values, strict=True) if one},
    )


def remember_display(chosen: Mapping[str, str]) -> None:
    """Store choices with the viewer's account. One trip, none for visitors.

    The cookies hold them in this browser already, so a failure is ignored.
    """
    if g.viewer and chosen:
        with suppress(Refused):
            consume_for_viewer("edit")
            remember(db(), g.viewer.uid, **chosen)


def set_display_cookies(response: Response, chosen: Mapping[str, str]) -> None:
    """Copy choices to cookies."""
    for name, value in chosen.items():
        if value in DEFAULTS:
            delete_cookie(response, COOKIES[name])
        else:
            set_cookie(response, COOKIES[name], value)


def adopt_display(response: Response, stored: Mapping[str, str]) -> None:
    """Give a browser the choices of the member who signs in, and the account those it lacks.

    One trip if the browser has a choice and the account has not.
    """
    cookies = {name: request.cookies.get(cookie, "") for name, cookie in COOKIES.items()}
    set_display_cookies(response, stored)
    remember_display(
        {
            name: value
            for name, value in cookies.items()
            if value in VALUES[name] and name not in stored
        }
    )


def set_cookie(response: Response, name: str, value: str) -> None:
    """Set a cookie of a preference."""
    response.set_cookie(
        name, value, max_age=YEAR_SECONDS, httponly=True, samesite="Lax", secure=request.is_secure
    )


def delete_cookie(response: Response, name: str) -> None:
    """Delete a cookie of a preference."""
    response.delete_cookie(name, samesite="Lax", httponly=True, secure=request.is_secure)
