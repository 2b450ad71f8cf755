"""The queues of the hub's connections, and who is shed."""

import asyncio
from contextlib import ExitStack
from random import Random

import pytest

from tests.support.processes import PATIENCE
from tests.support.streaming.client import client
from webapp.streaming.end_codes import EndCode
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.hub import Hub, HubFull
from webapp.streaming.hub.page_topics import Public
from webapp.streaming.log.messages import Message


async def test_next_batch_returns_everything_queued() -> None:
    hub = Hub(1, 10)
    with hub.open_connection() as connection, client() as gone:
        await subscribe_public(hub, connection)
        publish(hub, message(1))
        publish(hub, message(2), message(3))
        expected = [message(1), message(2), message(3)]
        assert await connection.next_batch(PATIENCE, gone) == expected
        assert await connection.next_batch(0, gone) == []
        publish(hub, message(4))
        assert await connection.next_batch(PATIENCE, gone) == [message(4)]


async def test_lagging_connection_is_ended_and_others_are_not() -> None:
    hub = Hub(2, 2)
    wake = asyncio.Event()
    received: dict[str, list[Message]] = {"slow": [], "quick": []}

    async def read(name: str) -> None:
        with hub.open_connection() as connection, client() as gone:
            await subscribe_public(hub, connection)
            while (batch := await connection.next_batch(PATIENCE, gone)) is not None:
                received[name] += batch
                if name == "slow":
                    await wake.wait()

    slow, quick = (asyncio.create_task(read(name)) for name in received)
    for number in range(6):
        await asyncio.sleep(0)
        publish(hub, message(number))
        while len(received["quick"]) <= number:
            await asyncio.sleep(0)
    wake.set()
    await asyncio.wait({slow}, timeout=PATIENCE)
    assert slow.done()
    assert received["slow"] == received["quick"][: len(received["slow"])]
    assert len(received["slow"]) < 6
    assert received["quick"] == [message(number) for number in range(6)]
    hub.close()
    await quick


async def test_most_lagging_connection_is_shed_when_memory_runs_out() -> None:
    hub = Hub(3, 1_000, max_queued_bytes=100)
    with ExitStack() as stack, client() as gone:
        quick, slow, slowest = [stack.enter_context(hub.open_connection()) for _ in range(3)]
        for connection in (quick, slow, slowest):
            await subscribe_public(hub, connection)
        first, second, third = (message(number, 40) for number in range(3))
        publish(hub, first)
        found = [await connection.next_batch(0, gone) for connection in (quick, slow)]
        assert found == [[first]] * 2
        publish(hub, second)
        assert await quick.next_batch(0, gone) == [second]
        publish(hub, third)  # while 40 bytes of `slow` and 80 of `slowest` are queued
        assert (slowest.end_code, slowest.undelivered) == (EndCode.SHED, 2)
        assert await slowest.next_batch(0, gone) is None
        assert await slow.next_batch(0, gone) == [second, third]
        assert await quick.next_batch(0, gone) == [third]
        assert (quick.end_code, slow.end_code, hub._queued.total) == (0, 0, 0)


async def test_shedding_frees_a_quarter_of_the_memory() -> None:
    hub = Hub(10, 1_000, max_queued_bytes=99)
    with ExitStack() as stack:
        connections = [stack.enter_context(hub.open_connection()) for _ in range(10)]
        for connection in connections:
            await subscribe_public(hub, connection)
        publish(hub, message(1, 10))
        # They had no time to read it.
        assert not any(connection.end_code for connection in connections)
        publish(hub, message(2, 1))
        found = sorted(connection.end_code for connection in connections)
        assert found == [0] * 7 + [EndCode.SHED] * 3


async def test_connection_that_keeps_up_is_never_shed() -> None:
    hub = Hub(9, 10, max_queued_bytes=1)
    with ExitStack() as stack, client() as gone:
        connections = [stack.enter_context(hub.open_connection()) for _ in range(9)]
        for connection in connections:
            await subscribe_public(hub, connection)
        for number in range(3):
            publish(hub, message(number, 1_000))
            batches = [await connection.next_batch(0, gone) for connection in connections]
            assert batches == [[message(number, 1_000)]] * 9
        assert not any(connection.end_code for connection in connections)


async def test_queued_total_matches_the_queues() -> None:
    random, hub = Random(1), Hub(6, 200, max_queued_bytes=500)
    with client() as gone:
        for _ in range(100):
            with ExitStack() as stack:
                connections = [stack.enter_context(hub.open_connection()) for _ in range(6)]
                for connection in connections:
                    connection._task = None  # it would cancel this test
                    await subscribe_public(hub, connection)
                for number in range(30):
                    connection = random.choice(connections)
                    match random.randrange(20):
                        case 0:
                            connection.close(random.choice([EndCode.REVOKED, EndCode.STALLED]))
                        case 1:
                            connection.abort()
                        case 2 | 3 | 4 | 5:
                            await connection.next_batch(0, gone)
                        case _:
                            publish(hub, message(number, random.randrange(1, 60)))
                    queued = [m for connection in connections for m in connection._queue]
                    assert hub._queued.total == sum(m.size for m in queued)
            assert hub._queued.total == 0


async def test_hub_limits_open_connections() -> None:
    hub = Hub(2, 2)
    with hub.open_connection():
        with hub.open_connection(), pytest.raises(HubFull), hub.open_connection():
            pass
        with hub.open_connection():
            pass


async def test_closed_hub_ends_connections_and_refuses_new_ones() -> None:
    hub = Hub(5, 5)
    with hub.open_connection() as connection, client() as gone:
        await subscribe_public(hub, connection)
        publish(hub, message(1))
        hub.close()
        assert await connection.next_batch(PATIENCE, gone) == [message(1)]
        assert await connection.next_batch(PATIENCE, gone) is None
        with pytest.raises(HubFull), hub.open_connection():
            pass


async def test_next_batch_ends_when_the_client_is_gone() -> None:
    with Hub(1, 1).open_connection() as connection, client() as gone:
        waiting = asyncio.create_task(connection.next_batch(PATIENCE, gone))
        await asyncio.sleep(0)
        gone.cancel()
        assert await waiting is None


def message(number: int, size: int = 1) -> Message:
    return Message((number, 0), "update", 1, number, b"%0*d" % (size, number))


def publish(hub: Hub, *messages: Message) -> None:
    hub.publish(messages, messages[-1].position)


async def subscribe_public(hub: Hub, connection: Connection) -> None:
    """Subscribe a connection to the public timeline."""
    await hub.subscribe(connection, Public())
