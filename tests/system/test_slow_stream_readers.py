"""Slow readers of streams are warned, and learn why their streams end."""

import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from tests.support.processes import PATIENCE, RunningSite
from tests.support.streaming.api_client import Stage, bearer
from tests.support.streaming.client import PROCESSES, Scene, scene_on
from webapp.streaming.end_codes import EndCode

pytestmark = PROCESSES
QUEUE_BYTES = 100_000
SPEEDS = (10_000, 30_000, 100_000)  # bytes a second
TICK_SECONDS = 0.05
STATUS_CHARACTERS = 2_000
STATUSES_AT_ONCE = 10
STATUSES_MAX = 20_000
FIREHOSE = "/1.1/statuses/firehose.json?stall_warnings=true"
PUBLIC = "/stream/public"


@pytest.fixture
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A site with a stream process whose queues are short."""
    site = RunningSite(tmp_path_factory.mktemp("slow"))
    with scene_on(site) as scene:
        scene.begin(stream_queue=QUEUE_BYTES, streams_per_member=len(SPEEDS))
        yield scene
    site.close()


class SlowReader(threading.Thread):
    """A client that reads so many bytes a second, with the buffers that the system gives it.

    It never reads more than half of what is `posted`: on a busy machine it would keep up.
    """

    def __init__(self, port: int, path: str, token: str, speed: int, posted: list[int]) -> None:
        super().__init__(daemon=True)
        self.received = b""
        self._speed, self._posted = speed, posted
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        headers = {"Host": "127.0.0.1", "Connection": "close", **bearer(token)}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._socket.sendall(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
        while b"\r\n\r\n" not in self.received:
            self.received += self._socket.recv(1)

    def run(self) -> None:
        begin, size_before = time.monotonic(), len(self.received)
        while True:
            time.sleep(TICK_SECONDS)
            # By the clock: a thread of a busy machine does not wake after every tick.
            allowed = (time.monotonic() - begin) * self._speed
            allowed = min(allowed, len(self._posted) * STATUS_CHARACTERS / 2)
            read = self._socket.recv(max(1, int(allowed) - (len(self.received) - size_before)))
            self.received += read
            if not read:
                break
        self._socket.close()

    def body(self) -> bytes:
        """Return the body. Fail unless the response ends as HTTP requires."""
        self.join(PATIENCE)
        head, _, rest = self.received.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert b"transfer-encoding: chunked" in head.lower()
        body = b""
        while True:
            size_line, separator, rest = rest.partition(b"\r\n")
            assert separator, "the body breaks off"
            size = int(size_line, 16)
            body, rest = body + rest[:size], rest[size:]
            assert rest.startswith(b"\r\n"), "a chunk breaks off"
            rest = rest[2:]
            if size == 0:
                assert not rest
                return body


@pytest.mark.long
def test_slow_readers_are_warned_and_told_why_their_streams_end(scene: Scene) -> None:
    token = Stage(scene).token(0, "firehose")
    posted: list[int] = []
    clients = [SlowReader(scene.port, FIREHOSE, token, speed, posted) for speed in SPEEDS]
    pages = [SlowReader(scene.port, PUBLIC, "", speed, posted) for speed in SPEEDS]
    post_while_read(scene, [*clients, *pages], posted)
    for client in clients:
        messages = [json.loads(line) for line in client.body().split(b"\r\n") if line]
        notices = [message for message in messages if "text" not in message]
        assert [next(iter(notice)) for notice in notices] == ["warning", "limit", "disconnect"]
        assert messages[-1]["disconnect"]["code"] == EndCode.STALLED
        statuses = [message["id"] for message in messages if "text" in message]
        assert statuses == posted[: len(statuses)]
        assert 0 < notices[1]["limit"]["track"] <= len(posted) - len(statuses)
    for page in pages:
        events = page.body().decode().split("\n\n")
        assert events.pop() == ""
        updates = [event.rpartition("data: ")[2] for event in events if "event: update" in event]
        statuses = [int(json.loads(update)["id"]) for update in updates]
        assert statuses == posted[: len(statuses)]


def post_while_read(scene: Scene, readers: list[SlowReader], posted: list[int]) -> None:
    """Post statuses until every reader has read to its end. Append their ids to `posted`."""
    for reader in readers:
        reader.start()
    while any(reader.is_alive() for reader in readers):
        posted += scene.post("x" * STATUS_CHARACTERS, count=STATUSES_AT_ONCE)
        time.sleep(TICK_SECONDS)
        assert len(posted) < STATUSES_MAX, "a stream goes on"
