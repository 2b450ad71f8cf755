"""The floor of security: views open by name only, headers, form tokens, safe redirects, bodies with a limit and a
deadline.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from flask import Flask, Response, request
from flask.sessions import SecureCookieSessionInterface
from flask_wtf.csrf import CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix

from .config import Config
from .errors import TooSlow
from .gateway import LATE

View = TypeVar("View", bound=Callable[..., Any])

POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
csrf = CSRFProtect()


def public(view: View) -> View:
    """Opens a view to visitors who are not signed in; all others ask for a sign-in."""
    view.public = True  # type: ignore[attr-defined]
    return view


def init(app: Flask, config: Config) -> None:
    """Puts the floor under an app."""
    app.session_interface = FormCookie()
    app.before_request(_refuse_late_body)
    csrf.init_app(app)
    app.after_request(_add_headers)
    if config.trusted_proxies:
        hops = config.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]


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


def client_address() -> str:
    """Whom a rate limit counts: the visitor's IPv4 address, or the /64 network of an IPv6 one."""
    try:
        address = ipaddress.ip_address((request.remote_addr or "").split("%")[0])
    except ValueError:
        return "unknown"
    if address.version == 6 and address.ipv4_mapped:
        return str(address.ipv4_mapped)
    if address.version == 6:
        return str(ipaddress.ip_network((address, 64), strict=False).network_address).replace(":", ".")
    return str(address)


class FormCookie(SecureCookieSessionInterface):
    """Flask's signed cookie, which holds the form token and notices; Secure whenever the page came by https."""

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure


def _refuse_late_body() -> None:
    if request.environ.get(LATE):
        raise TooSlow("body_deadline")


def _add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint != "static":
        response.vary.add("Cookie")
        response.headers.setdefault("Cache-Control", "private, no-cache")
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response
