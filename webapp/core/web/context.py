"""Access to the app's store and configuration, for its views."""

from collections.abc import Mapping
from typing import TypeVar

from flask import Flask, current_app, g, request

from webapp.config import Config
from webapp.core.settings.live import LiveSettings
from webapp.core.store import Db, Site

T = TypeVar("T")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
SESSION_COOKIE = "linnet"  # its value is described in accounts/sessions/cookie_value.py
HOST_PREFIX = "__Host-"  # of cookies over https: no other host of the domain can set them
SESSION_COOKIES = (HOST_PREFIX + SESSION_COOKIE, SESSION_COOKIE)
# In the WSGI environ of a request whose response goes to every visitor: the page cache makes it.
SHARED_PAGE = "linnet.shared_page"


def session_cookie(cookies: Mapping[str, str | None], is_secure: bool) -> str:
    """Return the session cookie of a request, "" without one. Over https it has the prefix."""
    return cookies.get(SESSION_COOKIES[not is_secure]) or ""


def own_session_cookie() -> str:
    """Return the session cookie of this request, "" without one."""
    current_request = unwrap(request)
    return session_cookie(current_request.cookies, current_request.is_secure)


def unwrap(proxy: T) -> T:
    """Return the object behind one of Flask's proxies (`g`, `request`, `current_app` …).

    A proxy looks its object up at each use, which costs more than the use itself. Measured: a page
    that reads `g` and `request` some hundred times is 4 % faster with the objects themselves.
    """
    target: T = proxy._get_current_object()  # type: ignore[attr-defined]
    return target


def db() -> Db:
    """Return the store of the current app."""
    store: Db = unwrap(current_app).extensions["linnet.db"]
    return store


def config() -> Config:
    """Return the configuration of the current app, the same one until the request ends."""
    request_g = unwrap(g)
    settings: Config | None = request_g.get("config")
    if settings is None:
        settings = request_g.config = unwrap(current_app).extensions["linnet.config"]
    return settings


def site_address() -> str:
    """Return the public address of the pages, without a slash at its end."""
    return config().site_url.rstrip("/") or request.host_url.rstrip("/")


def site() -> Site:
    """Return the store and the configuration of the current app."""
    return Site(db(), config())


def viewer_uid() -> int | None:
    """Return the uid of the member who asks, None for a visitor."""
    return g.viewer.uid if g.viewer else None


def site_of(app: Flask) -> Site:
    """Return the store and the configuration of an app."""
    return Site(app.extensions["linnet.db"], app.extensions["linnet.config"])


def live_settings() -> LiveSettings:
    """Return the settings of the current app that change while it runs."""
    live: LiveSettings = unwrap(current_app).extensions["linnet.settings"]
    return live


def has_newest_settings() -> bool:
    """Return True unless the settings have changed since this request began."""
    return config() is live_settings().newest


def is_shared_page() -> bool:
    """Return True if the response of this request goes to every visitor."""
    return SHARED_PAGE in unwrap(request).environ


def is_loaded_ahead() -> bool:
    """Return True if a browser asks for a page that nobody may ever see."""
    names = ("Sec-Purpose", "Purpose", "X-Moz")
    return any("prefetch" in request.headers.get(name, "").lower() for name in names)
