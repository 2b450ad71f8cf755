"""The floor of security: views open by name only, headers, form tokens, safe redirects, bodies with a limit and a
deadline.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from flask import Flask, Response, redirect, request
from flask_wtf.csrf import CSRFProtect, same_origin
from werkzeug.exceptions import BadHost, HTTPException, RequestEntityTooLarge
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.sansio.utils import get_current_url
from werkzeug.wrappers import Response as BaseResponse

from . import form_cookie
from .addresses import network
from .app import bound
from .config import Config
from .errors import Forbidden, TooSlow, Unavailable
from .gateway import CROWDED, LATE, TOO_LONG
from .streams_url import stream_origin
from .visitors import SHARED

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

View = TypeVar("View", bound=Callable[..., Any])
Wsgi = TypeVar("Wsgi", bound=Callable[..., Any])

POLICY = "; ".join(
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
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(self), microphone=(), payment=(), usb=()",
}
COOKIE_SIGN = "linnet="  # in the cookies of whoever may be a member
PIECE = 65_536  # bytes that Werkzeug reads of a form at once


class FormGuard(CSRFProtect):  # type: ignore[misc]
    """Refuses forms without a token. What changes nothing is not even looked up; Flask-WTF, which makes a signer each
    time, is asked what is wrong where a token is not seen to be right.
    """

    def protect(self, apply_exemptions: bool = False) -> None:
        asked = bound(request)
        if asked.method in ("GET", "HEAD") or (apply_exemptions and (not asked.endpoint or self._is_exempt())):
            return
        try:
            here = not asked.is_secure or same_origin(asked.referrer or "", f"https://{asked.host}/")
        except ValueError:  # such as `https://[`, at which Flask-WTF breaks
            self._error_response("The referrer is no address.")
        if not (here and form_cookie.is_token(asked.form.get(form_cookie.FIELD))):
            super().protect()


csrf = FormGuard()


def public(view: View) -> View:
    """Opens a view to visitors who are not signed in; all others ask for a sign-in."""
    view.public = True  # type: ignore[attr-defined]
    return view


def beside(*commands: Callable[[int, str], Any]) -> Callable[[View], View]:
    """Sends commands for a view in the trip that finds out who is asking, each made of the uid and the session's key as
    `sessions.Beside` says; their replies follow the site's own in `g.session.beside`.
    """

    def mark(view: View) -> View:
        view.beside = commands  # type: ignore[attr-defined]
        return view

    return mark


def takes_pictures(count: int) -> Callable[[View], View]:
    """Lets a view's forms hold so many pictures besides their fields."""

    def mark(view: View) -> View:
        view.pictures = count  # type: ignore[attr-defined]
        return view

    return mark


def body_limit(app: Flask, config: Config, environ: WSGIEnvironment) -> int:
    """How many bytes the body of this request may have: more for a member's request to a view that takes pictures."""
    try:
        endpoint, _ = app.url_map.bind_to_environ(environ).match()
    except HTTPException:
        return config.body_max
    return _most(app, config, environ, endpoint)


def init(app: Flask, config: Config) -> None:
    """Puts the floor under an app."""
    app.before_request(_refuse_odd_host)
    app.before_request(_refuse_partial_body)
    app.before_request(partial(_allow_pictures, app, config))
    csrf.init_app(app)
    form_cookie.init(app)
    app.after_request(_add_headers)
    app.wsgi_app = believing(app.wsgi_app, config)  # type: ignore[method-assign]


def believing(wsgi: Wsgi, config: Config) -> Wsgi:
    """The same behind TRUSTED_PROXIES, which say who asks, and for which address."""
    hops = config.trusted_proxies
    return ProxyFix(wsgi, x_for=hops, x_proto=hops, x_host=hops) if hops else wsgi  # type: ignore[return-value]


def safe_path(target: str | None) -> str | None:
    """`target` if it is a path inside this site, otherwise None."""
    if not target or not target.startswith("/") or target.startswith("//") or len(target) > 1_000:
        return None
    if "\\" in target or any(ord(character) < 33 or ord(character) == 127 for character in target):
        return None
    try:
        parts = urlsplit(target)
    except ValueError:
        return None
    return None if parts.scheme or parts.netloc else target


def back(usual: str) -> BaseResponse:
    """Leads a form back to the page of this site that it names as `next`, or to the usual one."""
    return redirect(safe_path(request.form.get("next")) or usual, 303)


def keep_nowhere(response: Response) -> Response:
    """Forbids browsers and proxies to keep an answer: what is one member's own, or is shown once. A blueprint whose
    answers are all such has it called after each request.
    """
    response.headers["Cache-Control"] = "no-store"
    return response


def unkept(page: str, status: int = 200) -> Response:
    """A page that is kept nowhere."""
    return keep_nowhere(Response(page, status))


def own_page() -> None:
    """Raises Forbidden unless a page of this site asks, by what the browser says of it or else by a form token. For
    requests without a form, of somebody who may be known by a cookie.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        own = site in ("same-origin", "none")
    elif origin is not None:
        own = origin == request.host_url.rstrip("/")
    else:
        own = form_cookie.is_token(request.headers.get("X-CSRFToken"))
    if not own:
        raise Forbidden("elsewhere")


def vary(response: Response, name: str) -> None:
    """Says that an answer depends on a header of the request: quicker than `response.vary`, which takes apart what is
    said of that already.
    """
    told = response.headers.get("Vary")
    if told is None or name not in told.split(", "):
        response.headers["Vary"] = f"{told}, {name}" if told else name


def client_address() -> str:
    """Whom a rate limit counts: the network of the visitor's address."""
    return network(request.remote_addr or "")


def _refuse_odd_host() -> None:
    if not _is_address(bound(request).host):
        raise BadHost()


@lru_cache(256)
def _is_address(host: str) -> bool:
    """Whether pages can name their own address by this: its letters may be right, and yet it be no name or number."""
    try:
        return bool(get_current_url("http", host))
    except ValueError:
        return False


def _refuse_partial_body() -> None:
    environ = request.environ
    if environ.get(TOO_LONG):  # what came of it would pass for a form with nothing in it
        raise RequestEntityTooLarge()
    if environ.get(LATE):
        raise TooSlow("body_deadline")
    if environ.get(CROWDED):
        raise Unavailable("too_many_uploads", retry_after=10)


def _allow_pictures(app: Flask, config: Config) -> None:
    asked = bound(request)
    most = asked.max_content_length = _most(app, config, asked.environ, asked.endpoint)
    if (
        most > config.body_max
    ):  # Werkzeug counts the piece of a file that it has in hand as memory, and what is before it
        asked.max_form_memory_size = config.body_max + PIECE


def _most(app: Flask, config: Config, environ: WSGIEnvironment, endpoint: str | None) -> int:
    member = environ["REQUEST_METHOD"] == "POST" and COOKIE_SIGN in environ.get("HTTP_COOKIE", "")
    pictures: int = getattr(app.view_functions.get(endpoint or ""), "pictures", 0) if member else 0
    return config.body_max + pictures * config.upload_max


def _streams() -> str:
    """Where pages may listen besides this site itself."""
    with suppress(HTTPException, ValueError):  # a request that names no host we know
        origin = stream_origin()
        return f" {origin}" if origin else ""
    return ""


@lru_cache(256)
def _policy(streams: str) -> str:
    return POLICY.format(streams=streams)


def _add_headers(response: Response) -> Response:
    asked = bound(request)
    wanted = {"Content-Security-Policy": _policy(_streams()), **HEADERS}
    if asked.endpoint not in ("static", "media.show"):  # which are the same for everybody
        vary(response, "Cookie")
        shared = SHARED in asked.environ  # rendered for every visitor
        wanted["Cache-Control"] = "public, no-cache" if shared else "private, no-cache"
    if asked.is_secure:
        wanted["Strict-Transport-Security"] = "max-age=31536000"
    given = {name.lower() for name, _ in response.headers}
    response.headers.extend((name, value) for name, value in wanted.items() if name.lower() not in given)
    return response
