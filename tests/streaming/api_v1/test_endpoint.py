"""The API endpoint in this process: silence, lag, and what other processes do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import PASSWORD
from tests.streaming.pages.test_delivery import running
from tests.support import worker
from tests.support.processes import PATIENCE, plain
from tests.support.streaming.client import in_loop
from webapp.accounts import lifecycle, registration
from webapp.accounts.store import NO_UID
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.core.store.reads import Read
from webapp.statuses import store as statuses
from webapp.streaming.api_v1 import endpoint
from webapp.streaming.api_v1.credentials import ApiCredentials
from webapp.streaming.delivery import credentials, delivery
from webapp.streaming.delivery.encoders import ApiSseEncoder, LineEncoder, SseEncoder
from webapp.streaming.end_codes import EndCode
from webapp.streaming.http.requests import Request
from webapp.streaming.hub import connection
from webapp.streaming.hub.api_topics import Sample
from webapp.streaming.hub.page_topics import Chats
from webapp.streaming.pages.credentials import PageCredentials
from webapp.streaming.pages.server import StreamApp

GREETING = b"\r\n"


class Client:
    """One request to the app. It takes what it is sent only while it `reads`."""

    def __init__(
        self, app: StreamApp, kind: str, query: str, token: str = "", accept: str = ""
    ) -> None:
        self.sent, self.more, self.started = b"", True, False
        self.reads, self.gone, self._news = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.reads.set()
        self._asked = False
        headers = [
            (b"authorization", f"Bearer {token}".encode()),
            (b"accept", accept.encode()),
            (b"host", b"x"),
        ]
        path, address = f"/1.1/statuses/{kind}.json", ("192.0.2.1", 1)
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": query.encode(),
            "client": address,
        }
        self.task = asyncio.create_task(
            app({**scope, "headers": headers}, self._receive, self._send)
        )

    async def _receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.started = True
        await self.reads.wait()
        self.sent += message.get("body", b"")
        self.more = message["type"] == "http.response.start" or message.get("more_body", False)
        self._news.set()

    async def until(self, part: bytes) -> None:
        """Waits until this has been sent."""
        async with asyncio.timeout(PATIENCE):
            while part not in self.sent:
                self._news.clear()
                await self._news.wait()

    async def ended(self) -> list[dict[str, Any]]:
        """All messages, once the response has come to its proper end."""
        async with asyncio.timeout(PATIENCE):
            await self.task
        assert not self.more
        return [json.loads(line) for line in self.sent.split(b"\r\n") if line]


class World:
    """The app, the store, an author, and a reader's token with all rights."""

    def __init__(self, app: StreamApp, config: Config) -> None:
        self.app, self.config, self.db = app, config, connect(config)
        self._count = 0
        self.ann, self.ben = (
            registration.sign_up(self.db, config, one, one, PASSWORD).uid for one in ("ann", "ben")
        )
        lifecycle.grant(self.db, self.ben, "firehose")
        self.token = tokens.create(self.db, config, self.ben, "test")

    async def post(self, *texts: str) -> list[int]:
        """Posts, and waits until the app has read it."""
        posted = await asyncio.to_thread(self._post, *texts)
        await asyncio.to_thread(worker.drain, self.db, self.config)
        newest = await asyncio.to_thread(self.app.log.newest)
        async with asyncio.timeout(PATIENCE):
            while self.app.hub.position < newest:
                await asyncio.sleep(0.01)
        return posted

    def _post(self, *texts: str) -> list[int]:
        self._count += 1
        return [
            statuses.post(
                self.db, self.config, self.ann, plain(text), f"form {self._count} {number}"
            )
            for number, text in enumerate(texts)
        ]


class NoStore:
    """A store of which nothing is read."""

    def read(self, read: Read[Any]) -> Any:
        assert not read.commands
        return read.parse(())


Story = Callable[[World], Awaitable[None]]


@pytest.fixture
def play(settings: Config, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Runs a story with the app of some settings."""

    def run(story: Story, **changes: Any) -> None:
        config = replace(settings, **changes)
        world = World(StreamApp(config), config)

        async def go() -> None:
            async with running(world.app):
                await story(world)

        in_loop(go())
        world.app.db.close()
        world.db.close()

    return run


def test_a_silent_stream_is_kept_alive(
    play: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (LineEncoder.heartbeat, ApiSseEncoder.heartbeat) == (30, 15)
    monkeypatch.setattr(LineEncoder, "heartbeat", 0.02)
    monkeypatch.setattr(SseEncoder, "heartbeat", 0.02)

    async def story(world: World) -> None:
        lines = Client(world.app, "filter", "track=x&delimited=length", world.token)
        await lines.until(b"\r\n" * 5)
        assert not lines.sent.strip()
        events = Client(world.app, "filter", "track=x", world.token, "text/event-stream")
        await events.until(b": still here\n\n: still here\n\n")
        await world.post("unheard")
        await events.until(b"event: mark\n")  # so that it has a place to come back to
        await world.post("x")
        await lines.until(b'"text":"x"')
        await events.until(b'"text":"x"')

    play(story)


def test_a_client_that_lags_is_warned_if_it_wants_and_only_now_and_then(
    play: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert delivery.WARN_SECONDS == 300

    async def story(world: World) -> None:
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
            for number in range(9):  # one is being sent, eight wait: at least 80%
                posted += await world.post(f"{turn} {number}" + "x" * 8_000)
            for client in (warned, other):
                client.reads.set()
                await client.until(str(posted[-1]).encode())
        warnings = [
            json.loads(line) for line in warned.sent.split(b"\r\n") if b'{"warning"' in line
        ]
        assert [one["warning"]["code"] for one in warnings] == ["FALLING_BEHIND"] * 2
        assert all(60 < one["warning"]["percent_full"] <= 100 for one in warnings)
        assert b"FALLING" not in other.sent

    play(story, stream_queue=90_000)


def test_a_client_that_lags_too_far_is_told_how_much_it_missed_and_cut(
    play: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(world: World) -> None:
        client = Client(world.app, "firehose", "", world.token)
        quick = Client(world.app, "firehose", "", world.token)
        for one in (client, quick):
            await one.until(GREETING)
        client.reads.clear()
        posted = []
        for number in range(8):  # one is being sent, four fit
            posted += await world.post(f"{number}" + "x" * 18_000)
        client.reads.set()
        *told, limit, farewell = await client.ended()
        assert [one["id"] for one in told] == posted[: len(told)]
        assert 1 <= limit["limit"]["track"] <= 8 - len(told)
        assert farewell["disconnect"]["code"] == EndCode.STALLED
        await quick.until(str(posted[-1]).encode())

    play(story, stream_queue=90_000)


def test_a_client_that_takes_no_word_of_farewell_is_cut_without(
    play: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert connection.CLOSE_GRACE_SECONDS <= 5
    monkeypatch.setattr(connection, "CLOSE_GRACE_SECONDS", 0.05)
    monkeypatch.setattr(delivery, "CATCH_UP_SECONDS", 0.05)

    async def story(world: World) -> None:
        await world.post(*(f"{number}" for number in range(1_200)))
        live = Client(world.app, "filter", "track=x", world.token)
        back = Client(world.app, "firehose", "count=1200", world.token)
        for one in (live, back):
            await one.until(GREETING)
            one.reads.clear()
        for number in range(4):
            await world.post(f"{number} x " + "x" * 60_000)
        for one in (live, back):
            with pytest.raises(asyncio.CancelledError):
                async with asyncio.timeout(PATIENCE):
                    await one.task
            assert one.more
        assert not world.app.hub.connections

    play(story, stream_queue=90_000)


def test_looking_back_is_no_lag(play: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(world: World) -> None:
        posted = await world.post(*(f"{number}" for number in range(1_200)))
        client = Client(world.app, "firehose", "count=1200", world.token)
        client.reads.clear()
        for number in range(4):
            posted += await world.post(f"{number}" + "x" * 60_000)
        client.reads.set()
        await client.until(str(posted[-1]).encode())
        told = [json.loads(line)["id"] for line in client.sent.split(b"\r\n")[:-1] if line]
        assert told == posted

    play(story, stream_queue=90_000)


def test_a_seat_that_another_process_gives_away_is_lost_here(
    play: Callable[..., None], settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "REFRESH_SECONDS", 0.05)

    async def story(world: World) -> None:
        first = Client(world.app, "sample", "", world.token)
        await first.until(GREETING)
        other = StreamApp(world.config)
        async with running(other):
            second = Client(other, "sample", "", world.token)
            await second.until(GREETING)
            [farewell] = await first.ended()
            assert (
                farewell["disconnect"]["code"] == EndCode.REPLACED
            )  # what the other asked for is not known here
            second.gone.set()
            assert await second.ended() == []
        other.db.close()

    play(story, streams_per_member=1)


def test_the_second_of_two_streams_that_ask_for_the_same_is_told_apart(
    play: Callable[..., None],
) -> None:
    async def story(world: World) -> None:
        asked = [
            "track=a,b",
            "track=B, A ,a",
            "track=a,b&language=en",
            "track=a",
            "track=a&delimited=length",
        ]
        streams = []
        for query in asked:
            streams.append(Client(world.app, "filter", query, world.token))
            await streams[-1].until(GREETING)
        codes = [(await one.ended())[0]["disconnect"]["code"] for one in streams[:-1]]
        assert codes == [
            EndCode.DUPLICATE,
            EndCode.REPLACED,
            EndCode.REPLACED,
            EndCode.DUPLICATE,
        ]
        streams[-1].gone.set()
        assert await streams[-1].ended() == []

    play(story, streams_per_member=1)


@pytest.mark.parametrize("kind", ["token", "session"])
def test_those_who_came_together_are_not_all_looked_up_again_at_one_moment(
    kind: str, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, asked, count = [0.0], list[int](), 300

    async def go() -> None:
        tickets = [ticket(number) for number in range(count)]
        assert all([await one.still_valid(True) for one in tickets])
        found = []
        for clock[0] in (149.0, 225.0, 301.0):
            asked.clear()
            assert all([await one.still_valid(False) for one in tickets])
            found.append(len(asked))
        assert found[0] == 0 and count / 4 < found[1] < 3 * count / 4 and sum(found) >= count

    def ticket(number: int) -> Any:
        def look_up(*_: object) -> Any:
            asked.append(number)
            return SimpleNamespace(uid=number + 1, suspended=False)

        if kind == "token":
            caller = SimpleNamespace(recheck=look_up, uid=NO_UID)
            wanted = SimpleNamespace(
                caller=caller,
                required_rights=frozenset(),
                hidden_until={},
                topic=Sample(frozenset()),
            )
            return ApiCredentials(NoStore(), wanted)  # type: ignore[arg-type]
        request = Request({"method": "GET", "path": "/stream/chats", "headers": []})
        found = PageCredentials(NoStore(), settings, request, Chats())  # type: ignore[arg-type]
        found._load_member = look_up
        return found

    monkeypatch.setattr(credentials, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    in_loop(go())


def test_a_token_that_is_revoked_while_its_stream_is_let_in_gets_nothing(
    play: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    take = endpoint.connection_slots.acquire

    async def story(world: World) -> None:
        [token] = tokens.list_tokens(world.db, world.ben)

        def revoked(*given: Any) -> list[str]:
            tokens.revoke(world.db, world.config, world.ben, token.sha)
            worker.drain(world.db, world.config)
            asyncio.run_coroutine_threadsafe(world.post("secret"), loop).result(PATIENCE)
            return take(*given)

        loop = asyncio.get_running_loop()
        monkeypatch.setattr(endpoint.connection_slots, "acquire", revoked)
        [farewell] = await Client(world.app, "firehose", "", world.token).ended()
        assert farewell["disconnect"]["code"] == EndCode.REVOKED

    play(story)


def test_a_stream_that_looks_back_stops_when_its_token_is_revoked(
    play: Callable[..., None],
) -> None:
    async def story(world: World) -> None:
        await world.post(*(f"{number}" for number in range(1_200)))
        client = Client(world.app, "firehose", "count=-1200", world.token)
        client.reads.clear()  # so that no more than a first part is on its way
        async with asyncio.timeout(PATIENCE):
            while not client.started:
                await asyncio.sleep(0.01)
        [token] = tokens.list_tokens(world.db, world.ben)
        tokens.revoke(world.db, world.config, world.ben, token.sha)
        await world.post("secret")
        client.reads.set()
        *told, farewell = await client.ended()
        assert farewell["disconnect"]["code"] == EndCode.REVOKED and len(told) < 1_200

    play(story)


def test_to_look_back_before_the_first_status_is_to_see_nothing(play: Callable[..., None]) -> None:
    async def story(world: World) -> None:
        assert await Client(world.app, "firehose", "count=-5", world.token).ended() == []
        client = Client(world.app, "firehose", "count=5", world.token)
        await client.until(GREETING)
        [posted] = await world.post("first")
        await client.until(str(posted).encode())

    play(story)


def test_a_client_that_goes_gives_its_place_back(play: Callable[..., None]) -> None:
    async def story(world: World) -> None:
        client = Client(world.app, "filter", "track=x", world.token)
        await client.until(GREETING)
        assert len(world.app.hub.connections) == 1
        client.gone.set()
        assert await client.ended() == []
        assert not world.app.hub.connections and not len(world.app.hub._channels)

    play(story)
