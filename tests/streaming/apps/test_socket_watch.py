"""The watch over WebSockets: clients that answer no ping, and where pings may land."""

import select
import socket
import sys
from collections.abc import Iterator

import pytest

from tests.support.processes import PATIENCE, until
from webapp.streaming.apps.socket_watch import (
    PING,
    Client,
    SocketWatch,
    WatchedSocket,
    look_at,
    ping,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts what came")
PONG = b"\x8a\x80mask"


class Pair:
    """A client that is connected, and what is known of it."""

    def __init__(self, client: socket.socket, served: socket.socket, known: WatchedSocket) -> None:
        self.client, self.served, self.known = client, served, known

    def look(self) -> None:
        """Look at the socket when its ping is due."""
        self.known.ping_at = 0.0
        for due in look_at({Client(*self.client.getsockname()): self.known}):
            ping(*due)

    def answer(self) -> None:
        """Answer a ping, and wait until that has come."""
        self.client.sendall(PONG)
        assert select.select([self.served], [], [], PATIENCE)[0]

    def has_news(self) -> bool:
        """Return True if the client may read something."""
        return bool(select.select([self.client], [], [], 0)[0])


@pytest.fixture
def pair() -> Iterator[Pair]:
    """A client that has sent something."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname(), PATIENCE) as client,
    ):
        served, address = listening.accept()
        with served, SocketWatch().watch(*address) as known:
            pair = Pair(client, served, known)
            pair.answer()
            yield pair


def test_a_client_that_answers_stays_and_one_that_does_not_is_disconnected(pair: Pair) -> None:
    for _ in range(2):
        pair.look()
        assert pair.client.recv(9) == PING
        pair.served.recv(9)
        pair.answer()
    pair.look()
    assert pair.client.recv(9) == PING
    pair.look()
    assert pair.client.recv(9) == b"", "the end"


def test_no_ping_lands_within_what_waits_to_be_sent(pair: Pair) -> None:
    pair.served.setblocking(False)
    sent = 0
    while select.select([], [pair.served], [], 0)[1]:
        sent += pair.served.send(bytes(65_536))
    for _ in range(2):
        pair.look()
    while sent:
        part = pair.client.recv(sent)
        assert not any(part)
        sent -= len(part)

    def is_pinged() -> bool:
        pair.look()
        return pair.has_news()

    until(is_pinged)
    assert pair.client.recv(9) == PING


def test_no_ping_lands_within_a_frame_that_is_being_sent(pair: Pair) -> None:
    with pair.known.sending_frame():
        for _ in range(2):
            pair.look()
        assert not pair.has_news()
    pair.look()
    assert pair.client.recv(9) == PING
