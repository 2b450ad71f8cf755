"""Run an HTTP server on loopback that records webhook requests and answers as a test wants."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson

Responder = Callable[[BaseHTTPRequestHandler], None]


@dataclass(frozen=True)
class ReceivedRequest:
    """A request that the server received."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return orjson.loads(self.body)


@dataclass
class Receiver:
    """The server: the requests in order, and how it answers the next; the last one repeats."""

    url: str = ""
    requests: list[ReceivedRequest] = field(default_factory=list)
    responders: list[Responder] = field(default_factory=list)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        (self.responders.pop(0) if len(self.responders) > 1 else self.responders[0])(handler)


def status(code: int, **headers: str) -> Responder:
    """Return a responder that sends this status and no body."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in {"Content-Length": "0", **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()

    return answer


def held(until: threading.Event, code: int) -> Responder:
    """Return a responder that sends a status once an event is set."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        until.wait(60)
        status(code)(handler)

    return answer


def drip(handler: BaseHTTPRequestHandler) -> None:
    """Answer byte by byte, without end, until the client disconnects."""
    stop = threading.Event()
    try:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not stop.wait(0.01):
            handler.wfile.write(b"x")
    except OSError:
        pass
    handler.close_connection = True


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a server while the block runs. It answers 200 unless a test changes `responders`."""
    receiver = Receiver(responders=[status(200)])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            receiver.requests.append(
                ReceivedRequest(
                    self.path, {name.lower(): value for name, value in self.headers.items()}, body
                )
            )
            receiver.answer(self)

        do_GET = do_POST

        def log_message(self, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Ignore clients that disconnect."""

    server = Server(("127.0.0.1", 0), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
