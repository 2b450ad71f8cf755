"""The two HTTP servers under Granian: the pages and the streams.

Each has a parent, which starts its processes and replaces those that die or hang.
"""

import asyncio
import logging
import multiprocessing
import re
import resource
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from signal import SIGKILL
from threading import Thread
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import MPServer

from webapp.config import BadSetting, Config
from webapp.core.errors import StoreError
from webapp.core.process_memory import (
    freeze_startup_objects,
    share_one_heap,
    share_startup_objects,
)
from webapp.core.store.connection import connect

from . import cpu_affinity, ports
from .child_process import log_line
from .liveness import parent_death
from .liveness.draining import AsgiApp, Drain, DrainingServer
from .liveness.heartbeats import BEAT_SECONDS, HANG_SECONDS, Heartbeats, beat

WEB_CONNECTIONS = 1_000  # open in one web process; more wait in the kernel
WEB_BACKLOG = 1_024  # connections that wait in the kernel
STREAM_BACKLOG = 4_096
STREAM_EXTRA_CONNECTIONS = 100  # above `streams_max`, so that surplus clients get a refusal
STREAM_IDLE_SECONDS = 30  # before the kernel asks whether a silent client is still there
STREAM_UNSENT_BYTES = 16_384  # that the kernel may hold for a client which reads slowly
EXTRA_FILES = 512  # open files besides connections
KILL_SECONDS = 8  # that requests in flight get before a server's process is killed
HEADER_SECONDS = 20  # to send a request's head, and between two requests
HEADER_BYTES = 32_768  # of a page request's head, which caches remember in parts; else 431
STREAM_HEADER_BYTES = 65_536  # of a stream request's head: a query may name many terms

AppFactory = Callable[[], Any]


class StreamServer(DrainingServer):
    """Granian with a limit on the bytes that the kernel holds for a slow client.

    Without a limit it takes megabytes. A slow client then learns minutes late that its stream ends.
    Granian has no option for this. Connections inherit it from their listening socket.
    """

    def _init_shared_socket(self) -> None:
        super()._init_shared_socket()  # type: ignore[no-untyped-call]
        if self._ssp is not None:  # else it is built
            self._shd = self._ssp.build()
            self._sso = socket.socket(fileno=self._shd.get_fd())
            self._sso.set_inheritable(True)
            self._ssp = None
        option = getattr(socket, "TCP_NOTSENT_LOWAT", None)  # of Linux and macOS
        if option and self._sso:
            self._sso.setsockopt(socket.IPPROTO_TCP, option, STREAM_UNSENT_BYTES)
        idle = getattr(socket, "TCP_KEEPIDLE", None)
        if idle and self._sso:  # Granian sends no pings over WebSockets
            self._sso.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            self._sso.setsockopt(socket.IPPROTO_TCP, idle, STREAM_IDLE_SECONDS)


def serve_pages(config: Config, make_app: AppFactory) -> None:
    """Serve the pages until told to stop. Raises BadSetting or StoreError at the start."""
    ports.check_available(config.host, config.port, "--port or PORT")
    _serve(
        config,
        "the pages",
        partial(_frozen, make_app),
        pinned_count=config.web_workers if config.web_pinned else 0,
        port=config.port,
        workers=config.web_workers,
        backlog=WEB_BACKLOG,
        backpressure=WEB_CONNECTIONS,
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADER_SECONDS * 1000, max_buffer_size=HEADER_BYTES
        ),
    )


def serve_streams(config: Config, make_app: AppFactory) -> None:
    """Serve the streams until told to stop. Raises BadSetting or StoreError at the start."""
    ports.check_available(config.host, config.stream_port, "--stream-port or STREAM_PORT")
    _serve(
        config,
        "the streams",
        make_app,
        server=StreamServer,
        port=config.stream_port,
        workers=1,
        backlog=STREAM_BACKLOG,
        backpressure=config.streams_max + STREAM_EXTRA_CONNECTIONS,
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADER_SECONDS * 1000, max_buffer_size=STREAM_HEADER_BYTES
        ),
    )


def _serve(
    config: Config,
    name: str,
    make_app: AppFactory,
    pinned_count: int = 0,
    server: type[DrainingServer] = DrainingServer,
    **options: Any,
) -> None:
    connect(config).close()  # a bad store is one line here, not a traceback of each process
    _raise_file_limit(options["backpressure"] + EXTRA_FILES)
    heartbeats = Heartbeats()
    logging.getLogger("_granian").addFilter(partial(_print_line, name))
    running = server(
        "linnet",
        address=config.host,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=True,  # of apps
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_SECONDS,
        log_level=LogLevels.error,  # its warnings are about numbers chosen here
        drain_seconds=config.drain_seconds,
        **options,
    )
    Thread(target=_replace_hung, args=(running, heartbeats), daemon=True).start()
    load = partial(_load_app, make_app, pinned_count, heartbeats.writer, running.drain)
    share_one_heap()
    share_startup_objects()
    running.serve(target_loader=load, wrap_loader=False)


def _print_line(name: str, record: logging.LogRecord) -> bool:
    """Print a line of Granian as the site does. It calls the processes of both servers workers."""
    log_line(re.sub(r"worker-(\d+)", rf"server process \1 of {name}", record.getMessage()))
    return False


def _replace_hung(server: MPServer, heartbeats: Heartbeats) -> None:
    """Kill processes that hang, for ever. The server starts another one for each that ends."""
    while True:
        time.sleep(BEAT_SECONDS)
        processes = {worker.inner.pid: worker.inner for worker in list(server.wrks)}
        if hung := heartbeats.find_hung(processes):
            log_line(f"the process {hung} has not responded for {HANG_SECONDS:g} s; replacing it.")
            processes[hung].kill()


def _raise_file_limit(wanted: int) -> None:
    """Raise this process's limit of open files, as far as it may. Each connection is a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, limit), hard))
    if limit < wanted:
        log_line(
            f"only {limit} files may be open, and so fewer connections than allowed for ({wanted})."
        )


def _load_app(make_app: AppFactory, pinned_count: int, writer: Connection, drain: Drain) -> AsgiApp:
    """Make the app in a server's process, bound to its parent and perhaps pinned to a CPU.

    Its event loop, which does not run yet, writes heartbeats to `writer`.
    """
    parent = multiprocessing.parent_process()
    if parent and parent.pid:
        parent_death.set_parent_death_signal(SIGKILL, parent.pid)
        cpu_affinity.pin_to_cpu(parent.pid, pinned_count)
    loop = asyncio.get_event_loop()
    loop.call_soon(beat, writer, loop)
    try:
        return drain.wrap(make_app())
    except (BadSetting, StoreError) as error:
        print(error, file=sys.stderr, flush=True)
        sys.exit(1)


def _frozen(make_app: AppFactory) -> Any:
    """Make the app, and keep the garbage collector away from its objects."""
    app = make_app()
    freeze_startup_objects()
    return app
