"""Log lines, each with the id of the request it belongs to, in web, event and worker alike."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from flask import Flask, Response, g, request

from webapp.config import Config
from webapp.core.logs import configure, log, request_id
from webapp.pagecache.decorators import CACHE_HINTS

from .context import db, unwrap

VALID_REQUEST_ID = re.compile(
    r"[A-Za-z0-9._-]{8,64}\Z"
)  # a request id worth taking over from a trusted proxy
PATH_MAX = 200  # characters of a path in a line: as long as any of ours


def init(app: Flask, config: Config) -> None:
    """Gives each request its id, and one line when it is answered."""
    configure(config)

    @app.before_request
    def begin() -> None:
        environ, request_g = request.environ, unwrap(g)
        if (
            CACHE_HINTS not in environ
        ):  # otherwise it has its id, and its line is written where it is answered
            bind_request_id(environ, config)
        request_g.began, request_g.trips = time.perf_counter(), db().trips

    @app.after_request
    def finish(response: Response) -> Response:
        response.headers["X-Request-ID"] = request_id.get()
        current_request, request_g = unwrap(request), unwrap(g)
        quiet = (
            current_request.endpoint in ("static", "health.healthz", "health.readyz")
            or CACHE_HINTS in current_request.environ
        )
        if "began" in request_g and not quiet:
            elapsed = time.perf_counter() - request_g.began
            log_request(
                current_request.method,
                current_request.path,
                str(response.status_code),
                elapsed,
                db().trips - request_g.trips,
            )
        return response


def bind_request_id(environ: Mapping[str, Any], config: Config) -> None:
    """Gives the request at work its id: a trusted proxy's, or one of our own."""
    header = environ.get("HTTP_X_REQUEST_ID", "") if config.trusted_proxies else ""
    request_id.set(header if VALID_REQUEST_ID.match(header) else secrets.token_hex(8))


def log_request(method: str, path: str, status: str, seconds: float, trips: int) -> None:
    """Writes the line of a request that is answered."""
    if log.isEnabledFor(logging.INFO):
        logged_path = quote(path[:PATH_MAX], safe="/@~")  # no line ends in a line
        log.info("%s %s %s %.1fms trips=%d", method, logged_path, status[:3], seconds * 1000, trips)
