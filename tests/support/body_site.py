"""A site that gets bodies piece by piece."""

import os
import socket
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

from tests.support.fork_server import fork_server
from webapp.config import Config

PATIENCE = 30.0  # seconds, enough for a busy machine


class BodySite:
    """`linnet serve` with two processes, or another command, on its own port."""

    def __init__(
        self, store: str, output: Path, *, command: str = "serve", **settings: str
    ) -> None:
        self.command = command
        with closing(socket.create_server(("127.0.0.1", 0))) as free:
            self.port: int = free.getsockname()[1]
        ours = {field.name.upper() for field in fields(Config)}
        env = {name: value for name, value in os.environ.items() if name not in ours}
        env |= {
            "REDIS_URL": store,
            "SECRET_KEY": "of this test",
            "PORT": str(self.port),
            "STREAM_PORT": str(self.port),
            "BODY_DEADLINE": "1",
        }
        self.output = output
        output.touch()
        self.process = fork_server().start([command], env | settings, output)

    def request(self, path: str, method: str = "GET", **options: object) -> HTTPResponse | None:
        """Return a response with its body, or None without one within ten seconds."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, **options)  # type: ignore[arg-type]
            answer = connection.getresponse()
            answer.body = answer.read()  # type: ignore[attr-defined]
            return answer
        except OSError:
            return None
        finally:
            connection.close()

    def until(self, condition: Callable[[], object]) -> None:
        """Waits for something to become true."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, self.output.read_text()
            assert self.process.poll() is None, self.output.read_text()
            time.sleep(0.05)

    def responds_with(
        self, status: int, path: str, method: str = "GET", **options: object
    ) -> Callable[[], bool]:
        """Return a function that makes a request and checks its status."""

        def check() -> bool:
            answer = self.request(path, method, **options)
            return answer is not None and answer.status == status

        return check

    def stall(self, chunked: bool) -> socket.socket:
        """Start an upload that stops after its first bytes."""
        upload = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        framing = (
            b"Transfer-Encoding: chunked\r\n\r\n6\r\n"
            if chunked
            else b"Content-Length: 50000\r\n\r\n"
        )
        upload.sendall(b"POST /login HTTP/1.1\r\nHost: x\r\n" + framing + b"login=")
        return upload
