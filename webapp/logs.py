"""Log lines, each with the id of the request it belongs to, in web, event and worker alike."""

from __future__ import annotations

import logging
import re
import secrets
import time
from urllib.parse import quote

from flask import Flask, Response, g, request

from .app import db
from .config import Config
from .events import request_id

log = logging.getLogger("linnet")
GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")  # a request id worth taking over from a trusted proxy


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
        given = request.headers.get("X-Request-ID", "") if config.trusted_proxies else ""
        request_id.set(given if GIVEN.match(given) else secrets.token_hex(8))
        g.began, g.trips = time.perf_counter(), db().trips

    @app.after_request
    def finish(response: Response) -> Response:
        response.headers["X-Request-ID"] = request_id.get()
        if "began" in g and request.endpoint not in ("static", "health.healthz", "health.readyz"):
            spent = (time.perf_counter() - g.began) * 1000
            trips = db().trips - g.trips
            path = quote(request.path, safe="/@~")  # no line ends in a line
            log.info("%s %s %s %.1fms trips=%d", request.method, path, response.status_code, spent, trips)
        return response
