"""Let a proxy notice that a server ends, before it does.

A proxy may send a request on a kept connection at the moment when its server closes it. It must not
send that request again unless it only reads, so the client gets an error. With DRAIN_SECONDS, a
server that is asked to end first answers 503 to health checks, and serves everything else as
before. The proxy then sends requests to another server.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Awaitable, Callable
from typing import Any

from granian.server import MPServer

from webapp.core.net.ip import HEALTH_PATHS
from webapp.server.bridge.wsgi import Scope, Send, WsgiResponse, send_response

AsgiApp = Callable[[Scope, Any, Send], Awaitable[None]]
ENDING = WsgiResponse(
    503,
    [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")],
    b"This process ends soon.\n",
)


class Drain:
    """Tells the processes of a server that it will end. They share its memory."""

    def __init__(self) -> None:
        self._begun = multiprocessing.RawValue("b", 0)

    def begin(self) -> None:
        """Fail all health checks from now on."""
        self._begun.value = 1

    def wrap(self, app: AsgiApp) -> AsgiApp:
        """Return the app with its health checks failing once the drain has begun."""

        def serve(scope: Scope, receive: Any, send: Send) -> Awaitable[None]:
            if self._begun.value and scope.get("path") in HEALTH_PATHS:
                return send_response(send, ENDING)
            return app(scope, receive, send)

        return serve


class DrainingServer(MPServer):
    """Granian that drains before it ends, for `drain_seconds`. A second signal ends the wait."""

    def __init__(self, *args: Any, drain_seconds: float, **options: Any) -> None:
        super().__init__(*args, **options)
        self.drain = Drain()
        self._drain_seconds = drain_seconds

    def shutdown(self, exit_code: int = 0) -> None:
        """End all processes. Drain first if a signal asks for it, not after crashes."""
        if self.interrupt_signal and self._drain_seconds:
            self.drain.begin()
            self.main_loop_interrupt.clear()
            self.main_loop_interrupt.wait(self._drain_seconds)
        super().shutdown(exit_code)  # type: ignore[no-untyped-call]
