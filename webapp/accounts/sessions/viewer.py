"""Who makes a request: loading the session of its cookie, before any view runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Response, current_app, g, redirect, request, url_for
from werkzeug.http import parse_cookie as parse_cookie_header
from werkzeug.wrappers import Response as AnyResponse

from webapp.core.store.reads import constant
from webapp.core.web.context import config, db, unwrap
from webapp.core.web.prefetch import page_read, viewer_context_read
from webapp.core.web.view_options import view_options
from webapp.errors import Unavailable

from . import store
from .cookie_value import COOKIE_NAME
from .cookies import clear_session_cookie, set_session_cookie
from .devices import Device

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def load_viewer() -> AnyResponse | None:
    """Set `g.viewer` and `g.session`. Redirect visitors to the sign-in unless the view is public.

    Runs before every request.
    """
    request_g, current_request = unwrap(g), unwrap(request)
    endpoint = current_request.endpoint
    view = unwrap(current_app).view_functions.get(endpoint or "")
    options = view_options(view)
    request_g.viewer = None
    if endpoint == "static" or options.storeless:
        return None
    request_g.session = None
    cookie = current_request.cookies.get(COOKIE_NAME)
    if cookie:
        _load_session(cookie, view)
    if request_g.viewer or endpoint is None or options.public:
        return None
    return _redirect_to_sign_in()


def refresh_session_cookie(response: Response) -> Response:
    """Extend the cookie of a session that was just extended. Clear it if it has no session.

    Runs after every request.
    """
    cookie, request_g = request.cookies.get(COOKIE_NAME), unwrap(g)
    if not cookie or _sets_session_cookie(response):
        return response
    if request_g.get("session"):
        if request_g.session.touched:
            set_session_cookie(response, cookie)
    elif "session" in request_g and response.status_code < 500:
        clear_session_cookie(response)
    return response


def current_device() -> Device:
    """Return the device that makes this request."""
    current_request = unwrap(request)
    user_agent = current_request.headers.get("User-Agent", "")
    return Device(current_request.remote_addr or "", user_agent)


def is_member(app: Flask, environ: WSGIEnvironment) -> bool:
    """Return True if a request's cookie has a session. One trip; False if the store is down."""
    cookie = parse_cookie_header(environ.get("HTTP_COOKIE", "")).get(COOKIE_NAME, "")
    extensions = app.extensions
    try:
        session = store.load(extensions["linnet.db"], extensions["linnet.config"], cookie)
    except Unavailable:
        return False
    return session is not None


def _load_session(cookie: str, view: object) -> None:
    """Read the session with what the page prefetches and shows of its viewer. One trip."""
    requester = store.requester(cookie)
    if requester is None or requester.uid is None:
        return
    request_g, is_page = unwrap(g), unwrap(request).method in ("GET", "HEAD")
    context = viewer_context_read(unwrap(current_app), requester.uid) if is_page else constant({})
    page = page_read(view, requester, unwrap(request).view_args or {})
    request_g.session, viewer_context, prefetched = db().fetch(
        store.session(config(), cookie, current_device()),
        context.deferred(),
        (page or constant(None)).deferred(),
    )
    if request_g.session:
        request_g.viewer = request_g.session.member
        if is_page:
            request_g.viewer_context = viewer_context()
        if page:
            request_g.prefetched = prefetched


def _redirect_to_sign_in() -> AnyResponse:
    """Redirect to the sign-in, which leads back to this page if it can be shown again."""
    current_request = unwrap(request)
    is_page = current_request.method in ("GET", "HEAD")
    next_url = current_request.full_path.rstrip("?") if is_page else None
    return redirect(url_for("accounts.login", next=next_url), 303)


def _sets_session_cookie(response: Response) -> bool:
    cookies = response.headers.getlist("Set-Cookie")
    return any(cookie.split("=")[0] == COOKIE_NAME for cookie in cookies)
