"""Pages of members that are sent again without their view: the store says the same as before.

A kept page (kept_pages.py) is made of its request, of what the store replied, and of the time. So
the second time that a request comes, what it asks the store is recorded. The next time, all of
that is sent in one trip, and if all replies are what they were, so is the page. If one differs, the
view makes the page as ever. It gets these replies, so nothing is asked or changed twice.

A page is also made of statuses that the process read a moment ago. If it has not the same ones any
longer, the view runs; if they are too old, the same trip reads them again, and compares.

What every such request sends first may change something, such as when a session was last used. What
is sent later depends on replies: a page that changes something there is not recorded.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from flask import Flask
from werkzeug.wsgi import get_path_info

from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.events.outbox import CLOCK, position_at
from webapp.core.logs import request_id
from webapp.core.metrics.recorder import count_request, time_route
from webapp.core.store import Command, Db, Read, collect
from webapp.core.store.caches.recording import Recording, recording
from webapp.core.store.replies import checked_apart
from webapp.core.store.servers.exchange import packed
from webapp.core.store.servers.replica_reads import only_reads
from webapp.core.web.context import SESSION_COOKIE
from webapp.core.web.request_log import LISTENER, Answered, bind_request_id, log_request

from .bounded_cache import BoundedCache
from .kept_pages import REPLAYABLE, Replayable, size_of

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
REPLAYS_MAX_BYTES = 32 * 1024 * 1024  # bytes of replies and pages in one process
KEY_SIZE = 200  # bytes
OF_MEMBERS = f"{SESSION_COOKIE}="  # in the cookies of each, and of nearly no visitor
OF_ONE_RESPONSE = ("Content-Length", "X-Request-ID")
# What browsers and proxies say of one request, and no page that is replayed shows.
OF_ONE_REQUEST = frozenset(
    "REMOTE_PORT HTTP_CACHE_CONTROL HTTP_CF_RAY HTTP_PRAGMA HTTP_REFERER HTTP_SEC_FETCH_SITE "
    "HTTP_SEC_FETCH_USER HTTP_TRACEPARENT HTTP_TRACESTATE HTTP_X_REQUEST_ID".split()
)
KNOWN_REPLIES = "linnet.known_replies"  # in a WSGI environ: what the store has just replied
OK = "200 OK"
HOUR = 3_600  # seconds


@dataclass(frozen=True, slots=True)
class Replay:
    """A recorded request, and what was sent. `config`, `hour`: those of then. `size`: bytes.

    `packed`: the commands as they are sent.
    """

    recorded: Recording
    packed: bytes
    config: Config
    hour: float
    headers: list[tuple[str, str]]
    sent: Replayable
    size: int

    def is_answered_by(self, replies: list[Any]) -> bool:
        """Return True if replies are those of the record, whatever the clock says."""
        triples = zip(self.recorded.commands, self.recorded.replies, replies, strict=True)
        return all(
            new == old or (command == CLOCK and not isinstance(new, Exception))
            for command, old, new in triples
        )

    def body(self, replies: list[Any]) -> bytes:
        """Return the body of the page, with what is new at this load."""
        commands, fresh = self.recorded.commands, dict(self.sent.fresh)
        if "position" in fresh and CLOCK in commands:  # popular posts have no live stream
            fresh["position"] = position_at(replies[commands.index(CLOCK)])
        return self.sent.page.with_fresh(fresh)


@dataclass(frozen=True, slots=True)
class PendingReplay:
    """A member's request whose page is `replay`'s if the store still says the same.

    `same`: reads whether the process has, for each condition, what it had remembered.
    """

    environ: Environ
    replay: Replay
    same: Read[list[bool]]
    started_at: float = field(default_factory=time.perf_counter)

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return the commands that decide, which one trip sends."""
        return (*self.replay.recorded.commands, *self.same.commands)

    @property
    def packed(self) -> bytes:
        """Return the commands as they are sent."""
        return self.replay.packed + packed(self.same.commands)

    def known(self, replies: list[Any]) -> dict[Command, Any]:
        """Return replies of the store that the view would ask for."""
        return dict(zip(self.replay.recorded.commands, replies, strict=False))

    def is_same(self, replies: list[Any]) -> bool:
        """Return True if replies say that the page is the same."""
        asked = len(self.replay.recorded.commands)
        again = checked_apart(self.same.commands, replies[asked:])
        if isinstance(again, Exception) or not all(self.same.parse(again)):
            return False
        return self.replay.is_answered_by(replies[:asked])


def init(app: Flask) -> None:
    """Put replays in front of an app."""
    app.extensions["linnet.replays"] = app.wsgi_app = Replays(app)  # type: ignore[method-assign]


class Replays:
    """The middleware. Safe in any thread."""

    def __init__(self, app: Flask) -> None:
        self._app, self._wsgi = app, app.wsgi_app
        self._db: Db = app.extensions["linnet.db"]
        # True: the page of a request that came once may be replayed.
        self._replays: BoundedCache[Replay | bool] = BoundedCache(REPLAYS_MAX_BYTES, _size_of)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        key = _key(environ)
        known = environ.pop(KNOWN_REPLIES, {})
        found = self._replays.get(key) if key else None
        if key is None or not (found or known):
            response = self._wsgi(environ, start_response)
            if key and REPLAYABLE in environ:
                self._replays.put(key, True)
            return response
        if not known and (pending := self._pending(environ, found)):
            try:
                replies = self._db.trip_with_errors(pending.commands)
            except Unavailable:
                return self._wsgi(environ, start_response)
            if sent := self.answer(pending, replies, start_response):
                return sent
            known = pending.known(replies)
        return self._record(key, environ, start_response, known)

    def find(self, environ: Environ, start_response: object = None) -> PendingReplay | None:
        """Return the replay of a request that has one, to be decided by the store; else None.

        It takes what an app takes, so that it can stand behind proxies as one does.
        """
        key = _key(environ)
        return self._pending(environ, self._replays.get(key)) if key else None

    def answer(
        self, pending: PendingReplay, replies: list[Any], start_response: StartResponse
    ) -> Iterable[bytes] | None:
        """Send the page again. None if it would be another one now."""
        return self._send(pending, replies, start_response) if pending.is_same(replies) else None

    def _pending(self, environ: Environ, found: Replay | bool | None) -> PendingReplay | None:
        if not isinstance(found, Replay) or not self._is_current(found):
            return None
        same = [is_so() for is_so in found.recorded.conditions]
        if not all(one.commands or one.parse(()) for one in same):
            return None  # a view has to ask for what is remembered
        return PendingReplay(environ, found, collect(same))

    def _is_current(self, replay: Replay) -> bool:
        """Return True while the settings and the time are those of a replay."""
        now, config = time.time(), self._app.extensions["linnet.config"]
        is_same_hour = now // HOUR == replay.hour
        return replay.config is config and is_same_hour and now < replay.recorded.changes_at

    def _record(
        self, key: bytes, environ: Environ, start_response: StartResponse, known: dict[Command, Any]
    ) -> Iterable[bytes]:
        """Let the app answer, and keep what it does if that can be replayed.

        `known`: what the store has just replied.
        """
        config, hour = self._app.extensions["linnet.config"], time.time() // HOUR
        started: list[Any] = []

        def start(*response_start: Any) -> Any:
            started[:] = response_start
            return start_response(*response_start)

        with recording(known) as recorded:
            response = self._wsgi(environ, start)
        if not recorded.changes_at:
            return response  # the record of before may hold again
        sent: Replayable | None = environ.get(REPLAYABLE)
        found: Replay | bool = sent is not None
        if sent and all(map(only_reads, recorded.after_first_trip)):
            status, headers = started[:2]
            if status == OK and "Set-Cookie" not in dict(headers):
                same = [header for header in headers if header[0] not in OF_ONE_RESPONSE]
                sends = packed(recorded.commands)
                # Another page may be kept by then.
                size = recorded.size + len(sends) + size_of(sent.page)
                found = Replay(recorded, sends, config, hour, same, sent, size)
        self._replays.put(key, found)
        return response

    def _send(
        self, pending: PendingReplay, replies: list[Any], start_response: StartResponse
    ) -> Iterable[bytes]:
        """Send the page of a replay with what is new at this load, and log the request."""
        environ, replay = pending.environ, pending.replay
        bind_request_id(environ, replay.config)
        body, route = replay.body(replies), replay.sent.route
        seconds = time.perf_counter() - pending.started_at
        log_request(route, "GET", get_path_info(environ), OK, seconds, trips=1)
        count_request("page", OK)
        time_route(route, seconds)
        if tell := self._app.extensions.get(LISTENER):
            address = environ.get("REMOTE_ADDR", "")
            tell(Answered(route, 200, seconds, len(body), False, True, address))
        own = zip(OF_ONE_RESPONSE, (str(len(body)), request_id.get()), strict=True)
        start_response(OK, [*replay.headers, *own])
        return [body]


def _key(environ: Environ) -> bytes | None:
    """Return a digest of what a member's request for a page says, None for other requests."""
    if environ["REQUEST_METHOD"] != "GET" or OF_MEMBERS not in environ.get("HTTP_COOKIE", ""):
        return None
    said = [pair for pair in environ.items() if pair[0].isupper() and pair[0] not in OF_ONE_REQUEST]
    return blake2b(repr((environ["wsgi.url_scheme"], said)).encode(), digest_size=32).digest()


def _size_of(replay: Replay | bool) -> int:
    return KEY_SIZE + (0 if isinstance(replay, bool) else replay.size)
