"""Confirm to the page's script which form arrived, so that it drops the text that it kept.

static/js/core/kept-text.js names each submission in a field `kept`. A view that accepts a form
answers with 303, and that response sets a cookie with the name. The script reads it.
"""

import re
from typing import Final

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from webapp.core.web import unwrap

SENT_COOKIE: Final = "linnet_sent"
NAME_PATTERN = re.compile(r"[\w-]{1,40}\Z", re.ASCII)


def init(app: Flask) -> None:
    """Confirm the forms of an app."""
    app.after_request(_confirm)


def _confirm(response: Response) -> Response:
    current_request = unwrap(request)
    if response.status_code != 303 or current_request.method != "POST" or not g.get("viewer"):
        return response
    try:
        name = current_request.form.get("kept", "")
    except HTTPException:  # too large or incomplete, and the view did not ask for it
        return response
    if NAME_PATTERN.match(name):
        response.set_cookie(SENT_COOKIE, name, samesite="Lax", secure=current_request.is_secure)
    return response
