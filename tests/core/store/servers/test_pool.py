"""The pool of connections: reuse, connections that broke, threads and forks."""

import pytest
from redis.backoff import NoBackoff
from redis.connection import Connection
from redis.exceptions import ConnectionError
from redis.retry import Retry

from tests.support.concurrently import at_once
from tests.support.processes import free_port
from webapp.config import Config
from webapp.core.store.servers.replicas import PlainPool

CLIENT_ID = ("CLIENT", "ID")


@pytest.fixture
def pool(settings: Config) -> PlainPool:
    pool: PlainPool = PlainPool.from_url(settings.store_url, decode_responses=True)
    return pool


def run(pool: PlainPool, *command: str) -> str:
    """Send a command on a connection of the pool and return the reply."""
    connection = pool.get_connection()
    connection.send_command(*command)
    reply = connection.read_response()
    pool.release(connection)
    return str(reply)


def test_an_idle_connection_is_used_again(pool: PlainPool) -> None:
    first = run(pool, *CLIENT_ID)
    assert run(pool, *CLIENT_ID) == first
    taken = pool.get_connection()
    assert run(pool, *CLIENT_ID) != first
    pool.release(taken)
    pool.disconnect()
    assert run(pool, *CLIENT_ID) != first


def test_a_connection_that_the_server_closed_is_replaced(pool: PlainPool) -> None:
    other = pool.get_connection()
    client_id = run(pool, *CLIENT_ID)
    other.send_command("CLIENT", "KILL", "ID", client_id)
    assert other.read_response() == 1
    assert run(pool, *CLIENT_ID) != client_id
    assert len(pool._idle) == 1


def test_a_connection_with_a_reply_left_is_not_used(pool: PlainPool) -> None:
    connection = pool.get_connection()
    connection.send_command("PING")
    assert connection.can_read(timeout=10)
    pool.release(connection)
    assert run(pool, "ECHO", "lark") == "lark"


class CountingConnection(Connection):
    """A connection that counts how often it is opened."""

    attempts = 0

    def connect(self) -> None:
        type(self).attempts += 1
        super().connect()


def test_a_server_that_is_gone_is_asked_once_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CountingConnection, "attempts", 0)
    pool: PlainPool = PlainPool(
        connection_class=CountingConnection,
        host="127.0.0.1",
        port=free_port(),
        max_connections=1,
        retry=Retry(NoBackoff(), 0),
    )
    for attempts in (1, 2, 3):
        with pytest.raises(ConnectionError):
            pool.get_connection()
        assert CountingConnection.attempts == attempts and len(pool._idle) == 1


def test_threads_share_connections_and_none_is_used_twice_at_once(pool: PlainPool) -> None:
    def echo(number: int) -> bool:
        return run(pool, "ECHO", str(number)) == str(number)

    assert all(at_once(16, echo, range(2_000)))
    assert 1 <= len(pool._idle) == len(set(pool._idle)) <= 16


def test_a_forked_process_opens_connections_of_its_own(pool: PlainPool) -> None:
    first = run(pool, *CLIENT_ID)
    pool.pid = 0  # as if this process were a child of the one that connected
    assert run(pool, *CLIENT_ID) != first and len(pool._idle) == 1
