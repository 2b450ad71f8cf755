"""Why streams of the API end: limits, revoked tokens, slow readers, restarts."""

import json
import threading
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from signal import SIGTERM
from typing import Any

import pytest

from tests.support.processes import PATIENCE, RunningSite, children, free_port, until
from tests.support.streaming.api_client import Api, Stage, numbers
from tests.support.streaming.client import PROCESSES, Scene, scene_on
from tests.support.streaming.faults import LARGE, store_down
from webapp.accounts import lifecycle
from webapp.accounts.sessions.cookie_value import sha256
from webapp.accounts.tokens import store as tokens
from webapp.streaming import keys as stream_keys
from webapp.streaming.hub.hub import REPLAY_BYTES

pytestmark = PROCESSES
SHUTDOWN, DUPLICATE, STALLED, REVOKED, REPLACED, SHED = 1, 2, 4, 6, 7, 12
EVENTS = {"Accept": "text/event-stream"}
GZIPS: list[dict[str, str]] = [{}, {"Accept-Encoding": "gzip"}]


@pytest.fixture
def scene(running_site: RunningSite) -> Iterator[Scene]:
    """An empty site without a stream process yet."""
    with scene_on(running_site) as scene:
        yield scene


@pytest.fixture
def stage(scene: Scene) -> Stage:
    """Clients of the site."""
    return Stage(scene)


def ended(client: Api) -> tuple[list[dict[str, Any]], int]:
    """Read a stream to its end; return its last messages and the code of its disconnect."""
    *messages, last = client.rest()
    assert last["disconnect"]["reason"] and last["disconnect"]["stream_name"]
    return messages, last["disconnect"]["code"]


# Limits


def test_third_stream_ends_the_oldest_and_a_crash_frees_slots(scene: Scene, stage: Stage) -> None:
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
    clients = [stage.open("filter", stage.token(uid), form=form) for _ in range(2)]
    posted = scene.post("x")
    assert [numbers(client.next_messages(1)) for client in clients] == [posted] * 2
    clients[0].close()
    until(
        lambda: len(scene.site.db.run(("ZRANGE", stream_keys.connection_slots(uid), 0, -1))) == 1,
        "the slot is not released",
    )


def test_streams_lost_to_another_process_say_what_took_their_place(
    scene: Scene, stage: Stage
) -> None:
    scene.begin()
    uid, form = scene.join("wren"), {"track": "x"}
    replaced, duplicate = [stage.open("filter", stage.token(uid), form=form) for _ in range(2)]
    scene.port = free_port()
    scene.begin()
    stage.open("sample", stage.token(uid))
    stage.open("filter", stage.token(uid), form=form)
    assert ended(replaced) == ([], REPLACED)
    assert ended(duplicate) == ([], DUPLICATE)


def test_refused_connection_gets_retry_after(scene: Scene, stage: Stage) -> None:
    scene.begin(limit_stream="3/600", streams_max=2, streams_per_member=9)
    token = stage.token()
    clients = [stage.open("sample", token) for _ in range(2)]
    full = stage.api("sample", token)
    assert (full.status, full.response.headers["Retry-After"]) == (503, "5")
    often = stage.api("sample", token)
    assert often.status == 429 and 1 <= int(often.response.headers["Retry-After"]) <= 600
    assert "often" in json.loads(often.response.read())["errors"][0]["message"]
    clients[0].close()
    until(lambda: stage.api("sample").status == 200, "no slot is free")
    with store_down(scene.site):
        down = stage.api("sample", token)
        assert down.status == 503 and int(down.response.headers["Retry-After"]) > 0


# Credentials


def test_revoked_token_or_suspension_ends_the_stream(scene: Scene, stage: Stage) -> None:
    scene.begin(streams_per_member=9)
    site, uid = scene.site, scene.join("wren")
    token, other_token = stage.token(uid, "firehose"), stage.token(uid)
    form = {"track": "x"}
    clients = [
        stage.open(kind, token, form=form, headers=gz)
        for kind in ("filter", "firehose")
        for gz in GZIPS
    ]
    stays = stage.open("filter", other_token, form=form)
    events = stage.open("filter", token, form=form, headers=EVENTS)
    assert tokens.revoke(site, uid, sha256(token.rpartition("_")[2]))
    scene.apply_events()
    assert [ended(client) for client in clients] == [([], REVOKED)] * 4
    event = events.event()
    assert event["event"] == "disconnect"
    assert json.loads(event["data"])["disconnect"]["code"] == REVOKED
    assert not events.event()
    [posted] = scene.post("x")
    assert numbers(stays.next_messages(1)) == [posted]
    assert stage.api("filter", token, form=form).status == 401
    scene.do(lifecycle.suspend, uid)
    scene.post("x")
    messages, code = ended(stays)
    assert code == REVOKED and not [message for message in messages if "text" in message]


# Ends of the process and the store


def test_sigterm_disconnects_every_client_with_code_1(scene: Scene, stage: Stage) -> None:
    program = scene.begin()
    clients = [stage.open(form={"track": "x"}, headers=gz) for gz in GZIPS for _ in range(3)]
    idle, reader = stage.firehose(buffer=4_096), stage.firehose()
    posted = scene.post("x " + "y" * LARGE * 120)  # more than the socket's buffers hold
    assert numbers(reader.next_messages(1)) == posted
    program.send(SIGTERM)
    for client in clients:
        messages, code = ended(client)
        assert (numbers(messages), code) == (posted, SHUTDOWN)
    assert program.wait() == 0
    with pytest.raises((OSError, HTTPException)):  # in the middle of a message
        idle.rest()


@pytest.mark.parametrize("events", [False, True])
def test_client_misses_and_repeats_nothing_after_a_kill(
    scene: Scene, stage: Stage, events: bool
) -> None:
    program = scene.begin()
    token = stage.token(0, "firehose")
    wanted, received = list[int](), list[int]()
    last: dict[str, str] = {}
    done = threading.Event()

    def post() -> None:
        while not done.is_set():
            wanted.extend(scene.post("wanted", count=2))
            scene.post("other")

    poster = threading.Thread(target=post)
    client = stage.open(token=token, form={"track": "wanted"}, headers=EVENTS if events else {})

    def read() -> dict[str, Any] | None:
        message = json.loads(client.event().get("data", "null")) if events else client.next()
        if message:
            assert "text" in message, message
            received.append(message["id"])
        return message

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
            headers = {**last, **(EVENTS if events else {})}
            client = stage.open(token=token, form={"track": "wanted"}, headers=headers)
    finally:
        done.set()
        poster.join(PATIENCE)
    while len(received) < len(wanted):
        assert read()
    assert received == wanted


# Slow readers


@pytest.mark.long  # `test_endpoint.py` has a stalled client, and below one is shed
def test_slow_reader_is_disconnected_and_memory_stays_bounded(scene: Scene, stage: Stage) -> None:
    program = scene.begin(stream_queue=400_000)
    [server] = children(program.pid)
    quick = stage.firehose(query={"stall_warnings": "True"})

    def post() -> list[int]:
        posted = scene.post("x" * LARGE, count=4)
        assert numbers(quick.next_messages(4)) == posted
        return posted

    for _ in range(REPLAY_BYTES // LARGE // 4 + 1):  # fill the replay buffer
        post()

    def shed() -> None:
        slow = [
            stage.firehose(buffer=4_096, query={"stall_warnings": "true"}, headers=gz)
            for gz in GZIPS * 2
        ]
        # 10 MB: more than the sockets' buffers and the queue hold.
        posted = [status_id for _ in range(50) for status_id in post()]
        [last] = scene.post()
        assert numbers(quick.next_messages(1)) == [last]
        for client in (slow[0], slow[2]):
            statuses = [message for message in client.broken() if "text" in message]
            assert numbers(statuses) == posted[: len(statuses)] and len(statuses) < len(posted)

    for _ in range(3):  # the heap grows to what such rounds need
        shed()
    memory = resident(server)
    shed()
    shed()
    assert resident(server) - memory < 40_000


def test_only_the_slowest_client_is_shed_when_memory_runs_out(scene: Scene, stage: Stage) -> None:
    program = scene.begin(stream_memory=1_000_000, stream_queue=9_000_000)
    quick, slow = stage.firehose(), stage.firehose(buffer=4_096)
    rare = stage.open(form={"track": "rare"}, buffer=4_096)
    posted: list[int] = []
    while "shed load" not in program.output_tail:
        assert len(posted) < 400  # 20 MB: more than the socket's buffers and the queues hold
        posted += scene.post("x" * LARGE, count=4)
        assert numbers(quick.next_messages(4)) == posted[-4:]
    [*statuses, limit], code = ended(slow)
    assert code == SHED and numbers(statuses) == posted[: len(statuses)]
    assert 0 < limit["limit"]["track"] <= len(posted) - len(statuses)
    [last] = scene.post("rare")
    assert [numbers(client.next_messages(1)) for client in (quick, rare)] == [[last]] * 2


def resident(pid: int) -> int:
    """Return the resident memory of a process in KiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [line] = [line for line in lines if line.startswith("VmRSS")]
    return int(line.split()[1])
