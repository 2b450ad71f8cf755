"""Trusted proxies in front of the site: they say who asks, and for which address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix

from webapp.config import Config

from .ip import rate_limit_subject

Wsgi = TypeVar("Wsgi", bound=Callable[..., Any])


def init(app: Flask, config: Config) -> None:
    """Let an app see requests as the proxies got them."""
    app.wsgi_app = behind_proxies(app.wsgi_app, config)  # type: ignore[method-assign]


def behind_proxies(wsgi: Wsgi, config: Config) -> Wsgi:
    """Wrap a WSGI app so that it believes TRUSTED_PROXIES proxies; without any, return it."""
    hops = config.trusted_proxies
    return ProxyFix(wsgi, x_for=hops, x_proto=hops, x_host=hops) if hops else wsgi  # type: ignore[return-value]


def client_network() -> str:
    """Return the subject of a visitor's rate limits: their address, or its /64 network for IPv6."""
    return rate_limit_subject(request.remote_addr or "")
