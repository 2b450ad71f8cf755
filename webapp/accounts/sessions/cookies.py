"""Setting and clearing the session cookie, and the one that names its session to scripts.

The latter lets a page that the browser kept find out whether its session is still the current one
(static/js/core/session.js). It opens nothing.
"""

from __future__ import annotations

from flask import request
from werkzeug.wrappers import Response

from webapp.core.web.context import config

from .cookie_value import COOKIE_NAME, sha_of

VIEWER_COOKIE = "linnet_viewer"


def session_name(cookie: str) -> str:
    """Return the name of a cookie's session, "" for no cookie."""
    return sha_of(cookie)[:16] if cookie else ""


def set_session_cookie(response: Response, value: str) -> Response:
    """Set both cookies on a response, and return it."""
    for name, content in ((COOKIE_NAME, value), (VIEWER_COOKIE, session_name(value))):
        response.set_cookie(
            name,
            content,
            max_age=config().session_days * 86_400,
            httponly=name == COOKIE_NAME,
            samesite="Lax",
            secure=request.is_secure,
        )
    return response


def clear_session_cookie(response: Response) -> Response:
    """Remove both cookies, and return the response."""
    for name in (COOKIE_NAME, VIEWER_COOKIE):
        response.delete_cookie(name, samesite="Lax", httponly=True, secure=request.is_secure)
    return response
