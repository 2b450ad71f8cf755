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

from .app import bound

FIELD, SALT = "csrf_token", "wtf-csrf-token"  # as Flask-WTF has them
KEPT_MAX = 4_096  # cookies that a process keeps as it read them
HOUR = 3_600  # seconds after which one is looked at anew: it may be too old by then


class FormCookie(SecureCookieSessionInterface):
    """How it is read and written; Secure whenever the page came by https."""

    def __init__(self, app: Flask) -> None:
        self._signer = super().get_signing_serializer(app)  # to make one takes as long as to sign
        self._most = int(app.permanent_session_lifetime.total_seconds())
        self._known = lru_cache(KEPT_MAX)(self._read)

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        return self._signer

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        cookies, name = request.cookies, self.get_cookie_name(app)
        try:
            return self.session_class(self._known(cookies[name], int(time.time()) // HOUR) if name in cookies else None)
        except BadSignature:
            return super().open_session(app, request)

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        if self.should_set_cookie(app, session):  # that it depends on the cookie is said of every page (security.py)
            super().save_session(app, session, response)

    def _read(self, cookie: str, _hour: int) -> dict[str, str]:
        """What a cookie holds whose signature is right, if that is words alone: who is given it can change none of
        them. Raises BadSignature for all others, of which none is kept.
        """
        held = self._signer.loads(cookie, max_age=self._most) if self._signer else {}
        if not all(isinstance(one, str) for one in held.values()):
            raise BadSignature("holds more than words")
        return dict(held)


def init(app: Flask) -> None:
    """Gives an app its cookie, and its templates their tokens."""
    app.session_interface = FormCookie(app)
    app.jinja_env.globals[FIELD] = form_token
    app.extensions["linnet.form_signer"] = URLSafeTimedSerializer(app.secret_key or "", SALT).make_signer(SALT)


def form_token() -> str:
    """The token of this request's forms: Flask-WTF's, which it would make a signer for each time."""
    held, own = bound(session), bound(g)
    if FIELD in held and FIELD not in own:
        payload = base64_encode(f'"{held[FIELD]}"')
        setattr(own, FIELD, bound(current_app).extensions["linnet.form_signer"].sign(payload).decode())
    return str(own.get(FIELD) or generate_csrf())


def is_token(given: str | None) -> bool:
    """Whether this is a token of the forms of whoever asks, looked at with the same signer."""
    held = bound(session)
    if not given or FIELD not in held:
        return False
    try:
        payload = bound(current_app).extensions["linnet.form_signer"].unsign(given)
    except BadSignature:
        return False
    return compare_digest(payload, base64_encode(f'"{held[FIELD]}"'))
