"""The cookie that says who a browser is signed in as."""

from __future__ import annotations

from flask import request
from werkzeug.wrappers import Response

from webapp.core.web.context import config

from .store import COOKIE_NAME


def set_session_cookie(response: Response, value: str) -> Response:
    """Sets the cookie on a response."""
    response.set_cookie(
        COOKIE_NAME,
        value,
        max_age=config().session_days * 86_400,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure,
    )
    return response


def clear_session_cookie(response: Response) -> Response:
    """Removes the cookie."""
    response.delete_cookie(COOKIE_NAME, samesite="Lax", httponly=True, secure=request.is_secure)
    return response
