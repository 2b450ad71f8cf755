"""The API endpoint in this process: heartbeats, lag, revoked tokens, replaced streams."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.loops import in_loop
from tests.support.processes import PATIENCE, plain
from tests.support.streaming.api_endpoint import Client
from tests.support.streaming.page_streams import running
from tests.support.world import OnSite
from webapp.accounts import lifecycle, registration
from webapp.accounts.store import NO_UID
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.store import Read, Site
from webapp.core.store.connection import connect
from webapp.statuses import store as statuses
from webapp.streaming.api_v1 import endpoint, held_slots
from webapp.streaming.api_v1.endpoint import ApiCredentials
from webapp.streaming.delivery import credentials, delivery
from webapp.streaming.delivery.encoders import ApiSseEncoder, LineEncoder, SseEncoder
from webapp.streaming.delivery.hidden_authors import HiddenAuthors
from webapp.streaming.delivery.page_credentials import PageCredentials
from webapp.streaming.end_codes import EndCode
from webapp.streaming.http.requests import Request
from webapp.streaming.hub import connection
from webapp.streaming.hub.api_topics import Sample
from webapp.streaming.hub.page_topics import Chats
from webapp.streaming.server import StreamApp

pytestmark = pytest.mark.slow

GREETING = b"\r\n"


class World(OnSite):
    """The app, its store, an author, and the token of a reader with all rights."""

    def __init__(self, app: StreamApp, config: Config) -> None:
        self.app, self.config, self.db = app, config, connect(config)
        self._count = 0
        self.ann, self.ben = (
            registration.sign_up(Site(self.db, config), one, one, PASSWORD).uid
            for one in ("ann", "ben")
        )
        lifecycle.grant(self.db, self.ben, "firehose")
        self.token = tokens.create(Site(self.db, config), self.ben, "test")

    async def post(self, *texts: str) -> list[int]:
        """Post statuses and wait until the app has read them from the log."""
        posted = await asyncio.to_thread(self._post, *texts)
        await asyncio.to_thread(worker.drain, self.site)
        newest = (await asyncio.to_thread(self.app.log.available_range)).newest
        async with asyncio.timeout(PATIENCE):
            while self.app.hub.position < newest:
                await asyncio.sleep(0.01)
        return posted

    def _post(self, *texts: str) -> list[int]:
        self._count += 1
        return [
            statuses.post(self.site, self.ann, plain(text), f"form {self._count} {number}")
            for number, text in enumerate(texts)
        ]


class NoStore:
    """A store that answers reads without commands only."""

    def read(self, read: Read[Any]) -> Any:
        assert not read.commands
        return read.parse(())


Play = Callable[..., AbstractAsyncContextManager[World]]


@pytest.fixture
def play(settings: Config) -> Play:
    """Return a function that runs the app, with other settings if given."""

    @asynccontextmanager
    async def run(**changes: Any) -> AsyncIterator[World]:
        config = replace(settings, **changes)
        world = World(StreamApp(config), config)
        async with running(world.app):
            yield world
        world.app.db.close()
        world.db.close()

    return run


async def test_quiet_stream_gets_heartbeats(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (LineEncoder.heartbeat, ApiSseEncoder.heartbeat) == (30, 15)
    monkeypatch.setattr(LineEncoder, "heartbeat", 0.02)
    monkeypatch.setattr(SseEncoder, "heartbeat", 0.02)

    async with play() as world:
        lines = Client(world.app, "filter", "track=x&delimited=length", world.token)
        await lines.until(b"\r\n" * 5)
        assert not lines.sent.strip()
        events = Client(world.app, "filter", "track=x", world.token, "text/event-stream")
        await events.until(b": still here\n\n: still here\n\n")
        await world.post("unrelated")
        await events.until(b"event: mark\n")  # a position for a reconnect
        await world.post("x")
        await lines.until(b'"text":"x"')
        await events.until(b'"text":"x"')


async def test_stall_warnings_are_opt_in_and_infrequent(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert delivery.WARN_SECONDS == 300

    async with play(stream_queue=90_000) as world:
        warned, other = [
            Client(world.app, "firehose", f"stall_warnings={wish}", world.token)
            for wish in ("true", "false")
        ]
        for client in (warned, other):
            await client.until(GREETING)
        for turn in range(3):
            if turn == 2:
                monkeypatch.setattr(delivery, "WARN_SECONDS", 0.0)
            for client in (warned, other):
                client.reads.clear()
            posted = []
            for number in range(9):  # one is being sent, eight are queued: at least 80%
                posted += await world.post(f"{turn} {number}" + "x" * 8_000)
            for client in (warned, other):
                client.reads.set()
                await client.until(str(posted[-1]).encode())
        warnings = [
            json.loads(line) for line in warned.sent.split(b"\r\n") if b'{"warning"' in line
        ]
        assert [message["warning"]["code"] for message in warnings] == ["FALLING_BEHIND"] * 2
        assert all(60 < message["warning"]["percent_full"] <= 100 for message in warnings)
        assert b"FALLING" not in other.sent


async def test_stalled_client_gets_a_limit_message_and_is_disconnected(play: Play) -> None:
    async with play(stream_queue=90_000) as world:
        client = Client(world.app, "firehose", "", world.token)
        quick = Client(world.app, "firehose", "", world.token)
        for one in (client, quick):
            await one.until(GREETING)
        client.reads.clear()
        posted = []
        for number in range(8):  # one is being sent, four fit
            posted += await world.post(f"{number}" + "x" * 18_000)
        client.reads.set()
        *statuses, limit, last = await client.ended()
        assert [status["id"] for status in statuses] == posted[: len(statuses)]
        assert 1 <= limit["limit"]["track"] <= 8 - len(statuses)
        assert last["disconnect"]["code"] == EndCode.STALLED
        await quick.until(str(posted[-1]).encode())


async def test_idle_client_is_disconnected_without_a_message(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert connection.CLOSE_GRACE_SECONDS <= 5
    monkeypatch.setattr(connection, "LAG_GRACE_SECONDS", 0.05)
    monkeypatch.setattr(delivery, "CATCH_UP_SECONDS", 0.05)

    async with play(stream_queue=90_000) as world:
        await world.post(*(f"{number}" for number in range(1_200)))
        live = Client(world.app, "filter", "track=x", world.token, pause_after=GREETING)
        # It stops while most of what it missed is still to be sent.
        back = Client(world.app, "firehose", "count=1200", world.token, pause_after=b'"text":"0"')
        for one in (live, back):
            async with asyncio.timeout(PATIENCE):
                while one.reads.is_set():
                    await asyncio.sleep(0.01)
        for number in range(4):
            await world.post(f"{number} x " + "x" * 60_000)
        for one in (live, back):
            with pytest.raises(asyncio.CancelledError):
                async with asyncio.timeout(PATIENCE):
                    await one.task
            assert one.more
            assert b"disconnect" not in one.sent
        assert not world.app.hub.connections


async def test_replay_does_not_count_as_lag(play: Play) -> None:
    async with play(stream_queue=90_000) as world:
        posted = await world.post(*(f"{number}" for number in range(1_200)))
        client = Client(world.app, "firehose", "count=1200", world.token)
        client.reads.clear()
        for number in range(4):
            posted += await world.post(f"{number}" + "x" * 60_000)
        client.reads.set()
        await client.until(str(posted[-1]).encode())
        lines = client.sent.split(b"\r\n")[:-1]
        assert [json.loads(line)["id"] for line in lines if line] == posted


@pytest.mark.parametrize(
    ("query", "code"), [("", EndCode.DUPLICATE), ("percent=5", EndCode.REPLACED)]
)
async def test_slot_lost_to_another_process_ends_the_stream(
    play: Play, monkeypatch: pytest.MonkeyPatch, query: str, code: EndCode
) -> None:
    monkeypatch.setattr(held_slots, "REFRESH_SECONDS", 0.05)

    async with play(streams_per_member=1) as world:
        first = Client(world.app, "sample", "", world.token)
        await first.until(GREETING)
        other = StreamApp(world.config)
        async with running(other):
            second = Client(other, "sample", query, world.token)
            await second.until(GREETING)
            [last] = await first.ended()
            assert last["disconnect"]["code"] == code
            second.gone.set()
            assert await second.ended() == []
        other.db.close()


async def test_duplicate_streams_end_with_their_own_code(play: Play) -> None:
    async with play(streams_per_member=1) as world:
        queries = [
            "track=a,b",
            "track=B, A ,a",
            "track=a,b&language=en",
            "track=a",
            "track=a&delimited=length",
        ]
        streams = []
        for query in queries:
            streams.append(Client(world.app, "filter", query, world.token))
            await streams[-1].until(GREETING)
        codes = [(await stream.ended())[0]["disconnect"]["code"] for stream in streams[:-1]]
        duplicate, replaced = EndCode.DUPLICATE, EndCode.REPLACED
        assert codes == [duplicate, replaced, replaced, duplicate]
        streams[-1].gone.set()
        assert await streams[-1].ended() == []


@pytest.mark.parametrize("kind", ["token", "session"])
def test_rechecks_of_credentials_are_spread_over_time(
    kind: str, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, lookups, count = [0.0], list[int](), 300

    async def go() -> None:
        all_credentials = [make_credentials(number) for number in range(count)]
        assert all([await each.still_valid(True) for each in all_credentials])
        counts = []
        for clock[0] in (149.0, 225.0, 301.0):
            lookups.clear()
            assert all([await each.still_valid(False) for each in all_credentials])
            counts.append(len(lookups))
        assert counts[0] == 0 and count / 4 < counts[1] < 3 * count / 4
        assert sum(counts) >= count

    def make_credentials(number: int) -> Any:
        def look_up(*_: object) -> Any:
            lookups.append(number)
            return SimpleNamespace(uid=number + 1, suspended=False, bot_owner=NO_UID)

        if kind == "token":
            caller = SimpleNamespace(recheck=look_up, uid=NO_UID)
            grant = SimpleNamespace(
                caller=caller,
                required_rights=frozenset(),
                hidden=HiddenAuthors(),
                topic=Sample(frozenset()),
            )
            return ApiCredentials(NoStore(), grant)  # type: ignore[arg-type]
        request = Request({"method": "GET", "path": "/stream/chats", "headers": []})
        page_credentials = PageCredentials(Site(NoStore(), settings), request, Chats())  # type: ignore[arg-type]
        page_credentials._load_member = look_up
        return page_credentials

    monkeypatch.setattr(credentials, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    in_loop(go())


async def test_token_revoked_during_connection_gets_nothing(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquire = held_slots.connection_slots.acquire

    async with play() as world:
        [token] = tokens.list_tokens(world.db, world.ben)

        def revoke_first(*args: Any) -> list[str]:
            tokens.revoke(world.site, world.ben, token.id)
            worker.drain(world.site)
            asyncio.run_coroutine_threadsafe(world.post("secret"), loop).result(PATIENCE)
            return acquire(*args)

        loop = asyncio.get_running_loop()
        monkeypatch.setattr(held_slots.connection_slots, "acquire", revoke_first)
        [last] = await Client(world.app, "firehose", "", world.token).ended()
        assert last["disconnect"]["code"] == EndCode.REVOKED


async def test_replay_stops_when_its_token_is_revoked(play: Play) -> None:
    async with play() as world:
        await world.post(*(f"{number}" for number in range(1_200)))
        client = Client(world.app, "firehose", "count=-1200", world.token)
        client.reads.clear()  # only a first part is sent
        async with asyncio.timeout(PATIENCE):
            while not client.started:
                await asyncio.sleep(0.01)
        [token] = tokens.list_tokens(world.db, world.ben)
        tokens.revoke(world.site, world.ben, token.id)
        await world.post("secret")
        client.reads.set()
        *statuses, last = await client.ended()
        assert last["disconnect"]["code"] == EndCode.REVOKED and len(statuses) < 1_200


async def test_replay_of_an_empty_log_is_empty(play: Play) -> None:
    async with play() as world:
        assert await Client(world.app, "firehose", "count=-5", world.token).ended() == []
        client = Client(world.app, "firehose", "count=5", world.token)
        await client.until(GREETING)
        [posted] = await world.post("first")
        await client.until(str(posted).encode())


async def test_disconnected_client_leaves_the_hub(play: Play) -> None:
    async with play() as world:
        client = Client(world.app, "filter", "track=x", world.token)
        await client.until(GREETING)
        assert len(world.app.hub.connections) == 1
        client.gone.set()
        assert await client.ended() == []
        assert not world.app.hub.connections and not len(world.app.hub._channels)


async def test_strangers_hold_few_long_bodies(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "LONG_BODIES_MAX", {int: 0, str: 3})
    monkeypatch.setattr(endpoint, "SENDER_BODIES_MAX", 2)
    async with play() as world:

        def send(network: int, length: int = 100_000) -> Client:
            return Client(world.app, "filter", "", peer=f"192.0.{network}.1", body_length=length)

        waiting = [send(1), send(1), send(2)]
        for network in (1, 3):
            refused = send(network)
            await refused.until(b"Try again")
            await refused.ended()
        short = send(1, 1_000)
        waiting[0].gone.set()
        await waiting[0].ended()
        waiting += [short, send(1)]
        await asyncio.sleep(0)
        for client in waiting:
            client.gone.set()
            await client.ended()
            assert b"Try again" not in client.sent


async def test_members_and_strangers_have_places_of_their_own(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "LONG_BODIES_MAX", {int: 1, str: 1})
    async with play() as world:

        def send(token: str) -> Client:
            return Client(world.app, "filter", "", token, peer="192.0.1.1", body_length=100_000)

        stranger, forger, *members = map(send, ("", "linnet_1_forged", world.token, world.token))
        await forger.until(b"Try again")
        await forger.ended()
        tasks = [one.task for one in members]
        await asyncio.wait(tasks, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        member, refused = sorted(members, key=lambda one: one.task.done())
        assert b"Try again" in refused.sent
        for client in (stranger, member):
            client.gone.set()
            await client.ended()
            assert b"Try again" not in client.sent
