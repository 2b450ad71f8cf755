"""A line in the log for each request, and the id that its lines carry."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote

from flask import Flask, Response, current_app, g, request

from webapp.config import Config
from webapp.core.logs import configure, log, request_id
from webapp.core.metrics.recorder import count_request, mean_of_slow, time_route

from .context import SAFE_METHODS, db, is_shared_page, unwrap
from .view_options import secret_rules

VALID_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")  # of a trusted proxy
SLASHES = re.compile("/+")
LOGGED_PATH_MAX = 200  # characters of a path in a line, as long as any of ours
HEALTH_ENDPOINTS = ("health.healthz", "health.readyz")
UNLOGGED_ENDPOINTS = ("static", *HEALTH_ENDPOINTS)
NO_ROUTE = "not found"
LISTENER = "linnet.answered"  # the extension of an app that is told of each answered request


class Answered(NamedTuple):
    """An answered request. `route`: its rule, never its path. `size`: bytes, -1 if not known.

    `address`: of who asked, to find the country.
    """

    route: str
    status: int
    seconds: float
    size: int
    is_cached: bool
    is_member: bool
    address: str

    def words(self) -> Iterator[str]:
        """Yield the fields of the line in the access log, without the address."""
        yield from (self.route, str(self.status), f"{self.seconds * 1000:.1f}")
        yield str(self.size) if self.size >= 0 else ""
        yield "cached" if self.is_cached else ""
        yield "member" if self.is_member else "visitor"


def init(app: Flask, config: Config) -> None:
    """Give each request its id, and one line in the log.

    A page for all visitors already has its id, and its line is written where it is sent
    (pagecache/middleware.py).
    """
    configure(config)

    @app.before_request
    def start() -> None:
        flask_g = unwrap(g)
        if not is_shared_page():
            bind_request_id(unwrap(request).environ, config)
        flask_g.started_at, flask_g.trips_before = time.perf_counter(), db().trips

    @app.after_request
    def finish(response: Response) -> Response:
        response.headers["X-Request-ID"] = request_id.get()
        seconds = time.perf_counter() - unwrap(g).get("started_at", time.perf_counter())
        _measure(response, seconds)
        endpoint = unwrap(request).endpoint
        if endpoint not in UNLOGGED_ENDPOINTS and not is_shared_page():
            _log_response(response, seconds)
        if endpoint not in HEALTH_ENDPOINTS and not is_shared_page() and LISTENER in app.extensions:
            app.extensions[LISTENER](_answered(response, seconds))
        return response


def bind_request_id(environ: Mapping[str, Any], config: Config) -> None:
    """Give the current request its id: a trusted proxy's, or a new one."""
    header = environ.get("HTTP_X_REQUEST_ID", "") if config.trusted_proxies else ""
    request_id.set(header if VALID_REQUEST_ID.match(header) else secrets.token_hex(8))


def note_refusal(code: str) -> None:
    """Let the line of the current request say why it is refused."""
    unwrap(g).refusal = code


def note_operator(login: str) -> None:
    """Let the line of the current request say which moderator or admin asks."""
    unwrap(g).operator = login


def log_request(
    route: str,
    method: str,
    path: str,
    status: str,
    seconds: float,
    trips: int,
    refusal: str = "",
    operator: str = "",
) -> None:
    """Write the line of a request that is answered. `refusal`: why not as asked, "" if it was.

    `operator`: the username of a moderator or admin on one of their pages. The line of a slow
    request is a warning, and says what its route usually takes.
    """
    usual_ms = mean_of_slow(route, seconds)
    if log.isEnabledFor(logging.WARNING if usual_ms else logging.INFO):
        one_line_path = quote(path[:LOGGED_PATH_MAX], safe="/@~<>")
        line = "%s %s %s %.1fms trips=%d" + " by=@%s" * bool(operator)
        line += " refused=%s" * bool(refusal) + " usual=%.1fms" * bool(usual_ms)
        values = (method, one_line_path, status[:3], seconds * 1000, trips)
        write = log.warning if usual_ms else log.info
        write(line, *values, *filter(None, (operator, refusal, usual_ms)))


def logged_path() -> str:
    """Return the path of the current request, or its rule if such a path holds a secret.

    The prefix decides, not the matched rule: a mistyped link still holds the secret.
    """
    path, app = unwrap(request).path, unwrap(current_app)
    if (rules := app.extensions.get("linnet.secret_rules")) is None:
        rules = app.extensions["linnet.secret_rules"] = secret_rules(app)
    plain_path = SLASHES.sub("/", path).lower()
    return next((rule for prefix, rule in rules.items() if plain_path.startswith(prefix)), path)


def _log_response(response: Response, seconds: float) -> None:
    flask_request, flask_g = unwrap(request), unwrap(g)
    if "started_at" in flask_g:  # not if the request was refused before it started
        trips = db().trips - flask_g.trips_before
        status = str(response.status_code)
        asked = _route(), flask_request.method, logged_path()
        notes = flask_g.get("refusal", ""), flask_g.get("operator", "")
        log_request(*asked, status, seconds, trips, *notes)


def _answered(response: Response, seconds: float) -> Answered:
    flask_request = unwrap(request)
    size = response.calculate_content_length()
    return Answered(
        route=_route(),
        status=response.status_code,
        seconds=seconds,
        size=-1 if size is None else size,
        is_cached=False,
        is_member=bool(unwrap(g).get("viewer")),
        address=flask_request.remote_addr or "",
    )


def _measure(response: Response, seconds: float) -> None:
    """Count a request by kind and status, and its time by its rule.

    A page for all visitors is counted where it is sent (pagecache/middleware.py).
    """
    flask_request = unwrap(request)
    time_route(_route(), seconds)
    if not is_shared_page():
        kind = _request_kind(flask_request.endpoint, flask_request.method, flask_request.path)
        count_request(kind, str(response.status_code))


def _route() -> str:
    """Return the name of the current request's route."""
    rule = unwrap(request).url_rule
    return route_name(rule.rule) if rule else NO_ROUTE


@cache
def route_name(rule: str) -> str:
    """Return a rule without converters: `/statuses/<id>` for `/statuses/<status_id:id>`."""
    return re.sub(r"<[^<>:]+:", "<", rule)


def _request_kind(endpoint: str | None, method: str, path: str) -> str:
    """Return a key of `REQUESTS`."""
    if endpoint == "static":
        return "static"
    if path.startswith("/api/"):
        return "api"
    return "page" if method in SAFE_METHODS else "form"
