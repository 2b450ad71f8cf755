"""The floor of security: views open by name only, headers, form tokens, safe redirects, bodies with a limit and a
deadline.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from flask import Flask, Response, request
from flask_wtf.csrf import CSRFProtect, same_origin
from werkzeug.exceptions import BadHost, HTTPException, RequestEntityTooLarge
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.sansio.utils import get_current_url

from webapp.config import Config
from webapp.core.forms import csrf as forms_csrf
from webapp.core.live.stream_urls import stream_origin
from webapp.core.net.ip import rate_limit_subject
from webapp.errors import Forbidden, RequestTimedOut, Unavailable
from webapp.pagecache.decorators import CACHE_HINTS
from webapp.server.asgi_bridge import BODY_TIMED_OUT, BODY_TOO_LARGE, UPLOADS_SATURATED

from .context import unwrap
from .redirects import redirect_back as redirect_back
from .redirects import safe_path as safe_path

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

View = TypeVar("View", bound=Callable[..., Any])
Wsgi = TypeVar("Wsgi", bound=Callable[..., Any])

CSP_TEMPLATE = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'{streams}",
        "form-action 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(self), microphone=(), payment=(), usb=()",
}
SESSION_COOKIE_PREFIX = "linnet="  # in the cookies of whoever may be a member
FORM_CHUNK = 65_536  # bytes that Werkzeug reads of a form at once


class CsrfGuard(CSRFProtect):  # type: ignore[misc]
    """Refuses forms without a token. What changes nothing is not even looked up; Flask-WTF, which makes a signer each
    time, is asked what is wrong where a token is not seen to be right.
    """

    def protect(self, apply_exemptions: bool = False) -> None:
        current_request = unwrap(request)
        if current_request.method in ("GET", "HEAD") or (
            apply_exemptions and (not current_request.endpoint or self._is_exempt())
        ):
            return
        try:
            from_same_origin = not current_request.is_secure or same_origin(
                current_request.referrer or "", f"https://{current_request.host}/"
            )
        except ValueError:  # such as `https://[`, at which Flask-WTF breaks
            self._error_response("The referrer is no address.")
        if not (
            from_same_origin
            and forms_csrf.is_valid_token(current_request.form.get(forms_csrf.CSRF_FIELD))
        ):
            super().protect()


csrf = CsrfGuard()


def public(view: View) -> View:
    """Opens a view to visitors who are not signed in; all others ask for a sign-in."""
    view.public = True  # type: ignore[attr-defined]
    return view


def accepts_uploads(count: int) -> Callable[[View], View]:
    """Lets a view's forms hold so many pictures besides their fields."""

    def decorate(view: View) -> View:
        view.pictures = count  # type: ignore[attr-defined]
        return view

    return decorate


def body_limit(app: Flask, config: Config, environ: WSGIEnvironment) -> int:
    """How many bytes the body of this request may have: more for a member's request to a view that takes pictures."""
    try:
        endpoint, _ = app.url_map.bind_to_environ(environ).match()
    except HTTPException:
        return config.body_max
    return _view_body_limit(app, config, environ, endpoint)


def init(app: Flask, config: Config) -> None:
    """Puts the floor under an app."""
    app.before_request(_reject_bad_host)
    app.before_request(_reject_incomplete_body)
    app.before_request(partial(_set_body_limits, app, config))
    csrf.init_app(app)
    forms_csrf.init(app)
    app.after_request(_add_headers)
    app.wsgi_app = behind_proxies(app.wsgi_app, config)  # type: ignore[method-assign]


def behind_proxies(wsgi: Wsgi, config: Config) -> Wsgi:
    """The same behind TRUSTED_PROXIES, which say who asks, and for which address."""
    hops = config.trusted_proxies
    return ProxyFix(wsgi, x_for=hops, x_proto=hops, x_host=hops) if hops else wsgi  # type: ignore[return-value]


def no_store(response: Response) -> Response:
    """Forbids browsers and proxies to keep an answer: what is one member's own, or is shown once. A blueprint whose
    answers are all such has it called after each request.
    """
    response.headers["Cache-Control"] = "no-store"
    return response


def no_store_page(page: str, status: int = 200) -> Response:
    """A page that is kept nowhere."""
    return no_store(Response(page, status))


def require_same_origin() -> None:
    """Raises Forbidden unless a page of this site asks, by what the browser says of it or else by a form token. For
    requests without a form, of somebody who may be known by a cookie.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        is_same_origin = site in ("same-origin", "none")
    elif origin is not None:
        is_same_origin = origin == request.host_url.rstrip("/")
    else:
        is_same_origin = forms_csrf.is_valid_token(request.headers.get("X-CSRFToken"))
    if not is_same_origin:
        raise Forbidden("elsewhere")


def vary(response: Response, name: str) -> None:
    """Says that an answer depends on a header of the request: quicker than `response.vary`, which takes apart what is
    said of that already.
    """
    current = response.headers.get("Vary")
    if current is None or name not in current.split(", "):
        response.headers["Vary"] = f"{current}, {name}" if current else name


def client_network() -> str:
    """Whom a rate limit counts: the network of the visitor's address."""
    return rate_limit_subject(request.remote_addr or "")


def _reject_bad_host() -> None:
    if not _is_valid_host(unwrap(request).host):
        raise BadHost()


@lru_cache(256)
def _is_valid_host(host: str) -> bool:
    """Whether pages can name their own address by this: its letters may be right, and yet it be no name or number."""
    try:
        return bool(get_current_url("http", host))
    except ValueError:
        return False


def _reject_incomplete_body() -> None:
    environ = request.environ
    if environ.get(BODY_TOO_LARGE):  # what came of it would pass for a form with nothing in it
        raise RequestEntityTooLarge()
    if environ.get(BODY_TIMED_OUT):
        raise RequestTimedOut("body_deadline")
    if environ.get(UPLOADS_SATURATED):
        raise Unavailable("too_many_uploads", retry_after=10)


def _set_body_limits(app: Flask, config: Config) -> None:
    current_request = unwrap(request)
    limit = current_request.max_content_length = _view_body_limit(
        app, config, current_request.environ, current_request.endpoint
    )
    if (
        limit > config.body_max
    ):  # Werkzeug counts the piece of a file that it has in hand as memory, and what is before it
        current_request.max_form_memory_size = config.body_max + FORM_CHUNK


def _view_body_limit(
    app: Flask, config: Config, environ: WSGIEnvironment, endpoint: str | None
) -> int:
    may_upload = environ["REQUEST_METHOD"] == "POST" and SESSION_COOKIE_PREFIX in environ.get(
        "HTTP_COOKIE", ""
    )
    pictures: int = (
        getattr(app.view_functions.get(endpoint or ""), "pictures", 0) if may_upload else 0
    )
    return config.body_max + pictures * config.upload_max


def _stream_source() -> str:
    """Where pages may listen besides this site itself."""
    with suppress(HTTPException, ValueError):  # a request that names no host we know
        origin = stream_origin()
        return f" {origin}" if origin else ""
    return ""


@lru_cache(256)
def _content_security_policy(stream_source: str) -> str:
    return CSP_TEMPLATE.format(streams=stream_source)


def _add_headers(response: Response) -> Response:
    current_request = unwrap(request)
    defaults = {
        "Content-Security-Policy": _content_security_policy(_stream_source()),
        **SECURITY_HEADERS,
    }
    if current_request.endpoint not in ("static", "media.show"):  # which are the same for everybody
        vary(response, "Cookie")
        shared = CACHE_HINTS in current_request.environ  # rendered for every visitor
        defaults["Cache-Control"] = "public, no-cache" if shared else "private, no-cache"
    if current_request.is_secure:
        defaults["Strict-Transport-Security"] = "max-age=31536000"
    present = {name.lower() for name, _ in response.headers}
    response.headers.extend(
        (name, value) for name, value in defaults.items() if name.lower() not in present
    )
    return response
