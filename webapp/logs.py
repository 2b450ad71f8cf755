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

from .app import bound, db
from .config import Config
from .events import request_id
from .visitors import SHARED

log = logging.getLogger("linnet")
GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")  # a request id worth taking over from a trusted proxy
PATH_MAX = 200  # characters of a path in a line: as long as any of ours


class WithRequestId(logging.Filter):
    """Puts the id of the request at work into every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.rid = request_id.get()
        return True


def configure(config: Config) -> None:
    """Sends the site's log lines to standard error. Once a process."""
    if log.handlers:
        return
    handler = logging.StreamHandler()
    handler.addFilter(WithRequestId())
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(process)d [%(rid)s] %(message)s"))
    log.addHandler(handler)
    log.setLevel(config.log_level.upper())
    log.propagate = False


def init(app: Flask, config: Config) -> None:
    """Gives each request its id, and one line when it is answered."""
    configure(config)

    @app.before_request
    def begin() -> None:
        environ, own = request.environ, bound(g)
        if SHARED not in environ:  # otherwise it has its id, and its line is written where it is answered
            take_request_id(environ, config)
        own.began, own.trips = time.perf_counter(), db().trips

    @app.after_request
    def finish(response: Response) -> Response:
        response.headers["X-Request-ID"] = request_id.get()
        asked, own = bound(request), bound(g)
        quiet = asked.endpoint in ("static", "health.healthz", "health.readyz") or SHARED in asked.environ
        if "began" in own and not quiet:
            spent = time.perf_counter() - own.began
            answered(asked.method, asked.path, str(response.status_code), spent, db().trips - own.trips)
        return response


def take_request_id(environ: Mapping[str, Any], config: Config) -> None:
    """Gives the request at work its id: a trusted proxy's, or one of our own."""
    given = environ.get("HTTP_X_REQUEST_ID", "") if config.trusted_proxies else ""
    request_id.set(given if GIVEN.match(given) else secrets.token_hex(8))


def answered(method: str, path: str, status: str, seconds: float, trips: int) -> None:
    """Writes the line of a request that is answered."""
    if log.isEnabledFor(logging.INFO):
        shown = quote(path[:PATH_MAX], safe="/@~")  # no line ends in a line
        log.info("%s %s %s %.1fms trips=%d", method, shown, status[:3], seconds * 1000, trips)
