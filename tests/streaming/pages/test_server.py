"""The stream process and a plain HTTP client: messages, cut readers, restarts."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPException
from random import Random
from signal import SIGCONT, SIGSTOP, SIGTERM
from typing import Any

import pytest

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.processes import PATIENCE, Site, status_of, until
from tests.support.streaming.client import (
    GREETING,
    Reader,
    Scene,
    Sent,
    ask,
    broken_off,
    client,
    drained,
    ids,
    in_loop,
    marked,
    remaining,
    scene_on,
)
from tests.timelines.test_store import post as post_texts
from webapp.accounts import registration
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.statuses import store as statuses
from webapp.streaming import keys as stream_keys
from webapp.streaming.end_codes import EndCode
from webapp.streaming.hub.connection import CLOSE_GRACE_SECONDS, Connection
from webapp.streaming.hub.hub import Hub, HubFull
from webapp.streaming.hub.page_topics import Public
from webapp.streaming.log import projections
from webapp.streaming.log.event_log import EventLog
from webapp.streaming.log.messages import Message
from webapp.streaming.log.position import LOG_START
from webapp.streaming.pages.server import StreamApp

People = Callable[..., list[int]]
Settle = Callable[[], None]
LARGE = 50_000  # characters of a status that soon fills a connection


@pytest.fixture(scope="module")
def long_running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One store for the tests of this module."""
    site = Site(tmp_path_factory.mktemp("streams"))
    yield site
    site.close()


@pytest.fixture
def scene(long_running: Site) -> Iterator[Scene]:
    """An empty site without a stream process yet; what the test starts ends with it."""
    with scene_on(long_running) as scene:
        yield scene


# What is sent


@marked
def test_a_stream_tells_of_posts_and_deletions_in_their_order(scene: Scene) -> None:
    scene.post("before anybody came")
    scene.begin()
    reader = scene.read()
    [first] = scene.post("hello <b>世界</b>")
    [second] = scene.post("again")
    scene.delete(first)
    [third] = scene.post("still here")
    updates = reader.take(4)
    assert [(sent.event, sent.data["id"]) for sent in updates] == [
        ("update", str(first)),
        ("update", str(second)),
        ("delete", str(first)),
        ("update", str(third)),
    ]
    told = updates[0].data
    assert told["text"] == "hello <b>世界</b>"
    assert told["account"] == {"id": str(scene.ann), "login": "ann", "name": "Ann"}
    assert told["url"] == f"/@ann/{first}"
    assert reader.response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert reader.response.headers["Cache-Control"] == "no-store"
    assert reader.response.headers["Transfer-Encoding"] == "chunked"


@marked
def test_every_reader_gets_everything(scene: Scene) -> None:
    scene.begin()
    readers = [scene.read() for _ in range(20)]
    posted = scene.post(count=10)
    for reader in readers:
        assert ids(reader.take(10)) == posted


@marked
def test_a_burst_larger_than_the_queue_does_not_cut_a_client_that_reads(scene: Scene) -> None:
    program = scene.begin(stream_queue=50_000)
    reader = scene.read()
    program.send_all(SIGSTOP)  # so that all of it is read from the log at once
    posted = scene.post(count=70)
    program.send_all(SIGCONT)
    assert ids(drained(reader, 70)) == posted


@marked
def test_other_paths_and_methods_are_refused(scene: Scene) -> None:
    scene.begin()
    paths = "/ /stream /stream/ /stream/public/ /stream/nobody /stream/home/1 /stream/profile /stream/profile/"
    for path in (
        *paths.split(),
        "/stream/profile/x",
        "/stream/profile/0",
        "/stream/profile/1/",
        "/healthz/x",
    ):
        assert status_of(scene.port, path) == 404
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        answer, headers, _ = ask(scene.port, "/stream/public", method)
        assert (answer, headers["Allow"]) == (405, "GET, HEAD")
    assert status_of(scene.port, "/nothing", "POST") == 404
    answer, headers, body = ask(scene.port, "/stream/public", "HEAD")
    assert (answer, headers["Content-Type"], body) == (200, "text/event-stream; charset=utf-8", b"")


@marked
def test_health_is_told_with_and_without_a_store(scene: Scene) -> None:
    scene.begin()
    assert status_of(scene.port, "/healthz") == status_of(scene.port, "/readyz") == 200
    with store_down(scene.site):
        assert status_of(scene.port, "/healthz") == 200
        assert status_of(scene.port, "/readyz") == 503
        answer, headers, _ = ask(scene.port, "/stream/public", headers={"Last-Event-ID": "1-1"})
        assert (answer, headers["Retry-After"]) == (503, "5")
    assert status_of(scene.port, "/readyz") == 200


# Whom it cuts


@marked
def test_one_reader_too_many_is_told_when_to_come_back(scene: Scene) -> None:
    scene.begin(streams_max=3)
    first, *_ = [scene.read() for _ in range(3)]
    answer, headers, _ = ask(scene.port, "/stream/public")
    assert answer == 503
    assert int(headers["Retry-After"]) > 0
    assert status_of(scene.port) == 200
    first.close()
    until(lambda: has_room(scene))
    [posted] = scene.post()
    assert [ids(reader.take(1)) for reader in scene.readers[1:]] == [[posted]] * 3


@marked
def test_a_client_that_reads_nothing_is_cut_while_another_gets_everything(scene: Scene) -> None:
    scene.begin(stream_queue=8 * LARGE)
    idle, reader = scene.read(buffer=4_096), scene.read()
    posted: list[int] = []
    for _ in range(150):  # 7 MB: more than the connection's buffers and the queue hold
        posted += scene.post("x" * LARGE)
        assert ids(reader.take(1)) == posted[-1:]
    [last] = scene.post("the end")
    assert ids(reader.take(1)) == [last]
    time.sleep(CLOSE_GRACE_SECONDS + 1)  # after which a client that does not read is cut off
    got: list[Sent] = []
    with pytest.raises((OSError, HTTPException)):
        while sent := idle.next():
            got.append(sent)
    assert ids(got) == posted[: len(got)]
    assert 0 < len(got) < len(posted)


@marked
def test_a_client_that_reads_nothing_does_not_keep_its_place(scene: Scene) -> None:
    scene.begin(stream_queue=8 * LARGE, streams_max=2)
    scene.read(buffer=4_096)
    reader = scene.read()
    for _ in range(150):
        posted = scene.post("x" * LARGE)
        assert ids(reader.take(1)) == posted
    until(lambda: has_room(scene), "the client that reads nothing still has its place", patience=20)


# What a restart costs


@marked
def test_a_client_that_comes_back_after_kill_9_misses_and_repeats_nothing(scene: Scene) -> None:
    program = scene.begin()
    reader = scene.read()
    posted = scene.post(count=3)
    got = reader.take(3)
    program.kill()
    assert_broken_off(reader)
    posted += scene.post(count=3)
    scene.begin()
    reader = scene.read(reader.last)
    got += reader.take(3)
    posted += scene.post(count=2)
    got += reader.take(2)
    assert ids(got) == posted
    assert {sent.event for sent in got} == {"update"}


@marked
def test_a_client_that_comes_back_while_members_post_misses_and_repeats_nothing(
    scene: Scene,
) -> None:
    program = scene.begin()
    reader = scene.read()
    posted: list[int] = []
    enough = threading.Event()

    def post() -> None:
        while not enough.is_set():
            posted.extend(scene.post(count=2))

    poster = threading.Thread(target=post)
    poster.start()
    try:
        got = reader.take(20)
        for _ in range(2):
            program.kill()
            got += broken_off(reader)
            program = scene.begin()
            for _ in range(10):  # a client may come back at any time
                reader = scene.read(reader.last)
                got += reader.take(7)
                reader.close()
            reader = scene.read(reader.last)
            got += reader.take(20)
    finally:
        enough.set()
        poster.join(PATIENCE)
    got += reader.take(len(posted) - len(got))
    assert ids(got) == posted
    assert {sent.event for sent in got} == {"update"}


@marked
def test_a_last_event_id_that_says_nothing_brings_a_reload(scene: Scene) -> None:
    scene.begin()
    assert_reloaded(scene, "1-1")  # the log is empty
    scene.post()
    for last in ("x", "5", "-", "1-1-1", "-1", "9999999999999-0", "99999999999999999-0", "\xe9"):
        assert_reloaded(scene, last)


@marked
def test_a_last_event_id_that_the_log_has_forgotten_brings_a_reload(scene: Scene) -> None:
    program = scene.begin()
    reader = scene.read()
    scene.post(count=5)
    first, *_, last = reader.take(5)
    scene.site.db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", "=", 2))
    assert len(scene.read(first.id).take(4)) == 4  # the process still knows
    program.kill()
    scene.begin()
    reader = scene.read(first.id)
    told, after = reader.take(1), scene.post()
    assert [(sent.id, sent.event) for sent in told] == [(last.id, "reload")]
    assert ids(reader.take(1)) == after
    assert ids(scene.read(last.id).take(1)) == after


@marked
def test_streams_stay_open_through_a_restart_of_the_store(scene: Scene) -> None:
    program = scene.begin()
    reader = scene.read()
    posted = scene.post(count=2)
    assert ids(reader.take(2)) == posted
    for _ in range(2):
        with store_down(scene.site):
            until(lambda: status_of(scene.port) == 503)
        after = scene.post(count=3)
        assert ids(reader.take(3)) == after
        posted += after
    assert program.alive
    assert ids(scene.read(scene.log()[0]).take(len(posted) - 1)) == posted[1:]


@marked
def test_sigterm_ends_every_response_properly_and_the_process(scene: Scene) -> None:
    program = scene.begin()
    readers = [scene.read() for _ in range(5)]
    posted = scene.post()
    program.send(SIGTERM)
    for reader in readers:
        assert ids(remaining(reader)) == posted
        assert reader.response.isclosed()  # after the last chunk; a response that breaks off raises
    assert program.ended() == 0
    assert status_of(scene.port, "/healthz") == 0


# The log


def test_the_log_tells_what_came_between_two_positions(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    [ann] = people("ann")
    log = EventLog(db, Hub(1, 1))
    assert log.available_range() == (LOG_START, LOG_START)
    posted = post_texts(db, config, ann, *"abcd")
    settle()
    settle()
    entries = log.after(LOG_START, log.available_range().newest)
    assert [int(entry.event["id"]) for entry in entries] == posted
    assert log.after(entries[0].position, entries[2].position) == entries[1:3]
    assert log.after(entries[-1].position, log.available_range().newest) == []
    assert {entry.author for entry in entries} == {ann}


def test_a_log_that_was_never_trimmed_reaches_back_to_its_beginning(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    log = EventLog(db, Hub(1, 1))
    for number in (1, 2, 3):
        data = {"id": str(number), "author": str(ann)}
        projections.append(
            Context(db, config, lambda: None),
            [Event(f"{number}-0", 1, "log", 1, "posted", "-", data)],
        )
    entries = log.after(LOG_START, log.available_range().newest)
    assert log.available_range() == (LOG_START, entries[2].position)
    db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", "=", 2))
    assert log.available_range() == (entries[1].position, entries[2].position)


def test_a_message_of_a_deleted_status_is_left_out_and_its_deletion_told(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    [ann] = people("ann")
    log = EventLog(db, Hub(1, 1))
    first, second = post_texts(db, config, ann, *"ab")
    statuses.delete(db, config, ann, first)
    settle()
    messages = log.messages(log.after(LOG_START, log.available_range().newest))
    assert [(part.kind, part.status_id) for part in messages if isinstance(part, Message)] == [
        ("update", second),
        ("delete", first),
    ]


def test_the_log_has_an_event_once_though_its_worker_repeats_it(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    [posted] = post_texts(db, config, ann, "a")
    data = {"id": str(posted), "author": str(ann)}
    for oid in ("99-1", "100-0", "99-1", "100-0", "100-1", "99-9"):
        projections.append(
            Context(db, config, lambda: None), [Event(oid, 1, "log", 1, "posted", "-", data)]
        )
    entries = db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    assert [fields[fields.index("oid") + 1] for _, fields in entries] == ["99-1", "100-0", "100-1"]


def test_who_comes_as_the_process_starts_misses_nothing(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A status posted after the greeting is sent, however late the log's end is found."""
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    app = StreamApp(settings)
    asked, go_on = threading.Event(), threading.Event()
    run = Db.run

    def slow(db: Db, command: Command) -> Any:
        if (
            command[:2] == ("XREVRANGE", stream_keys.event_log())
            and threading.current_thread() is not threading.main_thread()
        ):
            asked.set()
            assert go_on.wait(PATIENCE)
        return run(db, command)

    monkeypatch.setattr(Db, "run", slow)
    db = app.db
    ann = registration.sign_up(db, settings, "ann", "Ann", PASSWORD).uid

    async def go() -> None:
        life: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        started, greeted, told = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def say(message: dict[str, Any]) -> None:
            (started if message["type"] == "lifespan.startup.complete" else asyncio.Event()).set()

        async def send(message: dict[str, Any]) -> None:
            body = message.get("body", b"")
            if b"welcome" in body:
                greeted.set()
            if b"event: update" in body:
                told.set()

        async def never() -> dict[str, str]:
            return await asyncio.Future[dict[str, str]]()

        living = asyncio.create_task(app({"type": "lifespan"}, life.get, say))
        await life.put({"type": "lifespan.startup"})
        while not (started.is_set() or asked.is_set()):
            await asyncio.sleep(0.01)
        if not started.is_set():  # it lets nobody in before it knows
            go_on.set()
            await started.wait()
        scope = {"type": "http", "path": "/stream/public", "method": "GET", "headers": []}
        reading = asyncio.create_task(app(scope, never, send))
        await asyncio.wait_for(greeted.wait(), PATIENCE)
        post_texts(db, settings, ann, "hello")
        await asyncio.to_thread(worker.drain, db, settings)
        go_on.set()
        try:
            await asyncio.wait_for(told.wait(), 10)
        finally:
            await life.put({"type": "lifespan.shutdown"})
            await living
            await reading

    in_loop(go())
    db.close()


# The room


def test_a_seat_hands_over_all_that_waits_at_once() -> None:
    async def go() -> None:
        room = Hub(1, 10)
        with room.open_connection() as seat, client() as gone:
            await listen(room, seat)
            publish(room, message(1))
            publish(room, message(2), message(3))
            assert await seat.next_batch(PATIENCE, gone) == [message(1), message(2), message(3)]
            assert await seat.next_batch(0, gone) == []
            publish(room, message(4))
            assert await seat.next_batch(PATIENCE, gone) == [message(4)]

    in_loop(go())


def test_a_seat_that_lags_is_ended_and_the_others_are_not() -> None:
    async def go() -> None:
        room = Hub(2, 2)
        wake = asyncio.Event()
        got: dict[str, list[Message]] = {"slow": [], "quick": []}

        async def read(name: str) -> None:
            with room.open_connection() as seat, client() as gone:
                await listen(room, seat)
                while (batch := await seat.next_batch(PATIENCE, gone)) is not None:
                    got[name] += batch
                    if name == "slow":
                        await wake.wait()

        slow, quick = (asyncio.create_task(read(name)) for name in got)
        for number in range(6):
            await asyncio.sleep(0)
            publish(room, message(number))
            while len(got["quick"]) <= number:
                await asyncio.sleep(0)
        wake.set()
        await asyncio.wait({slow}, timeout=PATIENCE)
        assert slow.done()
        assert got["slow"] == got["quick"][: len(got["slow"])]
        assert len(got["slow"]) < 6
        assert got["quick"] == [message(number) for number in range(6)]
        room.close()
        await quick

    in_loop(go())


def test_when_too_much_waits_in_all_queues_those_who_lag_most_are_cut() -> None:
    async def go() -> None:
        room = Hub(3, 1_000, max_queued_bytes=100)
        with ExitStack() as stack, client() as gone:
            quick, slow, slowest = [stack.enter_context(room.open_connection()) for _ in range(3)]
            for seat in (quick, slow, slowest):
                await listen(room, seat)
            first, second, third = (message(number, 40) for number in range(3))
            publish(room, first)
            assert [await seat.next_batch(0, gone) for seat in (quick, slow)] == [[first]] * 2
            publish(room, second)
            assert await quick.next_batch(0, gone) == [second]
            publish(room, third)  # as 40 bytes of the slow and 80 of the slowest wait
            assert (slowest.end_code, slowest.undelivered, await slowest.next_batch(0, gone)) == (
                EndCode.SHED,
                2,
                None,
            )
            assert await slow.next_batch(0, gone) == [second, third]
            assert await quick.next_batch(0, gone) == [third]
            assert (quick.end_code, slow.end_code, room._queued.total) == (0, 0, 0)

    in_loop(go())


def test_so_many_are_cut_that_a_quarter_of_the_memory_is_free() -> None:
    async def go() -> None:
        room = Hub(10, 1_000, max_queued_bytes=99)
        with ExitStack() as stack:
            seats = [stack.enter_context(room.open_connection()) for _ in range(10)]
            for seat in seats:
                await listen(room, seat)
            publish(room, message(1, 10))
            assert not any(seat.end_code for seat in seats)  # they have had no time to take it
            publish(room, message(2, 1))
            assert sorted(seat.end_code for seat in seats) == [0] * 7 + [EndCode.SHED] * 3

    in_loop(go())


def test_who_keeps_up_is_not_cut_however_much_comes_at_once() -> None:
    async def go() -> None:
        room = Hub(9, 10, max_queued_bytes=1)
        with ExitStack() as stack, client() as gone:
            seats = [stack.enter_context(room.open_connection()) for _ in range(9)]
            for seat in seats:
                await listen(room, seat)
            for number in range(3):
                publish(room, message(number, 1_000))
                assert [await seat.next_batch(0, gone) for seat in seats] == [
                    [message(number, 1_000)]
                ] * 9
            assert not any(seat.end_code for seat in seats)

    in_loop(go())


def test_what_waits_in_all_queues_is_known_whatever_happens_to_them() -> None:
    async def go() -> None:
        chance, room = Random(1), Hub(6, 200, max_queued_bytes=500)
        with client() as gone:
            for _ in range(100):
                with ExitStack() as stack:
                    seats = [stack.enter_context(room.open_connection()) for _ in range(6)]
                    for seat in seats:
                        seat._task = None  # which would be this test's
                        await listen(room, seat)
                    for number in range(30):
                        seat = chance.choice(seats)
                        match chance.randrange(20):
                            case 0:
                                seat.close(chance.choice([EndCode.REVOKED, EndCode.STALLED]))
                            case 1:
                                seat.abort()
                            case 2 | 3 | 4 | 5:
                                await seat.next_batch(0, gone)
                            case _:
                                publish(room, message(number, chance.randrange(1, 60)))
                        assert room._queued.total == sum(
                            one.size for each in seats for one in each._queue
                        )
                assert room._queued.total == 0

    in_loop(go())


def test_a_room_has_no_more_seats_than_it_may_and_gives_them_again() -> None:
    async def go() -> None:
        room = Hub(2, 2)
        with room.open_connection():
            with room.open_connection(), pytest.raises(HubFull), room.open_connection():
                pass
            with room.open_connection():
                pass

    in_loop(go())


def test_a_closed_room_ends_its_seats_and_lets_nobody_in() -> None:
    async def go() -> None:
        room = Hub(5, 5)
        with room.open_connection() as seat, client() as gone:
            await listen(room, seat)
            publish(room, message(1))
            room.close()
            assert await seat.next_batch(PATIENCE, gone) == [message(1)]
            assert await seat.next_batch(PATIENCE, gone) is None
            with pytest.raises(HubFull), room.open_connection():
                pass

    in_loop(go())


def test_a_seat_notices_that_its_client_is_gone() -> None:
    async def go() -> None:
        with Hub(1, 1).open_connection() as seat, client() as gone:
            waiting = asyncio.create_task(seat.next_batch(PATIENCE, gone))
            await asyncio.sleep(0)
            gone.cancel()
            assert await waiting is None

    in_loop(go())


# Clients


def assert_broken_off(reader: Reader) -> None:
    with pytest.raises((OSError, HTTPException)):
        remaining(reader)


def assert_reloaded(scene: Scene, last: str) -> None:
    """A client with this id is told to reload, and gets what comes then."""
    reader = scene.read(last)
    [told] = reader.take(1)
    assert (told.event, told.data) == ("reload", {})
    posted = scene.post()
    assert ids(reader.take(1)) == posted
    reader.close()


def has_room(scene: Scene) -> bool:
    """Whether one more reader is let in, who then stays."""
    reader = Reader(scene.port)
    scene.readers.append(reader)
    if reader.response.status != 200:
        scene.readers.pop().close()
        return False
    assert reader.block() == GREETING
    return True


@contextmanager
def store_down(site: Site) -> Iterator[None]:
    """The store killed, and started again after the block."""
    site.kill_store()
    try:
        yield
    finally:
        site.start_store()


# The room's


def message(number: int, size: int = 1) -> Message:
    return Message((number, 0), "update", 1, number, b"%0*d" % (size, number))


def publish(room: Hub, *messages: Message) -> None:
    room.publish(messages, messages[-1].position)


async def listen(room: Hub, seat: Connection) -> None:
    """Seats it where everything is heard."""
    await room.subscribe(seat, Public())
