"""The two HTTP servers under Granian: the pages and the streams."""

from __future__ import annotations

import gc
import multiprocessing
import resource
import sys
from collections.abc import Callable
from functools import partial
from signal import SIGKILL
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

from webapp.config import BadSetting, Config
from webapp.core.store.connection import connect
from webapp.errors import StoreError

from . import cpu_affinity, parent_death, ports
from .child_process import log_line

WEB_CONNECTIONS = 1_000  # open at once in one web process; more wait in the kernel
GC_THRESHOLD = 20_000  # new objects in a web process before it looks for those that refer to each other in circles
WEB_BACKLOG = 1_024  # connections waiting in the kernel
STREAM_EXTRA_CONNECTIONS = 100  # connections above `streams_max`, so that a client too many is refused and not left waiting
STREAM_BACKLOG = 4_096
EXTRA_FILES = 512  # open files besides connections
KILL_SECONDS = 5  # a server's process that does not end by itself is killed; the supervisor waits a little longer
HEADER_SECONDS = 20  # to send a request's head, and to send nothing between two requests
HEADER_BYTES = 32_768  # of the head of a request for a page, parts of which are remembered; a longer one gets 431


def serve_pages(config: Config) -> None:
    """Serves the pages until told to stop. Raises BadSetting or StoreError when it cannot begin."""
    ports.check_available(config.host, config.port, "--port or PORT")
    _serve(
        config,
        _web_app,
        pinned_count=config.web_workers if config.web_pinned else 0,
        port=config.port,
        workers=config.web_workers,
        backlog=WEB_BACKLOG,
        backpressure=WEB_CONNECTIONS,
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADER_SECONDS * 1000, max_buffer_size=HEADER_BYTES
        ),
    )


def serve_streams(config: Config) -> None:
    """Serves the streams until told to stop. Raises BadSetting or StoreError when it cannot begin."""
    ports.check_available(config.host, config.stream_port, "--stream-port or STREAM_PORT")
    _serve(
        config,
        _stream_app,
        port=config.stream_port,
        workers=1,
        backlog=STREAM_BACKLOG,
        backpressure=config.streams_max + STREAM_EXTRA_CONNECTIONS,
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADER_SECONDS * 1000
        ),  # a query may name much to look for
    )


def _serve(
    config: Config, make_app: Callable[[], Any], pinned_count: int = 0, **options: Any
) -> None:
    connect(
        config
    ).close()  # so that a store that will not do is one line, not a traceback from every process
    _raise_file_limit(options["backpressure"] + EXTRA_FILES)
    Granian(
        make_app.__name__,
        address=config.host,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_SECONDS,
        log_level=LogLevels.error,  # its warnings are about numbers that we chose
        **options,
    ).serve(target_loader=partial(_load_app, make_app, pinned_count), wrap_loader=False)


def _raise_file_limit(wanted: int) -> None:
    """Raises this process's limit of open files, as far as it may; every connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, limit), hard))
        if limit < wanted:
            log_line(
                f"only {limit} files may be open at once, and so fewer connections than allowed for ({wanted})."
            )


def _load_app(make_app: Callable[[], Any], pinned_count: int) -> Any:
    """The app, made in a server's own process, which first ties itself to its parent; and, as one of so many that are
    to be `pinned`, to a CPU.
    """
    parent = multiprocessing.parent_process()
    if parent and parent.pid:
        parent_death.set_parent_death_signal(SIGKILL, parent.pid)
        cpu_affinity.pin_to_cpu(parent.pid, pinned_count)
    try:
        return make_app()
    except (BadSetting, StoreError) as error:
        print(error, file=sys.stderr, flush=True)
        sys.exit(1)


def _web_app() -> Any:
    from webapp import create_app
    from webapp.accounts.sessions.store import is_member
    from webapp.core.forms.body_limits import upload_limit
    from webapp.core.net.proxies import behind_proxies
    from webapp.pagecache import middleware

    from .asgi_bridge import AsgiBridge

    app = create_app()
    config, cache_fast_path = app.extensions["linnet.config"], middleware.enable_local_cache(app)
    app.extensions["linnet.assets"].compress()
    # What is there by now stays; to look through it again and again would take one request in thirty's time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    fast_path = behind_proxies(cache_fast_path, config) if cache_fast_path else None
    return AsgiBridge(app, config, partial(upload_limit, app, partial(is_member, app)), fast_path)


def _stream_app() -> Any:
    from webapp import create_app
    from webapp.chat.messages.rendering import Renderer
    from webapp.streaming.pages.server import create_stream_app, public_address

    app = create_app()  # whose templates messages of chats are shown with
    return create_stream_app(Renderer(app, public_address(app.extensions["linnet.config"])))
