"""The stream process and a plain HTTP client: messages, idle clients, restarts."""

import asyncio
import threading
from collections.abc import Iterator
from http.client import HTTPException
from signal import SIGCONT, SIGSTOP, SIGTERM
from typing import Any

import pytest

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.loops import in_loop
from tests.support.processes import PATIENCE, RunningSite, status_of, until
from tests.support.streaming.client import (
    GREETING,
    Reader,
    Scene,
    Sent,
    ids,
    mark_processes,
    read_to_end,
    read_until_broken,
    read_up_to,
    scene_on,
    send_request,
)
from tests.support.streaming.faults import LARGE, store_down
from tests.support.timelines import post as post_texts
from webapp.accounts import registration
from webapp.config import Config
from webapp.core.store import Command, Db, Site
from webapp.streaming import keys as stream_keys
from webapp.streaming.server import StreamApp


@pytest.fixture
def scene(running_site: RunningSite) -> Iterator[Scene]:
    """An empty site; processes that a test starts end with it."""
    with scene_on(running_site) as scene:
        yield scene


@mark_processes
def test_stream_sends_posts_and_deletions_in_order(scene: Scene) -> None:
    scene.post("before anybody came")
    scene.begin()
    reader = scene.read()
    [first] = scene.post("hello <b>世界</b>")
    [second] = scene.post("again")
    updates = reader.next_events(2)  # a post that is deleted before it is read is not sent
    scene.delete(first)
    [third] = scene.post("still here")
    updates += reader.next_events(2)
    assert [(sent.event, sent.data["id"]) for sent in updates] == [
        ("update", str(first)),
        ("update", str(second)),
        ("delete", str(first)),
        ("update", str(third)),
    ]
    status = updates[0].data
    assert status["text"] == "hello <b>世界</b>"
    assert status["account"] == {"id": str(scene.ann), "login": "ann", "name": "Ann"}
    assert status["url"] == f"/@ann/{first}"
    assert reader.response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert reader.response.headers["Cache-Control"] == "no-store"
    assert reader.response.headers["Transfer-Encoding"] == "chunked"


@mark_processes
def test_every_reader_gets_everything(scene: Scene) -> None:
    scene.begin()
    readers = [scene.read() for _ in range(20)]
    posted = scene.post(count=10)
    for reader in readers:
        assert ids(reader.next_events(10)) == posted


@mark_processes
def test_burst_beyond_the_queue_does_not_end_a_reading_client(scene: Scene) -> None:
    program = scene.begin(stream_queue=50_000)
    reader = scene.read()
    program.send_all(SIGSTOP)  # it reads everything from the log in one batch
    posted = scene.post(count=70)
    program.send_all(SIGCONT)
    assert ids(read_up_to(reader, 70)) == posted


@mark_processes
def test_other_paths_and_methods_are_refused(scene: Scene) -> None:
    scene.begin()
    paths = "/ /healthz/x /stream /stream/ /stream/public/ /stream/nobody /stream/home/1"
    for path in paths.split():
        assert status_of(scene.port, path) == 404
    for suffix in ("", "/", "/x", "/0", "/1/"):
        assert status_of(scene.port, f"/stream/profile{suffix}") == 404
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        answer, headers, _ = send_request(scene.port, "/stream/public", method)
        assert (answer, headers["Allow"]) == (405, "GET, HEAD")
    assert status_of(scene.port, "/nothing", "POST") == 404
    answer, headers, body = send_request(scene.port, "/stream/public", "HEAD")
    assert (answer, headers["Content-Type"], body) == (200, "text/event-stream; charset=utf-8", b"")


@mark_processes
def test_a_head_that_is_too_long_is_refused(scene: Scene) -> None:
    scene.begin()
    for size, status in ((60_000, 200), (262_144, 431)):
        assert send_request(scene.port, "/healthz", headers={"Cookie": "x" * size})[0] == status


@mark_processes
def test_health_checks_with_and_without_a_store(scene: Scene) -> None:
    scene.begin()
    assert status_of(scene.port, "/healthz") == status_of(scene.port, "/readyz") == 200
    with store_down(scene.site):
        assert status_of(scene.port, "/healthz") == 200
        assert status_of(scene.port, "/readyz") == 503
        answer, headers, _ = send_request(
            scene.port, "/stream/public", headers={"Last-Event-ID": "1-1"}
        )
        assert (answer, headers["Retry-After"]) == (503, "5")
    assert status_of(scene.port, "/readyz") == 200


@mark_processes
def test_connection_beyond_the_limit_gets_retry_after(scene: Scene) -> None:
    scene.begin(streams_max=3)
    first, *_ = [scene.read() for _ in range(3)]
    answer, headers, _ = send_request(scene.port, "/stream/public")
    assert answer == 503
    assert int(headers["Retry-After"]) > 0
    assert status_of(scene.port) == 200
    first.close()
    until(lambda: accepts_connection(scene))
    [posted] = scene.post()
    assert [ids(reader.next_events(1)) for reader in scene.readers[1:]] == [[posted]] * 3


@pytest.mark.long
@mark_processes
def test_idle_client_is_disconnected_while_another_gets_everything(scene: Scene) -> None:
    scene.begin(stream_queue=8 * LARGE, streams_max=2)
    idle, reader = scene.read(buffer=4_096), scene.read()
    posted: list[int] = []
    for _ in range(150):  # 7 MB: more than the socket's buffers and the queue hold
        posted += scene.post("x" * LARGE)
        assert ids(reader.next_events(1)) == posted[-1:]
    [last] = scene.post("the end")
    assert ids(reader.next_events(1)) == [last]
    until(lambda: accepts_connection(scene), "the idle client keeps its slot")
    received: list[Sent] = []
    with pytest.raises((OSError, HTTPException)):
        while event := idle.next():
            received.append(event)
    assert ids(received) == posted[: len(received)]
    assert 0 < len(received) < len(posted)


@mark_processes
def test_client_misses_and_repeats_nothing_while_members_post(scene: Scene) -> None:
    program = scene.begin()
    reader = scene.read()
    posted: list[int] = []
    done = threading.Event()

    def post() -> None:
        while not done.is_set():
            posted.extend(scene.post(count=2))

    poster = threading.Thread(target=post)
    poster.start()
    try:
        received = reader.next_events(20)
        for _ in range(2):
            program.kill()
            received += read_until_broken(reader)
            program = scene.begin()
            for _ in range(10):  # clients come back at any time
                reader = scene.read(reader.last)
                received += reader.next_events(7)
                reader.close()
            reader = scene.read(reader.last)
            received += reader.next_events(20)
    finally:
        done.set()
        poster.join(PATIENCE)
    received += reader.next_events(len(posted) - len(received))
    assert ids(received) == posted
    assert {event.event for event in received} == {"update"}


@mark_processes
def test_invalid_last_event_id_causes_a_reload(scene: Scene) -> None:
    scene.begin()
    assert_reloaded(scene, "1-1")  # the log is empty
    reader = scene.read()
    posted = scene.post()
    assert ids(reader.next_events(1)) == posted  # the process has it
    for last in ("x", "5", "-", "1-1-1", "-1", "9999999999999-0", "99999999999999999-0", "\xe9"):
        assert_reloaded(scene, last)


@mark_processes
def test_trimmed_last_event_id_causes_a_reload(scene: Scene) -> None:
    program = scene.begin()
    reader = scene.read()
    scene.post(count=5)
    first, *_, last = reader.next_events(5)
    scene.site.db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", "=", 2))
    assert len(scene.read(first.id).next_events(4)) == 4  # from the replay buffer
    program.kill()
    scene.begin()
    reader = scene.read(first.id)
    [event] = reader.next_events(1)
    assert (event.id, event.event) == (last.id, "reload")
    after = scene.post()
    assert ids(reader.next_events(1)) == after
    assert ids(scene.read(last.id).next_events(1)) == after


@mark_processes
def test_streams_survive_a_restart_of_the_store(scene: Scene) -> None:
    program = scene.begin()
    reader = scene.read()
    posted = scene.post(count=2)
    assert ids(reader.next_events(2)) == posted
    for _ in range(2):
        with store_down(scene.site):
            until(lambda: status_of(scene.port) == 503)
        after = scene.post(count=3)
        assert ids(reader.next_events(3)) == after
        posted += after
    assert program.alive
    assert ids(scene.read(scene.log()[0]).next_events(len(posted) - 1)) == posted[1:]


@mark_processes
def test_sigterm_ends_every_response_and_the_process(scene: Scene) -> None:
    program = scene.begin()
    readers = [scene.read() for _ in range(5)]
    posted = scene.post()
    for reader in readers:
        assert ids(reader.next_events(1)) == posted
    program.send(SIGTERM)
    for reader in readers:
        assert read_to_end(reader) == []
        assert reader.response.isclosed()  # a response without a last chunk raises
    assert program.wait() == 0
    assert status_of(scene.port, "/healthz") == 0


def test_client_of_a_starting_process_misses_nothing(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A status posted after the greeting is sent, however late the end of the log is read."""
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    app = StreamApp(settings)
    reading_log, go_on = threading.Event(), threading.Event()
    run = Db.run

    def wait_before_reading_log(db: Db, command: Command) -> Any:
        is_main = threading.current_thread() is threading.main_thread()
        if command[:2] == ("XREVRANGE", stream_keys.event_log()) and not is_main:
            reading_log.set()
            assert go_on.wait(PATIENCE)
        return run(db, command)

    monkeypatch.setattr(Db, "run", wait_before_reading_log)
    db = app.db
    ann = registration.sign_up(Site(db, settings), "ann", "Ann", PASSWORD).uid

    async def go() -> None:
        lifespan: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        started, greeted, updated = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def on_lifespan(message: dict[str, Any]) -> None:
            if message["type"] == "lifespan.startup.complete":
                started.set()

        async def send(message: dict[str, Any]) -> None:
            body = message.get("body", b"")
            if b"welcome" in body:
                greeted.set()
            if b"event: update" in body:
                updated.set()

        async def never() -> dict[str, str]:
            return await asyncio.Future[dict[str, str]]()

        running = asyncio.create_task(app({"type": "lifespan"}, lifespan.get, on_lifespan))
        await lifespan.put({"type": "lifespan.startup"})
        while not (started.is_set() or reading_log.is_set()):
            await asyncio.sleep(0.01)
        if not started.is_set():  # no client is accepted before the log was read
            go_on.set()
            await started.wait()
        headers = [(b"host", b"localhost")]
        scope = {"type": "http", "path": "/stream/public", "method": "GET", "headers": headers}
        scope["http_version"] = "1.1"
        reading = asyncio.create_task(app(scope, never, send))
        await asyncio.wait_for(greeted.wait(), PATIENCE)
        post_texts(Site(db, settings), ann, "hello")
        await asyncio.to_thread(worker.drain, Site(db, settings))
        go_on.set()
        try:
            await asyncio.wait_for(updated.wait(), 10)
        finally:
            await lifespan.put({"type": "lifespan.shutdown"})
            await running
            await reading

    in_loop(go())
    db.close()


def assert_reloaded(scene: Scene, last: str) -> None:
    """Assert that a client with this id gets a reload event and then new statuses."""
    reader = scene.read(last)
    [event] = reader.next_events(1)
    assert (event.event, event.data) == ("reload", {})
    posted = scene.post()
    assert ids(reader.next_events(1)) == posted
    reader.close()


def accepts_connection(scene: Scene) -> bool:
    """Return True if one more reader is accepted; it stays connected."""
    reader = Reader(scene.port)
    scene.readers.append(reader)
    if reader.response.status != 200:
        scene.readers.pop().close()
        return False
    assert reader.block() == GREETING
    return True
