"""Check of replays: each page that is sent again equals the one that its view would make now."""

import gzip
import re
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import brotli

from webapp.core.rendering.replays import Replay, Replays, Visit
from webapp.core.store.servers.recording import recording

OWN = re.compile(rb'(name="(?:csrf_token|key)"[^>]* value=")[^"]+')  # new at each load
UNCOUNTED = ("count_request", "time_route", "log_request")


def check_replays() -> None:
    """Let each page that is sent without its view be made by the view too, and compared."""
    real = Replays._send

    def checked(self: Replays, visit: Visit, replay: Replay, replies: list[Any]) -> Iterable[bytes]:
        body = b"".join(real(self, visit, replay, replies))
        headers: dict[str, str] = {}

        def start(status: str, own: list[tuple[str, str]], *error: Any) -> None:
            assert status == "200 OK"
            headers.update(own)

        known = dict(zip(replay.recorded.commands, replies, strict=True))
        trips = self._db._local.trips
        with ExitStack() as stack:
            for name in UNCOUNTED:
                stack.enter_context(patch(f"webapp.core.web.request_log.{name}"))
            again = stack.enter_context(recording(known))
            now = b"".join(self._wsgi(dict(visit.environ), start))
        self._db._local.trips = trips  # it asks again for what it needs twice
        assert set(again.commands) <= set(replay.recorded.commands)
        encoding = headers.get("Content-Encoding", "")
        assert encoding == dict(replay.headers).get("Content-Encoding", "")
        assert _comparable(body, encoding) == _comparable(now, encoding)
        return [body]

    Replays._send = checked  # type: ignore[method-assign]


def _comparable(body: bytes, encoding: str) -> bytes:
    plain = {"br": brotli.decompress, "gzip": gzip.decompress}.get(encoding, bytes)(body)
    return OWN.sub(rb"\1", plain)
