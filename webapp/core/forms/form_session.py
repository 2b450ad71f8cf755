"""Flask's signed cookie: it holds the secret of form tokens, and notices for the next page.

Flask makes a signer for each request, which takes as long as to sign, and a browser sends the same
cookie each time. So one signer and the last cookies are cached (docs/performance.md).
"""

import time
from functools import lru_cache
from typing import Any

from flask import Flask, Request, Response, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature, SignatureExpired, TimestampSigner, URLSafeTimedSerializer

from webapp.core.web.context import HOST_PREFIX

CACHED_COOKIES_MAX = 4_096  # cookies of one process
HOUR_SECONDS = 3_600  # a cached cookie is checked again every hour: it may be too old


class SkewTolerantSigner(TimestampSigner):
    """Signs with the time, and accepts what a machine signed whose clock is ahead.

    A redirect may lead to a machine that is a second behind, where the notice must still be shown.
    """

    def unsign(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().unsign(*args, **kwargs)
        except SignatureExpired as error:
            if error.date_signed and error.date_signed.timestamp() > self.get_timestamp():
                return super().unsign(*args, **{**kwargs, "max_age": None})
            raise


class CachedSessionInterface(SecureCookieSessionInterface):
    """Flask's session cookie, with one signer and a cache. Secure when the page came over https."""

    def __init__(self, app: Flask) -> None:
        self._serializer = super().get_signing_serializer(app)
        if self._serializer:
            self._serializer.signer = SkewTolerantSigner
        self._max_age = int(app.permanent_session_lifetime.total_seconds())
        self._cached_read = lru_cache(CACHED_COOKIES_MAX)(self._read)

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        return self._serializer

    def get_cookie_name(self, app: Flask) -> str:
        name = super().get_cookie_name(app)
        return HOST_PREFIX + name if request.is_secure else name

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        cookies, name = request.cookies, self.get_cookie_name(app)
        if name not in cookies:
            return self.session_class()
        try:
            hour = int(time.time()) // HOUR_SECONDS
            return self.session_class(self._cached_read(cookies[name], hour))
        except BadSignature:
            return super().open_session(app, request)

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        # Flask adds `Vary: Cookie` here; security.py says it of every page already.
        if self.should_set_cookie(app, session):
            super().save_session(app, session, response)

    def _read(self, cookie: str, _hour: int) -> dict[str, str]:
        """Return the values of a valid cookie, if all are strings: requests share the result.

        Raises BadSignature for any other cookie; errors are not cached.
        """
        payload = self._serializer.loads(cookie, max_age=self._max_age) if self._serializer else {}
        if not all(isinstance(value, str) for value in payload.values()):
            raise BadSignature("holds more than strings")
        return dict(payload)


def init(app: Flask) -> None:
    """Give an app its session cookie."""
    app.session_interface = CachedSessionInterface(app)
