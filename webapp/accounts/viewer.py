"""Load the viewer from a request's session cookie before each view, and refresh the cookie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Flask, Response, current_app, g, redirect, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.http import parse_cookie as parse_cookie_header
from werkzeug.wrappers import Response as AnyResponse

from webapp.core.errors import Forbidden, Unavailable
from webapp.core.forms.csrf import csrf
from webapp.core.forms.refused_forms import refused_form
from webapp.core.metrics.recorder import RECORDER
from webapp.core.net.countries import country_of
from webapp.core.net.proxies import forwarded_scheme
from webapp.core.store import constant
from webapp.core.web import no_store, wants_json
from webapp.core.web.context import (
    SAFE_METHODS,
    SESSION_COOKIES,
    config,
    db,
    own_session_cookie,
    session_cookie,
    site_of,
    unwrap,
)
from webapp.core.web.prefetching import page_read, viewer_context_read
from webapp.core.web.rate_limits import Bucket, view_limit
from webapp.core.web.view_options import view_options

from .email.addresses import notice
from .factors.requirement import require_factor
from .sessions import store
from .sessions.cookie_value import parse_cookie
from .sessions.cookies import (
    VIEWER_COOKIE,
    clear_session_cookie,
    session_name,
    set_session_cookie,
)
from .sessions.devices import Device
from .store import NO_UID
from .tokens import store as tokens

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

ADMIN_RIGHT = "admin"
PASSWORD_ENDPOINTS = {"settings.password", "accounts.logout"}


def load_viewer() -> None:
    """Set `g.viewer`, `g.session` and, with a session, `g.session_name`.

    Runs before every request and before every refusal, which its member sees as a member.
    """
    request_g, current_request = unwrap(g), unwrap(request)
    view = unwrap(current_app).view_functions.get(current_request.endpoint or "")
    request_g.viewer = None
    options = view_options(view)
    if options.storeless or options.anonymous:
        return
    request_g.session = None
    cookie = own_session_cookie()
    if cookie:
        _load_session(cookie, view)


def require_viewer() -> AnyResponse | None:
    """Redirect visitors to the sign-in unless the view is public. Runs before every request.

    Members whose password has to be replaced are redirected to the form for it. Raises Forbidden
    for a form that holds text, which its sender gets back, and for scripts.
    """
    endpoint, request_g = unwrap(request).endpoint, unwrap(g)
    must_change = bool(request_g.viewer and request_g.session.must_change)
    if endpoint is None or (request_g.viewer and not must_change):
        return None
    options = view_options(unwrap(current_app).view_functions.get(endpoint))
    if options.public or options.storeless:
        return None
    if must_change:
        return _lead_to_password(endpoint)
    if refused_form() or (request.method == "POST" and wants_json()):
        raise Forbidden("signed_out")
    return _redirect_to_sign_in()


def require_admin() -> AnyResponse | None:
    """Raise Forbidden for a member without the right `admin`. Visitors are asked to log in before.

    Lead those who lack a second factor that is required to the page that sets one up. Runs before
    the requests of a blueprint; one trip where a factor is required.
    """
    if not g.viewer or request.routing_exception:
        return None
    if ADMIN_RIGHT not in g.viewer.rights:
        raise Forbidden("not_admin")
    return require_factor()


def admin_blueprint(name: str, import_name: str, url_prefix: str | None = None) -> Blueprint:
    """Return a blueprint of pages for admins alone, which are never stored."""
    bp = Blueprint(name, import_name, url_prefix=url_prefix)
    bp.before_request(require_admin)
    bp.after_request(no_store)
    return bp


def refresh_session_cookie(response: Response) -> Response:
    """Extend the cookies of a session that was just extended. Clear them if there is no session.

    Runs after every request.
    """
    request_g, cookies = unwrap(g), unwrap(request).cookies
    if cookies.keys().isdisjoint(SESSION_COOKIES) or _sets_session_cookie(response):
        return response
    if request_g.get("session"):
        is_named = cookies.get(VIEWER_COOKIE) == request_g.session_name
        if request_g.session.touched or not is_named:
            set_session_cookie(response, own_session_cookie())
    elif "session" in request_g and response.status_code < 500:
        clear_session_cookie(response)
    return response


def current_device() -> Device:
    """Return the device that makes this request."""
    current_request = unwrap(request)
    user_agent = current_request.headers.get("User-Agent", "")
    return Device(current_request.remote_addr or "", user_agent)


def count_signup() -> None:
    """Count a new account by the country of this request. No trip."""
    RECORDER.sign_up(country_of(config(), current_device().ip_address))


def current_device_note(notice_kind: str = "", **values: str) -> str:
    """Return the note of the device that makes this request, for the security logs.

    `notice_kind`, `values`: of a notice that the script which writes the note mails to the member.
    """
    note = current_device().note
    return f"{note}\n{notice(config(), notice_kind, **values)}" if notice_kind else note


def uploader(app: Flask, environ: WSGIEnvironment) -> int:
    """Return the uid whose access token or session a request has, a bot's owner's for the bot.

    NO_UID without. The uid that a cookie names if the store is down: a form of a member must come
    back to them. Three trips at most.
    """
    site = site_of(app)
    cookies = parse_cookie_header(environ.get("HTTP_COOKIE", ""))
    cookie = session_cookie(cookies, forwarded_scheme(site.config, environ) == "https")
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    try:
        is_token = scheme.lower() == "bearer"
        found = tokens.holder(site, token.strip()) if is_token else store.load(site, cookie)
    except Unavailable:
        return parse_cookie(cookie)[0] or NO_UID
    member = found and found.member
    return (member.bot_owner or member.uid) if member else NO_UID


def _load_session(cookie: str, view: object) -> None:
    """Read the session, count the view's rate limit, and read the page's prefetch.

    For a page, its values of the viewer too. One trip.
    """
    requester = store.requester(cookie)
    if requester is None or requester.uid is None:
        return
    request_g, is_page = unwrap(g), unwrap(request).method in ("GET", "HEAD")
    context = viewer_context_read(unwrap(current_app), requester.uid) if is_page else constant({})
    page = page_read(view, requester, unwrap(request).view_args or {})
    request_g.session, viewer_context, prefetched = db().fetch(
        store.session(config(), cookie, current_device(), _counted_limit(view)),
        context.deferred(),
        (page or constant(None)).deferred(),
    )
    if request_g.session:
        request_g.viewer = request_g.session.member
        request_g.limit_wait = request_g.session.limit_wait
        if request_g.session.touched:
            RECORDER.come(requester.uid)
        request_g.session_name = session_name(cookie)
        if is_page:
            request_g.viewer_context = viewer_context()
        if page:
            request_g.prefetched = prefetched


def _counted_limit(view: object) -> Bucket | None:
    """Return the rate limit of a view, None if it will refuse the form or has no limit."""
    try:
        limit = view_limit(view)
        return limit if limit and csrf.has_valid_form() else None
    except HTTPException:  # the form is too large
        return None


def _lead_to_password(endpoint: str) -> AnyResponse | None:
    """Redirect to the form for a new password, except from there. Raises Forbidden for forms."""
    if endpoint in PASSWORD_ENDPOINTS:
        return None
    if request.method not in SAFE_METHODS:
        raise Forbidden("password_due")
    return redirect(url_for("settings.password"), 303)


def _redirect_to_sign_in() -> AnyResponse:
    """Redirect to the sign-in, which leads back to this page if it can be shown again."""
    current_request = unwrap(request)
    is_page = current_request.method in ("GET", "HEAD")
    next_url = current_request.full_path.rstrip("?") if is_page else None
    return redirect(url_for("accounts.login", next=next_url), 303)


def _sets_session_cookie(response: Response) -> bool:
    cookies = response.headers.getlist("Set-Cookie")
    return any(cookie.split("=")[0] in SESSION_COOKIES for cookie in cookies)
