"""Headers that every response carries, and hosts that a request may name."""

from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from flask import Flask, Response, render_template, request
from werkzeug.datastructures import Headers
from werkzeug.exceptions import BadHost, HTTPException
from werkzeug.urls import iri_to_uri

from webapp.core.net.hosts import is_valid_host

from .context import is_shared_page, unwrap
from .stream_urls import stream_origin

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

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
# Of pages that other sites show in a frame. They run no script and send no form.
EMBED_CSP = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors *",
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
PUBLIC_FILE_ENDPOINTS = (
    "static",
    "media.show",
    "site_icon",
    "site_icon_file",
)  # the same for everybody, whatever their cookies
API_DISPOSITION = 'attachment; filename="api.json"'  # so that no browser takes JSON for a page
CONSENT_PATH = "/oauth/authorize"
ONE_YEAR_HSTS = "max-age=31536000"


class SentResponse(Response):
    """A response whose headers are sent as they are.

    Why, measured: Werkzeug copies a dozen headers and checks each again before it sends them.
    """

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        """Return the headers themselves; of a response without a body or length, Werkzeug's."""
        found = {name.lower(): value for name, value in self.headers}
        has_body = self.status_code >= 200 and self.status_code not in (204, 304)
        if not has_body or "content-length" not in found or "content-location" in found:
            return super().get_wsgi_headers(environ)
        if "location" in found:
            self.headers["Location"] = iri_to_uri(found["location"])
        return self.headers


def init(app: Flask) -> None:
    """Check the host of each request, and add the headers to each response."""
    app.response_class = SentResponse
    app.before_request(_reject_bad_host)
    app.after_request(_add_headers)


def no_store(response: Response) -> Response:
    """Forbid browsers and proxies to store a response.

    For pages that are one member's own or are shown once. A blueprint of such pages calls it after
    each request: `bp.after_request(no_store)`.
    """
    response.headers["Cache-Control"] = "no-store"
    return response


def no_store_page(page: str, status: int = 200) -> Response:
    """Return a page that is never stored."""
    return no_store(Response(page, status))


def private_page(template: str, status: int = 200, /, **context: object) -> Response:
    """Return the page of a template, which is never stored."""
    return no_store_page(render_template(template, **context), status)


def embeddable(page: str, status: int = 200) -> Response:
    """Return a page that other sites may show in a frame."""
    response = Response(page, status)
    response.headers["Content-Security-Policy"] = EMBED_CSP
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def policy_with_form_action(response: Response, source: str) -> Response:
    """Let the form of a page lead to an address of another origin or scheme."""
    policy = _content_security_policy(_stream_source())
    response.headers["Content-Security-Policy"] = policy.replace(
        "form-action 'self'", f"form-action 'self' {source}"
    )
    return response


def vary(response: Response, name: str) -> None:
    """Add a request header's name to `Vary`. `response.vary` would parse the header each time."""
    current = response.headers.get("Vary")
    if current is None:
        response.headers["Vary"] = name
    elif name not in current.split(", "):
        response.headers["Vary"] = f"{current}, {name}"


def _reject_bad_host() -> None:
    environ = unwrap(request).environ
    http_version = environ.get("SERVER_PROTOCOL", "").removeprefix("HTTP/")
    if not is_valid_host(environ.get("HTTP_HOST", ""), http_version):
        raise BadHost()


def _add_headers(response: Response) -> Response:
    flask_request = unwrap(request)
    defaults = {"Content-Security-Policy": _content_security_policy(_stream_source())}
    defaults.update(SECURITY_HEADERS)
    present = {name.lower(): value for name, value in response.headers}
    if present.get("content-security-policy") == EMBED_CSP:
        del defaults["X-Frame-Options"]
    if flask_request.endpoint not in PUBLIC_FILE_ENDPOINTS:
        vary(response, "Cookie")
        defaults["Cache-Control"] = f"{'public' if is_shared_page() else 'private'}, no-cache"
    if _is_watched_by_app():
        defaults["Cross-Origin-Opener-Policy"] = "unsafe-none"
    if response.mimetype == "application/json":
        defaults["Content-Disposition"] = API_DISPOSITION
    if flask_request.is_secure:
        defaults["Strict-Transport-Security"] = ONE_YEAR_HSTS
    missing = [(name, value) for name, value in defaults.items() if name.lower() not in present]
    response.headers.extend(missing)
    return response


def _is_watched_by_app() -> bool:
    """Return True on the way to the page on which a member allows an app, log-in included.

    Apps in a browser open it in a window of their own, and take the window for closed once a
    policy parts the two.
    """
    target = request.path
    if target == "/login":
        with suppress(HTTPException):  # a form that is too large
            target = request.values.get("next", "")
    return target.startswith(CONSENT_PATH)


def _stream_source() -> str:
    """Return the origin of the streams for `connect-src`, with a space before it, or ""."""
    with suppress(HTTPException, ValueError):  # the request names no host that can be used
        origin = stream_origin()
        return f" {origin}" if origin else ""
    return ""


@lru_cache(256)
def _content_security_policy(stream_source: str) -> str:
    return CSP_TEMPLATE.format(streams=stream_source)
