"""Trips in an event loop: their replies, and all that leaves them to threads."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from redis import Redis
from redis.exceptions import RedisError, ResponseError

from tests.support.loops import NewLoop, in_loop
from tests.support.processes import until
from tests.support.replicated_store import Servers, servers as servers
from tests.support.silent_store import SilentStore, silent_store
from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.store import Db, script
from webapp.core.store.client import RawReply
from webapp.core.store.connection import connect, open_store
from webapp.core.store.reads import Command
from webapp.core.store.servers.exchange import packed
from webapp.core.store.servers.greenlets import run_as_greenlet
from webapp.core.store.servers.heartbeat import start_heartbeat
from webapp.core.store.servers.loop_client import LoopClient, Replies
from webapp.core.store.servers.replicas import PlainPool
from webapp.core.store.servers.routing import SingleServer
from webapp.core.web import keys as limit_keys
from webapp.statuses import keys as status_keys

T = TypeVar("T")
KEY = status_keys.last_status_id(0)
PATIENCE = 30  # seconds
SILENT_SECONDS = 1.0  # that a trip waits for a silent store


def ask(client: LoopClient, *commands: Command) -> Awaitable[Replies]:
    """Make one trip."""
    return client.trip(commands, packed(commands))


async def until_connected(client: LoopClient) -> None:
    """Wait until a client makes trips."""
    async with asyncio.timeout(PATIENCE):
        while await ask(client, ("PING",)) is None:
            await asyncio.sleep(0.01)


@asynccontextmanager
async def connected(db: Db) -> AsyncIterator[LoopClient]:
    """A client that makes trips, until the block ends."""
    client = LoopClient(db)
    await until_connected(client)
    try:
        yield client
    finally:
        await client.close()


def with_client(
    db: Db, act: Callable[[LoopClient], Awaitable[T]], new_loop: NewLoop | None = None
) -> T:
    """Run an act with a client that is connected."""

    async def main() -> T:
        async with connected(db) as client:
            return await act(client)

    if not db.is_single_server:
        pytest.skip("there is no such client on a Cluster")
    return in_loop(main(), new_loop)


@pytest.mark.store
def test_trips_at_once_get_their_own_replies(db: Db) -> None:
    """Long and short replies, text and bytes."""
    db.trip(*(("SET", status_keys.last_status_id(n), "é" * n * 1_000) for n in range(64)))

    async def act(client: LoopClient) -> list[Any]:
        def trip(number: int) -> Awaitable[Replies]:
            get = ("GET", status_keys.last_status_id(number % 64))
            return ask(client, get, RawReply(get), ("ZRANGE", "none", 0, -1))

        return await asyncio.gather(*map(trip, range(300)))

    for number, replies in enumerate(with_client(db, act)):
        text = "é" * (number % 64) * 1_000
        assert replies == [text, text.encode(), []]


@pytest.mark.store
def test_errors_are_left_to_threads_and_other_trips_go_on(db: Db) -> None:
    limit = script("core/web/lua/rate_limit.lua")
    unknown = limit(bucket=limit_keys.rate_limit("post", "1"), burst=5, period=60)
    db.run(("SET", KEY, 1))
    db.on_every_primary("SCRIPT", "FLUSH")

    async def act(client: LoopClient) -> list[Replies]:
        one = ("GET", KEY)
        commands: list[Sequence[Command]] = [(one,), (one, unknown), (("HGET", KEY, "a"),), (one,)]
        return await asyncio.gather(*(ask(client, *asked) for asked in commands))

    assert with_client(db, act) == [["1"], None, None, ["1"]]


@pytest.mark.store
def test_a_trip_that_nobody_waits_for_leaves_the_others(db: Db) -> None:
    db.run(("SET", KEY, 1))

    async def act(client: LoopClient) -> Replies:
        given_up = asyncio.ensure_future(ask(client, ("GET", "none")))
        kept = asyncio.ensure_future(ask(client, ("GET", KEY)))
        await asyncio.sleep(0)
        given_up.cancel()
        with suppress(asyncio.CancelledError):
            await given_up
        return await kept

    assert with_client(db, act) == ["1"]


@pytest.mark.store
def test_a_lost_connection_is_replaced(db: Db) -> None:
    async def act(client: LoopClient) -> Replies:
        [number] = await ask(client, ("CLIENT", "ID")) or [None]
        waiting = asyncio.ensure_future(ask(client, ("BLPOP", "none", 0)))
        await asyncio.sleep(0)
        await asyncio.to_thread(db.run, ("CLIENT", "KILL", "ID", number))
        assert await waiting is None
        await until_connected(client)
        return await ask(client, ("PING",))

    assert with_client(db, act) == ["PONG"]


@pytest.mark.store
def test_a_trip_on_a_connection_that_ends_is_left_to_threads(db: Db) -> None:
    """In the event loop of the site, whose closed connections refuse what is written."""

    async def act(client: LoopClient) -> list[Any]:
        failures: list[Any] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, failure: failures.append(failure))
        assert client._connection
        client._connection.abort()
        failures.append(await ask(client, ("PING",)))
        await asyncio.sleep(0.01)
        return failures

    uvloop = pytest.importorskip("uvloop")
    assert with_client(db, act, uvloop.new_event_loop) == [None]


@pytest.mark.slow
def test_a_primary_is_not_asked_once_sentinels_name_another(servers: Servers) -> None:
    """It would take writes until they make it a replica, and lose them then."""
    db = open_store(f"redis://127.0.0.1:{servers.sentinel_port}/birds")
    start_heartbeat(db)

    def begins() -> bool:
        with suppress(RedisError), Redis(port=servers.sentinel_port) as watcher:
            return bool(watcher.execute_command("SENTINEL", "FAILOVER", "birds"))
        return False

    async def act() -> bytes:
        async with connected(db) as client, asyncio.timeout(PATIENCE):
            until(begins)
            while await ask(client, ("CONFIG", "GET", "port")) != [["port", new]]:
                await asyncio.sleep(0.01)
            with Redis(port=servers.primary_port) as old:
                return old.role()[0]

    new = str(servers.replica_port)
    assert in_loop(act()) == b"master"
    db.close()


def on_silent_store(act: Callable[[LoopClient, SilentStore], Awaitable[T]]) -> T:
    """Run an act with a client of a store that can fall silent."""

    async def main(store: SilentStore) -> T:
        host, port = store.server_address[:2]
        pool = PlainPool(host=host, port=port, socket_timeout=SILENT_SECONDS, protocol=2)
        async with connected(Db(SingleServer(pool))) as client:
            return await act(client, store)

    with silent_store() as store:
        return in_loop(main(store))


def test_a_silent_store_is_left_to_threads() -> None:
    async def act(client: LoopClient, store: SilentStore) -> None:
        store.answering.clear()
        waiting = [ask(client, ("PING",)) for _ in range(5)]
        assert await asyncio.gather(*waiting) == [None] * 5
        assert await ask(client, ("PING",)) is None  # no connection
        store.answering.set()
        await until_connected(client)

    on_silent_store(act)


@pytest.mark.cluster
def test_a_cluster_is_left_to_threads(cluster: str, settings: Config) -> None:
    db = connect(replace(settings, redis_url=cluster))

    async def act() -> Replies:
        client = LoopClient(db)
        await ask(client, ("PING",))
        await asyncio.sleep(0.1)
        return await ask(client, ("PING",))

    assert in_loop(act()) is None
    db.close()


def test_a_greenlet_waits_as_long_as_a_thread_and_opens_the_circuit() -> None:
    async def act(client: LoopClient, store: SilentStore) -> None:
        db = client._db
        assert await run_as_greenlet(client, db.run, ("PING",)) == "OK"
        store.answering.clear()
        asked = (run_as_greenlet(client, db.run, ("PING",)) for _ in range(5))
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert {type(one) for one in results} == {Unavailable} and db.is_silent
        received = store.commands
        with pytest.raises(Unavailable):
            await run_as_greenlet(client, db.run, ("PING",))
        assert store.commands == received  # the circuit is open
        store.answering.set()

    on_silent_store(act)


@pytest.mark.store
def test_a_greenlet_gets_refusals_as_a_thread_does(db: Db) -> None:
    """An error of one command leaves the replies to others."""
    db.run(("SET", KEY, 1))
    one, wrong = ("GET", KEY), ("HGET", KEY, "a")

    async def act(client: LoopClient) -> list[Any]:
        return await run_as_greenlet(client, db.trip_with_errors, [one, wrong, one])

    replies = with_client(db, act)
    assert replies[::2] == ["1", "1"] and isinstance(replies[1], ResponseError)
    assert str(replies[1]) == str(db.trip_with_errors([wrong])[0])


@pytest.mark.store
def test_greenlets_ask_no_replicas(db: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    """One would hold up the loop, and let all others of its thread ask them."""

    class Replicas:
        def read(self, commands: Sequence[Command]) -> list[Any]:
            return ["of a replica"]

    def asked() -> str:
        db.ask_replicas(True)
        return str(db.run(("PING",)))

    monkeypatch.setattr(db, "replicas", Replicas())
    assert with_client(db, lambda client: run_as_greenlet(client, asked)) == "PONG"
    assert asked() == "of a replica"
    db.ask_replicas(False)
