"""Trusted proxies in front of the site: they say who asks, and for which address."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.utils import redirect

from webapp.config import Config

from .ip import HEALTH_PATHS, forwarded_header, network_of, parse_address, rate_limit_subject

FORWARDED = (
    *("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP"),
    *("X-Forwarded-Server", "X-Client-IP", "CF-Connecting-IP", "True-Client-IP"),
)
LOCAL = "localhost"
PATH_SAFE = "/!$&'()*+,:;=@~"  # the characters that a path holds unencoded
Wsgi = TypeVar("Wsgi", bound=Callable[..., Any])


def init(app: Flask, config: Config) -> None:
    """Let an app see requests as the proxies got them."""
    app.wsgi_app = behind_proxies(app.wsgi_app, config)  # type: ignore[method-assign]


def behind_proxies(wsgi: Wsgi, config: Config) -> Wsgi:
    """Wrap a WSGI app so that it believes TRUSTED_PROXIES proxies; without any, return it.

    Where SITE_URL is https, requests that came to them by http are led there.
    """
    hops, site_url = config.trusted_proxies, config.site_url.rstrip("/")
    if not hops:
        return wsgi

    def encrypted(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        if _forwarded_proto(hops, environ) != "http" or environ["PATH_INFO"] in HEALTH_PATHS:
            return wsgi(environ, start_response)
        path = quote(environ["PATH_INFO"], safe=PATH_SAFE, encoding="latin-1")
        query = "?" * bool(environ["QUERY_STRING"]) + environ["QUERY_STRING"]
        response = redirect(f"{site_url}{path}{query}", 308)
        # A cache that keeps one copy for both schemes would lead those with https in a circle.
        response.headers["Cache-Control"] = "no-store"
        return response(environ, start_response)

    is_https = site_url.startswith("https://")
    return ProxyFix(encrypted if is_https else wsgi, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[return-value]


def forwarded_scheme(config: Config, environ: Mapping[str, Any]) -> str:
    """Return the scheme that a request had at the proxies: http or https."""
    return _forwarded_proto(config.trusted_proxies, environ) or str(environ["wsgi.url_scheme"])


def _forwarded_proto(hops: int, environ: Mapping[str, Any]) -> str:
    forwarded = {"x-forwarded-proto": environ.get("HTTP_X_FORWARDED_PROTO", "")}
    return forwarded_header(forwarded, "proto", hops)


def is_from_this_machine() -> bool:
    """Return True for a request from this machine that shows no sign of a proxy.

    A proxy may name no client. Then it shows by HTTP/1.0, which nginx speaks unless told otherwise,
    or by the site's public name as the host.
    """
    if any(name in request.headers for name in FORWARDED):
        return False
    if request.environ.get("SERVER_PROTOCOL") == "HTTP/1.0":
        return False
    is_named_here = _is_loopback(request.host) or urlsplit(f"//{request.host}").hostname == LOCAL
    return is_named_here and _is_loopback(request.remote_addr or "")


def _is_loopback(address: str) -> bool:
    parsed = parse_address(address)
    return parsed is not None and parsed.is_loopback


def client_network() -> str:
    """Return the subject of a visitor's rate limits: their address, or its /64 network for IPv6."""
    return rate_limit_subject(request.remote_addr or "")


def posting_network(config: Config) -> str:
    """Return a hash of the requesting network (/24, /48 for IPv6); "" if that is not known.

    Its salt is the site's secret key and the day. So a network has another hash tomorrow, and
    nobody without the key can try out addresses. It goes with an event, and is stored nowhere else.
    """
    return _network_hash(request.remote_addr or "", datetime.now(UTC).date(), config.secret_key)


@lru_cache(1_024)  # addresses that post often
def _network_hash(address: str, day: date, secret_key: str) -> str:
    network = network_of(address)
    if not network:
        return ""
    salted = f"network {day} {network}"
    return hmac.new(secret_key.encode(), salted.encode(), "sha256").hexdigest()[:16]
