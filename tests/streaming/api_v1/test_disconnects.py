"""How streams of the API end: limits, revoked tokens, slow readers, processes that die."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from signal import SIGTERM
from typing import Any

import pytest

from tests.streaming.pages.test_server import LARGE, store_down
from tests.support.processes import PATIENCE, Site, children, status_of, until
from tests.support.streaming.api_client import Api, Stage, numbers
from tests.support.streaming.client import Scene, marked, scene_on
from webapp.accounts import lifecycle
from webapp.accounts.sessions.cookie_value import sha256
from webapp.accounts.tokens import store as tokens
from webapp.streaming import keys as stream_keys
from webapp.streaming.hub.hub import REPLAY_BYTES

SHUTDOWN, DUPLICATE, STALLED, REVOKED, REPLACED, SHED = 1, 2, 4, 6, 7, 12
EVENTS = {"Accept": "text/event-stream"}
GZIPS: list[dict[str, str]] = [{}, {"Accept-Encoding": "gzip"}]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One store for the tests of this module."""
    site = Site(tmp_path_factory.mktemp("api"))
    yield site
    site.close()


@pytest.fixture
def scene(site: Site) -> Iterator[Scene]:
    """An empty site without a stream process yet."""
    with scene_on(site) as scene:
        yield scene


@pytest.fixture
def stage(scene: Scene) -> Stage:
    """Its clients."""
    return Stage(scene)


def ended(client: Api) -> tuple[list[dict[str, Any]], int]:
    """All that is left up to the proper end, and the code of the word of farewell."""
    *told, farewell = client.rest()
    assert farewell["disconnect"]["reason"] and farewell["disconnect"]["stream_name"]
    return told, farewell["disconnect"]["code"]


# Limits


@marked
def test_a_third_stream_cuts_the_oldest_and_a_crash_takes_no_seats(
    scene: Scene, stage: Stage
) -> None:
    program = scene.begin()
    uid, form = scene.join("wren"), {"track": "x"}
    first, second = [stage.open("filter", stage.token(uid), form=form) for _ in range(2)]
    other = stage.open("filter", form=form)
    third = stage.open("sample", stage.token(uid))
    assert ended(first) == ([], REPLACED)
    fourth = stage.open("filter", stage.token(uid), form=form, headers={"Accept-Encoding": "gzip"})
    assert ended(second) == ([], DUPLICATE)  # the fourth asks for the same
    visitors = [stage.open("sample", "", query={"identifier": name}) for name in "abc"]
    assert ended(visitors[0]) == ([], REPLACED)
    program.kill()
    scene.begin()
    for client in (third, fourth, other):
        with pytest.raises((OSError, HTTPException)):
            client.rest()
    kept = [stage.open("filter", stage.token(uid), form=form) for _ in range(2)]
    posted = scene.post("x")
    assert [numbers(client.take(1)) for client in kept] == [posted] * 2
    kept[0].close()
    until(
        lambda: len(scene.site.db.run(("ZRANGE", stream_keys.connection_slots(uid), 0, -1))) == 1,
        "the seat is not given up",
    )


@marked
def test_who_comes_too_often_or_finds_no_seat_is_told_when_to_come_back(
    scene: Scene, stage: Stage
) -> None:
    scene.begin(limit_stream="3/600", streams_max=2, streams_per_member=9)
    token = stage.token()
    clients = [stage.open("sample", token) for _ in range(2)]
    full = stage.api("sample", token)
    assert (full.status, full.response.headers["Retry-After"]) == (503, "5")
    often = stage.api("sample", token)
    assert often.status == 429 and 1 <= int(often.response.headers["Retry-After"]) <= 600
    assert "often" in json.loads(often.response.read())["errors"][0]["message"]
    clients[0].close()
    until(lambda: stage.api("sample").status == 200, "no seat has become free")
    with store_down(scene.site):
        down = stage.api("sample", token)
        assert down.status == 503 and int(down.response.headers["Retry-After"]) > 0


# Credentials


@marked
def test_a_revoked_token_or_right_ends_its_stream_at_once(scene: Scene, stage: Stage) -> None:
    scene.begin(streams_per_member=9)
    site, uid = scene.site, scene.join("wren")
    token, kept = stage.token(uid, "firehose"), stage.token(uid)
    form = {"track": "x"}
    clients = [
        stage.open(kind, token, form=form, headers=gz)
        for kind in ("filter", "firehose")
        for gz in GZIPS
    ]
    stays = stage.open("filter", kept, form=form)
    events = stage.open("filter", token, form=form, headers=EVENTS)
    assert tokens.revoke(site.db, site.config, uid, sha256(token.rpartition("_")[2]))
    scene.apply()
    assert [ended(client) for client in clients] == [([], REVOKED)] * 4
    event = events.event()
    assert (event["event"], json.loads(event["data"])["disconnect"]["code"]) == (
        "disconnect",
        REVOKED,
    )
    assert not events.event()
    [posted] = scene.post("x")
    assert numbers(stays.take(1)) == [posted]
    assert stage.api("filter", token, form=form).status == 401
    lifecycle.suspend(site.db, site.config, uid)
    scene.apply()
    scene.post("x")
    told, code = ended(stays)
    assert code == REVOKED and not [one for one in told if "text" in one]


# Ends of the process and the store


@marked
def test_sigterm_says_goodbye_to_all_with_code_1(scene: Scene, stage: Stage) -> None:
    program = scene.begin()
    clients = [stage.open(form={"track": "x"}, headers=gz) for gz in GZIPS for _ in range(3)]
    idle, reader = stage.firehose(buffer=4_096), stage.firehose()
    posted = scene.post(
        "x " + "y" * LARGE * 120
    )  # more than the connection of one that does not read can hold
    assert numbers(reader.take(1)) == posted
    program.send(SIGTERM)
    for client in clients:
        told, code = ended(client)
        assert (numbers(told), code) == (posted, SHUTDOWN)
    assert program.ended() == 0
    with pytest.raises((OSError, HTTPException)):  # in the middle of a message
        idle.rest()


@marked
@pytest.mark.parametrize("events", [False, True])
def test_a_client_comes_back_after_kill_9_and_misses_and_repeats_nothing(
    scene: Scene, stage: Stage, events: bool
) -> None:
    program = scene.begin()
    token = stage.token(0, "firehose")
    wanted, got = list[int](), list[int]()
    last: dict[str, str] = {}
    enough = threading.Event()

    def post() -> None:
        while not enough.is_set():
            wanted.extend(scene.post("wanted", count=2))
            scene.post("other")

    poster = threading.Thread(target=post)
    client = stage.open(token=token, form={"track": "wanted"}, headers=EVENTS if events else {})

    def read() -> dict[str, Any] | None:
        found = json.loads(client.event().get("data", "null")) if events else client.next()
        if found:
            assert "text" in found, found
            got.append(found["id"])
        return found

    poster.start()
    try:
        for _ in range(3):
            for _ in range(10):
                assert read()
            program.kill()
            with pytest.raises((OSError, HTTPException)):
                while read():
                    pass
            program = scene.begin()
            last = {"Last-Event-ID": client.last or ""}
            client = stage.open(
                token=token,
                form={"track": "wanted"},
                headers={**last, **(EVENTS if events else {})},
            )
    finally:
        enough.set()
        poster.join(PATIENCE)
    while len(got) < len(wanted):
        assert read()
    assert got == wanted


@marked
def test_streams_stay_open_through_a_restart_of_the_store_and_lose_nothing(
    scene: Scene, stage: Stage
) -> None:
    program = scene.begin()
    clients = [stage.open(form={"track": "x"}, headers=gz) for gz in GZIPS] + [stage.firehose()]
    for _ in range(2):
        with store_down(scene.site):
            until(lambda: status_of(scene.port) == 503)
        posted = scene.post("x", count=3)
        assert [numbers(client.take(3)) for client in clients] == [posted] * 3
    assert program.alive


# Slow readers


@marked
def test_a_slow_reader_is_cut_while_others_get_everything_and_memory_stays(
    scene: Scene, stage: Stage
) -> None:
    program = scene.begin(stream_queue=400_000)
    [server] = children(program.pid)
    quick = stage.firehose(query={"stall_warnings": "True"})

    def post() -> list[int]:
        posted = scene.post("x" * LARGE, count=4)
        assert numbers(quick.take(4)) == posted
        return posted

    for _ in range(REPLAY_BYTES // LARGE // 4 + 1):  # what is kept for those who come back is full
        post()
    slow = [
        stage.firehose(buffer=4_096, query={"stall_warnings": "true"}, headers=gz)
        for gz in GZIPS * 2
    ]
    memory = resident(server)
    posted = [
        one for _ in range(50) for one in post()
    ]  # 10 MB: more than the connections' buffers and the queue hold
    assert resident(server) - memory < 40_000
    [last] = scene.post()
    assert numbers(quick.take(1)) == [last]
    for client in (slow[0], slow[2]):
        told = client.broken()
        statuses = [one for one in told if "text" in one]
        assert numbers(statuses) == posted[: len(statuses)] and len(statuses) < len(posted)


@marked
def test_when_too_much_waits_in_all_queues_the_slowest_is_cut_and_nobody_else(
    scene: Scene, stage: Stage
) -> None:
    program = scene.begin(stream_memory=1_000_000, stream_queue=9_000_000)
    quick, slow = stage.firehose(), stage.firehose(buffer=4_096)
    rare = stage.open(form={"track": "rare"}, buffer=4_096)
    posted: list[int] = []
    while "shed load" not in program.said:
        assert len(posted) < 400  # 20 MB: more than the connection's buffers and the memory hold
        posted += scene.post("x" * LARGE, count=4)
        assert numbers(quick.take(4)) == posted[-4:]
    told, code = ended(slow)
    *statuses_, limit = told
    assert code == SHED and numbers(statuses_) == posted[: len(statuses_)]
    assert 0 < limit["limit"]["track"] <= len(posted) - len(statuses_)
    [last] = scene.post("rare")
    assert [numbers(client.take(1)) for client in (quick, rare)] == [[last]] * 2


def resident(pid: int) -> int:
    """The memory of a process, KiB."""
    [line] = [
        line
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("VmRSS")
    ]
    return int(line.split()[1])
