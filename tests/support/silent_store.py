"""Run a store on loopback that can stop answering while it still accepts commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socket import SHUT_RDWR, socket
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Event, Thread

from redis.connection import ConnectionPool


class Handler(StreamRequestHandler):
    """Answers every command with OK unless the store is silent."""

    server: SilentStore

    def handle(self) -> None:
        self.server.connections.append(self.connection)
        while line := self.rfile.readline():
            for _ in range(int(line[1:])):
                length = int(self.rfile.readline()[1:])
                self.rfile.read(length + 2)
            self.server.commands += 1
            if self.server.answering.is_set():
                self.wfile.write(b"+OK\r\n")


class SilentStore(ThreadingTCPServer):
    """The store. `commands` counts what it received."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answering = Event()
        self.answering.set()
        self.commands = 0
        self.connections: list[socket] = []

    def shut_down_connections(self) -> None:
        """End the connections that there are, as a store does that is killed."""
        for connection in list(self.connections):
            with suppress(OSError):
                connection.shutdown(SHUT_RDWR)

    def pool(self, timeout: float) -> ConnectionPool:
        """Return a pool of connections that wait for `timeout` seconds."""
        host, port = self.server_address[:2]
        return ConnectionPool(host=host, port=port, socket_timeout=timeout, protocol=2)


@contextmanager
def silent_store() -> Iterator[SilentStore]:
    """Run a store until the block ends."""
    with SilentStore() as store:
        Thread(target=store.serve_forever, args=(0.02,), daemon=True).start()
        yield store
        store.shutdown()
