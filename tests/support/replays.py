"""Check of replays: each page that is sent again equals the one that its view would make now.

`session_key` finds the session that most of them are asked with.
"""

import gzip
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import brotli
from flask.testing import FlaskClient

from webapp.accounts import keys as account_keys
from webapp.accounts.sessions.cookie_value import parse_cookie
from webapp.core.rendering.replays import PendingReplay, Replays, StartResponse
from webapp.core.store.caches.recording import recording
from webapp.core.web import request_log

OWN = re.compile(rb'(name="(?:csrf_token|key)"[^>]* value=")[^"]+')  # new at each load
COUNTING = ("count_request", "time_route", "log_request")  # of the module of the request log
_local = threading.local()


def session_key(client: FlaskClient) -> str:
    """Return the key of a browser's session."""
    cookie = client.get_cookie("linnet")
    assert cookie
    uid, sha = parse_cookie(cookie.value)
    assert uid
    return account_keys.session(uid, sha)


def check_replays() -> None:
    """Let each page that is sent without its view be made by the view too, and compared."""
    real = Replays._send

    def checked(
        self: Replays, asked: PendingReplay, replies: list[Any], start_response: StartResponse
    ) -> Iterable[bytes]:
        body, replay = b"".join(real(self, asked, replies, start_response)), asked.replay
        headers: dict[str, str] = {}

        def start(status: str, own: list[tuple[str, str]], *error: Any) -> None:
            assert status == "200 OK"
            headers.update(own)

        known = asked.known(replies)
        trips = self._db.trips
        with recording(known) as again, uncounted():
            now = b"".join(self._wsgi(dict(asked.environ), start))
        self._db._local.trips = trips  # it asks again for what it needs twice
        if not again.changes_at:
            return [body]  # what the process had remembered has just become too old
        assert set(again.commands) <= set(replay.recorded.commands)
        encoding = headers.get("Content-Encoding", "")
        assert encoding == dict(replay.headers).get("Content-Encoding", "")
        assert _comparable(body, encoding) == _comparable(now, encoding)
        return [body]

    Replays._send = checked  # type: ignore[method-assign]
    for name in COUNTING:
        setattr(request_log, name, _unless_checking(getattr(request_log, name)))


@contextmanager
def uncounted() -> Iterator[None]:
    """Count and log none of this thread's requests while the block runs."""
    _local.is_checking = True
    yield
    _local.is_checking = False


def _unless_checking(count: Callable[..., None]) -> Callable[..., None]:
    def counted(*values: Any, **options: Any) -> None:
        if not getattr(_local, "is_checking", False):
            count(*values, **options)

    return counted


def _comparable(body: bytes, encoding: str) -> bytes:
    plain = {"br": brotli.decompress, "gzip": gzip.decompress}.get(encoding, bytes)(body)
    return OWN.sub(rb"\1", plain)
