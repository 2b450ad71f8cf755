"""Ping WebSockets, and end those whose clients begin a message and do not end it, or do not answer.

The server keeps a message until it is whole, up to 64 MB, and has no setting for that. So the bytes
that the kernel has received are compared with the messages that came. The server sends no pings
either, and proxies cut a connection on which nothing is sent. So pings are written to its socket:
in the event loop while no frame is being sent, and once all before have arrived. This is done on
Linux alone.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import ioctl
from typing import NamedTuple

from webapp.streaming.background import run_forever

LOOK_SECONDS = 0.5  # between two looks at all sockets
PING, PING_SECONDS = b"\x89\x00", 30.0  # a whole frame; as often as Mastodon sends one
UNFINISHED_MAX = 1024 * 1024  # bytes besides whole messages: handshake, pings, a begun message
FRAME_BYTES = 14  # of a frame's head, at most
NOT_FOUND, NEW = -1, -2  # in place of a file descriptor
RECEIVED = slice(128, 136)  # `tcpi_bytes_received` of the kernel's `tcp_info`


class Client(NamedTuple):
    """The other end of a socket."""

    host: str
    port: int


class WatchedSocket:
    """An open WebSocket.

    `descriptor`: of its file, or NEW, or NOT_FOUND. `allowed`: the bytes that it may have received.
    `ping_at`: when it is pinged next, by the
    monotonic clock. `before_ping`: the bytes it had received at the last ping, 0 if none was sent.
    `sending`: how many frames are being sent to it.
    """

    def __init__(self) -> None:
        self.descriptor, self.allowed = NEW, UNFINISHED_MAX
        self.ping_at, self.before_ping = time.monotonic() + PING_SECONDS, 0
        self.sending = 0

    def add_message(self, length: int) -> None:
        """Count a whole message."""
        self.allowed += length + FRAME_BYTES

    @contextmanager
    def sending_frame(self) -> Iterator[None]:
        """Keep pings out of the frame that the block sends."""
        self.sending += 1
        try:
            yield
        finally:
            self.sending -= 1


class SocketWatch:
    """The open WebSockets of a process, by their clients."""

    def __init__(self) -> None:
        self._watched: dict[Client, WatchedSocket] = {}

    @contextmanager
    def watch(self, host: str, port: str) -> Iterator[WatchedSocket]:
        """Watch the socket of a client while the block runs."""
        client = Client(host.removeprefix("::ffff:"), int(port))
        opened = self._watched[client] = WatchedSocket()
        try:
            yield opened
        finally:
            if self._watched.get(client) is opened:  # else the client is back already
                del self._watched[client]

    async def run(self) -> None:
        """Ping sockets, and end those that have received too much or nothing, for ever."""
        if sys.platform == "linux":
            await run_forever("the watch over WebSockets", self._look)

    async def _look(self) -> None:
        await asyncio.sleep(LOOK_SECONDS)
        if self._watched:
            for client, one, count in await asyncio.to_thread(look_at, self._watched.copy()):
                ping(client, one, count)


def look_at(watched: dict[Client, WatchedSocket]) -> list[tuple[Client, WatchedSocket, int]]:
    """Look at each socket, after finding those that are new, and end it if it has to go.

    Return those that are due to be pinged, with the number of bytes that they have received.
    """
    due = []
    new = {client: one for client, one in watched.items() if one.descriptor == NEW}
    for one in new.values():
        one.descriptor = NOT_FOUND
    for descriptor in map(int, os.listdir("/proc/self/fd") if new else ()):
        with suppress(OSError), _opened(descriptor) as opened:
            if found := new.get(_client_of(opened)):
                found.descriptor = descriptor
    for client, one in watched.items():
        with suppress(OSError), _opened(one.descriptor) as opened:
            info = opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, RECEIVED.stop)
            count = int.from_bytes(info[RECEIVED], sys.byteorder)
            is_due = time.monotonic() >= one.ping_at
            if count > one.allowed or (is_due and count == one.before_ping):
                if _client_of(opened) == client:
                    opened.shutdown(socket.SHUT_RDWR)
            elif is_due:
                due.append((client, one, count))
    return due


def ping(client: Client, watched: WatchedSocket, count: int) -> None:
    """Ping a socket that has received `count` bytes, unless a part of a frame may wait to be sent.

    Only the event loop that sends the frames may call this.
    """
    watched.before_ping, watched.ping_at = 0, time.monotonic() + PING_SECONDS
    if watched.sending:
        return
    with suppress(OSError), _opened(watched.descriptor) as opened:
        waiting = ioctl(opened, termios.TIOCOUTQ, bytes(4))
        is_idle = _client_of(opened) == client and not any(waiting)
        if is_idle and opened.send(PING, socket.MSG_DONTWAIT) == len(PING):
            watched.before_ping = count


def _opened(descriptor: int) -> socket.socket:
    """Return a copy of a socket. Raises OSError for another file, or none."""
    copied = os.dup(descriptor)
    try:
        return socket.socket(fileno=copied)
    except OSError:
        os.close(copied)
        raise


def _client_of(opened: socket.socket) -> Client:
    if opened.family not in (socket.AF_INET, socket.AF_INET6):
        return Client("", 0)
    host, port = opened.getpeername()[:2]
    return Client(host.removeprefix("::ffff:"), port)
