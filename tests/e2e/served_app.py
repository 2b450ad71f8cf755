"""Serve an app to a browser that stays open when the app's test ends."""

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from threading import Event, Thread
from typing import Any

from flask import Flask
from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

HOST = "127.0.0.1"
POLL_SECONDS = 0.02  # until the server sees that it is to end


class AppServer(ThreadedWSGIServer):
    """Serves an app, and streams that stay open and send nothing."""

    # What a page sent as it closed is answered before the next test empties the store.
    daemon_threads = False

    def __init__(self, app: Flask, port: int) -> None:
        self._closing = Event()
        self.unused: set[socket.socket] = set()  # connections without a request so far
        super().__init__(HOST, port, self._with_quiet_streams(app), RequestHandler)
        self._thread = Thread(target=self.serve_forever, args=(POLL_SECONDS,))
        self._thread.start()

    def _with_quiet_streams(self, app: Flask) -> Callable[..., Iterable[bytes]]:
        def stream() -> Iterator[bytes]:
            yield b":\n\n"
            self._closing.wait()

        def serve(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            if not environ["PATH_INFO"].startswith("/stream/"):
                return app(environ, start_response)
            start_response("200 OK", [("Content-Type", "text/event-stream")])
            return stream()

        return serve

    def process_request(self, request: Any, client_address: Any) -> None:
        """Let a thread answer the request of a connection, which may come much later."""
        self.unused.add(request)
        super().process_request(request, client_address)

    def server_close(self) -> None:
        """Close the server, and the connections which a browser has opened in advance."""
        for connection in list(self.unused):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()

    def close(self) -> None:
        """End the streams, answer what was asked, and close the server."""
        self._closing.set()
        self.shutdown()
        self._thread.join()


class RequestHandler(WSGIRequestHandler):
    """Tells the server that a connection has a request."""

    server: AppServer

    def parse_request(self) -> bool:
        """Read the headers of a request."""
        self.server.unused.discard(self.connection)
        return super().parse_request()
