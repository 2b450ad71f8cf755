"""Run a server on loopback that speaks the store's protocol and reports any version."""

from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread


class Handler(StreamRequestHandler):
    """Answer INFO with the server's `info`, and everything else with an error."""

    def handle(self) -> None:
        while line := self.rfile.readline():
            command = [self._argument() for _ in range(int(line[1:]))]
            if command[0].upper() == b"INFO":
                info: bytes = self.server.info  # type: ignore[attr-defined]
                self.wfile.write(b"$%d\r\n%s\r\n" % (len(info), info))
            else:
                self.wfile.write(b"-ERR unknown command\r\n")

    def _argument(self) -> bytes:
        length = int(self.rfile.readline()[1:])
        return self.rfile.read(length + 2)[:-2]


class Server(ThreadingTCPServer):
    """The store, with its reply to INFO."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, info: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.info = info


@contextmanager
def fake_store(version: str) -> Iterator[str]:
    """Run a store that reports this version of Redis. Yield its address."""
    info = f"# Server\r\nredis_version:{version}\r\nredis_mode:standalone\r\n"
    with Server(info.encode()) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"redis://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
