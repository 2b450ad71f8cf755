"""Setting and clearing the session cookie."""

from __future__ import annotations

from flask import request
from werkzeug.wrappers import Response

from webapp.core.web.context import config

from .cookie_value import COOKIE_NAME


def set_session_cookie(response: Response, value: str) -> Response:
    """Set the session cookie on a response, and return it."""
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
    """Remove the session cookie, and return the response."""
    response.delete_cookie(COOKIE_NAME, samesite="Lax", httponly=True, secure=request.is_secure)
    return response
