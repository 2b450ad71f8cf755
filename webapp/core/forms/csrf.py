"""Flask's signed cookie, which holds what form tokens are made of, and notices; and these tokens."""

from __future__ import annotations

import time
from functools import lru_cache
from hmac import compare_digest

from flask import Flask, Request, Response, current_app, g, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from flask_wtf.csrf import generate_csrf
from itsdangerous import BadSignature, URLSafeTimedSerializer
from itsdangerous.encoding import base64_encode

from webapp.core.web.context import unwrap

CSRF_FIELD, CSRF_SALT = "csrf_token", "wtf-csrf-token"  # as Flask-WTF has them
CACHED_COOKIES_MAX = 4_096  # cookies that a process keeps as it read them
HOUR_SECONDS = 3_600  # seconds after which one is looked at anew: it may be too old by then


class CachedSessionInterface(SecureCookieSessionInterface):
    """How it is read and written; Secure whenever the page came by https."""

    def __init__(self, app: Flask) -> None:
        self._serializer = super().get_signing_serializer(
            app
        )  # to make one takes as long as to sign
        self._max_age = int(app.permanent_session_lifetime.total_seconds())
        self._cached_read = lru_cache(CACHED_COOKIES_MAX)(self._read)

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        return self._serializer

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        cookies, name = request.cookies, self.get_cookie_name(app)
        try:
            return self.session_class(
                self._cached_read(cookies[name], int(time.time()) // HOUR_SECONDS)
                if name in cookies
                else None
            )
        except BadSignature:
            return super().open_session(app, request)

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        if self.should_set_cookie(
            app, session
        ):  # that it depends on the cookie is said of every page (security.py)
            super().save_session(app, session, response)

    def _read(self, cookie: str, _hour: int) -> dict[str, str]:
        """What a cookie holds whose signature is right, if that is words alone: who is given it can change none of
        them. Raises BadSignature for all others, of which none is kept.
        """
        payload = self._serializer.loads(cookie, max_age=self._max_age) if self._serializer else {}
        if not all(isinstance(one, str) for one in payload.values()):
            raise BadSignature("holds more than words")
        return dict(payload)


def init(app: Flask) -> None:
    """Gives an app its cookie, and its templates their tokens."""
    app.session_interface = CachedSessionInterface(app)
    app.jinja_env.globals[CSRF_FIELD] = csrf_token
    app.extensions["linnet.form_signer"] = URLSafeTimedSerializer(
        app.secret_key or "", CSRF_SALT
    ).make_signer(CSRF_SALT)


def csrf_token() -> str:
    """The token of this request's forms: Flask-WTF's, which it would make a signer for each time."""
    form_session, request_g = unwrap(session), unwrap(g)
    if CSRF_FIELD in form_session and CSRF_FIELD not in request_g:
        payload = base64_encode(f'"{form_session[CSRF_FIELD]}"')
        setattr(
            request_g,
            CSRF_FIELD,
            unwrap(current_app).extensions["linnet.form_signer"].sign(payload).decode(),
        )
    return str(request_g.get(CSRF_FIELD) or generate_csrf())


def is_valid_token(token: str | None) -> bool:
    """Whether this is a token of the forms of whoever asks, looked at with the same signer."""
    form_session = unwrap(session)
    if not token or CSRF_FIELD not in form_session:
        return False
    try:
        payload = unwrap(current_app).extensions["linnet.form_signer"].unsign(token)
    except BadSignature:
        return False
    return compare_digest(payload, base64_encode(f'"{form_session[CSRF_FIELD]}"'))
