"""One concurrent round trip: batches of commands to servers, then all their replies.

Only this package and `pubsub.py` use connections.
"""

from collections.abc import Iterable, Sequence
from socket import SO_RCVTIMEO, SO_SNDTIMEO, SOL_SOCKET, socket
from struct import pack
from typing import Any, NamedTuple

from hiredis import pack_command
from redis.connection import Connection, ConnectionPool
from redis.exceptions import ResponseError

from webapp.core.store.reads import Command
from webapp.core.store.replies import STORE_DOWN_ERRORS

from .circuit_breaker import CircuitBreaker, is_timeout


class RawReply(tuple[Any, ...]):
    """A command whose reply stays bytes, such as compressed text."""


class Request(NamedTuple):
    """A command on its way to a server. `position` is its place in the trip.

    `asking`: the server gets ASKING first, because it is taking the key's slot over.
    """

    position: int
    command: Command
    asking: bool = False


def encode(command: Command, with_source: bool = False) -> Command:
    """Replace a script by its SHA-1, or by its source if the server does not know it."""
    if command[0] != "EVALSHA":
        return command
    script, arguments = command[1], command[2:]
    if with_source:
        encoded = ("EVAL", script.text, *arguments)
    else:
        encoded = ("EVALSHA", script.sha, *arguments)
    return RawReply(encoded) if isinstance(command, RawReply) else encoded


def packed(commands: Iterable[Command]) -> bytes:
    """Return commands as a server gets them that knows the scripts."""
    return b"".join(pack_command(encode(command)) for command in commands)


def exchange(
    batches: dict[ConnectionPool, list[Request]], breaker: CircuitBreaker
) -> dict[int, Any]:
    """Send every batch, then read every reply. Return the replies by position.

    An error reply is returned as an exception. A failing connection raises, and so does a server
    whose circuit is open. A server that stays silent opens its circuit.
    """
    connections: list[tuple[ConnectionPool, Connection]] = []
    replies: dict[int, Any] = {}
    pool: ConnectionPool | None = None  # of the server that is sent to or read from
    breaker.begin_trip()
    try:
        for pool, requests in batches.items():
            breaker.check(pool)
            connection = pool.get_connection()
            connections.append((pool, connection))
            _use_kernel_timeouts(connection)
            connection.send_packed_command([pack_requests(requests)], check_health=False)
        for (pool, connection), requests in zip(connections, batches.values(), strict=True):  # noqa: B007
            for request in requests:
                if request.asking:
                    _read_reply(connection)
                is_raw = isinstance(request.command, RawReply)
                replies[request.position] = _read_reply(connection, is_raw)
    except BaseException as error:
        # A connection that still has replies to come must not be used again.
        for _, connection in connections:
            connection.disconnect()
        if pool and is_timeout(error):
            breaker.open(pool)
            error.args = (f"{error} ({address_of(pool)})",)
        raise
    finally:
        breaker.end_trip()
        for pool, connection in connections:
            pool.release(connection)
    return replies


def address_of(pool: ConnectionPool) -> str:
    """Return the address of a server. "the primary" if Sentinels know it."""
    options = pool.connection_kwargs
    if "host" in options:
        return f"{options['host']}:{options['port']}"
    return str(options.get("path", "the primary"))


def pack_requests(requests: Sequence[Request]) -> bytes:
    """Return requests as they are sent, in one piece.

    Why, measured: redis-py's own packing takes three times as long.
    """
    packed = []
    for request in requests:
        if request.asking:
            packed.append(pack_command(("ASKING",)))
        packed.append(pack_command(request.command))
    return b"".join(packed)


def _use_kernel_timeouts(connection: Connection) -> None:
    """Leave the timeouts of a connection to the kernel.

    Why, measured: Python's own timeouts poll before each read and let go of the interpreter each
    time, which a busy process takes long to get back. TLS sockets read for themselves.
    """
    sock = getattr(connection, "_sock", None)
    if type(sock) is socket and (seconds := sock.gettimeout()):
        limit = pack("ll", int(seconds), int(seconds % 1 * 1_000_000))
        for option in (SO_RCVTIMEO, SO_SNDTIMEO):
            sock.setsockopt(SOL_SOCKET, option, limit)
        sock.settimeout(None)


def _read_reply(connection: Connection, raw: bool = False) -> Any:
    try:
        return connection.read_response(disable_decoding=raw)
    except STORE_DOWN_ERRORS:
        raise
    except ResponseError as error:
        return error
