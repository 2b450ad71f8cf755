"""Send a process's figures to the store every three seconds, in two trips."""

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.util import Finalize
from operator import itemgetter

import orjson

from webapp.core.errors import Unavailable
from webapp.core.logs import log
from webapp.core.metrics import keys
from webapp.core.metrics.log_lines import LineHandler
from webapp.core.metrics.recorder import RECORDER, Figures, Recorder
from webapp.core.store import Site, script
from webapp.core.store.connection import PROGRAM_VERSION
from webapp.core.store.keys import schema_version

ADD = script("core/metrics/lua/add.lua")
FLUSH_SECONDS = 3.0
FEATURE = "metrics"
KEYS_SENT = 200  # of the keys that were sampled, those with most commands


class Reporter:
    """Sends the figures of one process. A killed process loses those of its last three seconds."""

    def __init__(
        self,
        site: Site,
        kind: str,
        recorder: Recorder = RECORDER,
        open_streams: Callable[[], int] = lambda: 0,
    ) -> None:
        """Make the reporter of a process. `kind`: web, stream or worker."""
        self._site, self._recorder, self._open_streams = site, recorder, open_streams
        self._host, self._pid = socket.gethostname(), os.getpid()
        self._about = {"kind": kind, "started": int(time.time()), "version": PROGRAM_VERSION}
        self._number = time.time_ns()  # above those of an earlier process with this id
        self._unsent: dict[str, object] | None = None
        self._stopped, self._lock = threading.Event(), threading.Lock()

    @property
    def id(self) -> str:
        """Return the process's name, under which a worker also holds its leases."""
        return f"{self._host}:{self._pid}"

    def flush(self) -> None:
        """Send a batch. Two trips. Raises Unavailable; the same batch is sent again next time.

        The script adds a batch once, so a lost reply changes nothing. Nothing is sent to a store
        that was emptied, which a site may begin with anew.
        """
        with self._lock:
            if FEATURE not in self._site.config.enabled_features:
                self._recorder.take()
                return
            if self._site.db.run(("GET", schema_version())) is None:
                return
            if self._unsent is None:
                self._number += 1
                self._unsent = _encode(self._recorder.take())
            about = {**self._about, "streams": self._open_streams()}
            batch = orjson.dumps({**self._unsent, "process": about})
            command = ADD(
                host=self._host,
                pid=self._pid,
                number=self._number,
                batch=batch,
                new_salt=secrets.token_hex(16),
            )
            self._site.db.run(command)
            self._unsent = None

    def run(self) -> None:
        """Send batches until the process ends."""
        while not self._stopped.wait(FLUSH_SECONDS):
            try:
                self.flush()
            except Unavailable:
                continue
            except Exception:  # the thread must go on: without it, the process would seem lost
                log.warning("a batch of figures was not added", exc_info=True)
                self._unsent = None

    def stop(self) -> None:
        """Send the last batch, and say that the process ends."""
        self._stopped.set()
        with suppress(Unavailable):
            self.flush()
            self._site.db.run(("ZREM", keys.processes(), self.id))


def start(site: Site, kind: str, open_streams: Callable[[], int] = lambda: 0) -> None:
    """Report from this process for as long as it lives, while the feature is switched on."""
    log.addHandler(LineHandler(RECORDER))
    reporter = Reporter(site, kind, open_streams=open_streams)
    threading.Thread(target=reporter.run, name="metrics", daemon=True).start()
    Finalize(None, reporter.stop, exitpriority=0)  # in a server's processes, atexit does nothing


def _encode(figures: Figures) -> dict[str, object]:
    numbers = (*figures.counts.items(), *figures.values.items())
    return {
        "samples": [(metric.kind, metric.name, number) for metric, number in numbers],
        "timings": {route: one.as_fields() for route, one in figures.timings.items()},
        "lines": list(map(tuple, figures.lines)),
        "visitors": {
            country: [person for person, found in figures.visitors.items() if found == country]
            for country in set(figures.visitors.values())
        },
        "signups": figures.signups,
        "active": list(figures.active),
        "keys": dict(sorted(figures.keys.items(), key=itemgetter(1))[-KEYS_SENT:]),
    }
