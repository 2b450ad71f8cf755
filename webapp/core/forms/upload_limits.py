"""Who may send a long body: members, to views that take pictures. Asked before any of it is read, so that nobody else
can hold the few places there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.http import parse_cookie

from webapp.accounts.sessions import store as sessions
from webapp.core.web import security
from webapp.errors import Unavailable

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def body_limit(app: Flask, environ: WSGIEnvironment) -> int:
    """How many bytes the body of this request may have."""
    config, db = app.extensions["linnet.config"], app.extensions["linnet.db"]
    limit = security.body_limit(app, config, environ)
    if limit > config.body_max:
        cookie = parse_cookie(environ.get("HTTP_COOKIE", "")).get(sessions.COOKIE_NAME, "")
        try:
            return limit if sessions.load(db, config, cookie) else config.body_max
        except Unavailable:
            pass
    return int(config.body_max)
