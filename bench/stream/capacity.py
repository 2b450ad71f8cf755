"""Measure the streaming API with 5,000 clients that track words, at an even pace.

`soak` does so for a long time.

One machine runs the store, one web process, the worker, the stream process and all the clients.
Statuses are posted over HTTP by signed-in members. What a client asked for is known before a status
is posted, so that every message is waited for, and those that nobody asked for are counted too.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from statistics import median, quantiles

from bench.site import Site, add_members, site
from bench.table import Figure

from . import firehose, matching
from .clients import PATIENCE, Client, Tracker, Watch, crowd, request
from .posting import POSTERS, Poster, Posting, Script, until
from .processes import FIRST_READER, bearers, reference, stream, web, worker

CLIENTS, RATE = 5_000, 100  # clients that track; statuses a second
SECONDS = 60  # of posting that are measured, after WARM_SECONDS that are not
WARM_SECONDS = 5
PAUSE_SECONDS = 2.0  # before memory is looked at
SOAK_SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
SOAK_WARM = 60.0  # seconds until all that is kept for a while is there
COMING = 100  # of the clients, those who come and go all the time
SAMPLE_SECONDS = 2.0  # between two looks at the memory
P99_MS, IDLE_BYTES, GROWTH = 250, 60_000, 3.0  # the targets; growth in percent


class Scene:
    """Run a stream process with clients that track words, and posters."""

    def __init__(self, here: Site, stack: ExitStack, clients: int) -> None:
        self.crowd = stack.enter_context(crowd())
        self.stream = stack.enter_context(stream(here))
        self.script, self.watch = Script(CLIENTS), Watch()
        self._bearers = bearers(here, range(FIRST_READER, FIRST_READER + CLIENTS))
        # Load what is loaded once before memory is measured.
        self.crowd.close(self.connect(range(COMING)))
        time.sleep(PAUSE_SECONDS)
        self.empty = self.stream.memory()
        self.clients = self.connect(range(clients))
        time.sleep(PAUSE_SECONDS)
        self.full = self.stream.memory()
        page, _ = stack.enter_context(web(here)), stack.enter_context(worker(here))
        add_members(here.db, range(1, POSTERS + 1))
        posters = [Poster(here, page.port, uid) for uid in range(1, POSTERS + 1)]
        for poster in posters:
            stack.callback(poster.close)
        self.posting = Posting(posters, self.watch, RATE)
        self._next = 0

    def connect(self, numbers: range, watched: bool = True) -> list[Client]:
        """Connect these clients, by their numbers."""
        requests = {at: request(self.script.path(at), self._bearers[at]) for at in numbers}
        if not watched:
            return self.crowd.open(
                self.stream.port, [partial(Client, self.crowd, one) for one in requests.values()]
            )
        makers = [partial(Tracker, self.crowd, one, at, self.watch) for at, one in requests.items()]
        return self.crowd.open(self.stream.port, makers)

    def post(self, seconds: float, clients: int) -> tuple[int, float]:
        """Post for `seconds` to the first `clients`, and wait for the messages to arrive.

        Return the number of messages expected, and statuses a second.
        """
        number = int(seconds * RATE)
        statuses = [
            (text, {at for at in to if at < clients})
            for text, to in self.script.statuses(self._next, number)
        ]
        achieved = self.posting.run(self._next, statuses)
        self._next += number
        until(lambda: not self.watch.missing, 30)
        return sum(len(to) for _, to in statuses), achieved


def measure() -> list[Figure]:
    """Measure everything but the soak."""
    return [*tracking(), *matching.measure(), *firehose.measure()]


def tracking() -> list[Figure]:
    """Measure latency from POST to client, losses, and memory of a client."""
    with site() as here, ExitStack() as stack:
        scene = Scene(here, stack, CLIENTS)
        scene.post(WARM_SECONDS, CLIENTS)
        del scene.watch.seconds[:], scene.posting.answers[:]
        began, cpu = time.monotonic(), scene.stream.busy()
        messages, achieved = scene.post(SECONDS, CLIENTS)
        cpu = 100 * (scene.stream.busy() - cpu) / (time.monotonic() - began)
        answers = milliseconds(scene.posting.answers)
        latencies = milliseconds(scene.watch.seconds)
        lost = scene.watch.missing + scene.watch.unexpected + scene.crowd.cut
        client_bytes = (scene.full - scene.empty) / CLIENTS
    idle = idle_reference()
    load = f"{CLIENTS:,} clients of 5 terms at {RATE} statuses/s"
    return [
        Figure(
            f"{load}: posted (target: 98% of the pace)",
            achieved,
            "/s",
            RATE,
            achieved / RATE,
            0.98,
        ),
        Figure(f"{load}: messages", messages / SECONDS, "/s"),
        Figure("processor time of the stream process, of one core", cpu, "%"),
        Figure(
            "POST to client, median (reference: POST to its answer)",
            median(latencies),
            "ms",
            median(answers),
        ),
        Figure(
            "POST to client, p99 (same)", p99(latencies), "ms", p99(answers), None, P99_MS, True
        ),
        Figure("lost, sent twice or unasked, and cut", lost, "", target=0, at_most=True),
        Figure(
            "memory of an idle client (reference: bare ASGI)",
            client_bytes,
            "bytes",
            idle,
            client_bytes / idle,
            IDLE_BYTES,
            True,
        ),
    ]


def idle_reference() -> float:
    """Return the bytes that an idle response takes in a bare ASGI app."""
    with site() as here, crowd() as many, reference(here) as bare:
        makers = [partial(Client, many, request("/stream"))] * CLIENTS
        many.close(many.open(bare.port, makers[:COMING]))
        time.sleep(PAUSE_SECONDS)
        empty = bare.memory()
        many.open(bare.port, makers)
        time.sleep(PAUSE_SECONDS)
        return (bare.memory() - empty) / CLIENTS


def soak() -> list[Figure]:
    """Run `tracking` for a long time with clients that come and go, and measure memory growth."""
    with site() as here, ExitStack() as stack:
        staying = CLIENTS - COMING
        scene = Scene(here, stack, staying)
        samples: list[tuple[float, int]] = []
        stack.enter_context(
            _every(
                SAMPLE_SECONDS, lambda: samples.append((time.monotonic(), scene.stream.memory()))
            )
        )
        visits = count()
        stack.enter_context(_every(1.0, partial(_visit, scene, staying, visits)))
        scene.post(SOAK_WARM, staying)
        warm = time.monotonic()
        del scene.watch.seconds[:]
        while time.monotonic() < warm + SOAK_SECONDS:
            scene.post(min(30.0, SOAK_SECONDS), staying)
        latencies, lost = milliseconds(scene.watch.seconds), scene.watch.missing + scene.crowd.cut
    sizes = [size for at, size in samples if at > warm]
    part = max(len(sizes) // 5, 1)
    first, middle, last = (
        median(sizes[:part]),
        median(sizes[2 * part : 3 * part]),
        median(sizes[-part:]),
    )
    name = (
        f"{SOAK_SECONDS:,.0f} s of soak, {staying:,} clients and {next(visits) * COMING:,} visits"
    )
    return [
        Figure(
            f"{name}: memory at the end (reference: at the beginning)",
            last,
            "bytes",
            first,
            last / first,
        ),
        Figure("memory in the middle (same)", middle, "bytes", first, middle / first),
        Figure(
            "memory grown, of a hundred",
            max(100 * (last - first) / first, 0.0),
            "%",
            None,
            None,
            GROWTH,
            True,
        ),
        Figure("POST to client, p99", p99(latencies), "ms", target=P99_MS, at_most=True),
        Figure("lost, or cut", lost, "", target=0, at_most=True),
    ]


def _visit(scene: Scene, first: int, visits: Iterator[int]) -> None:
    """Connect and close some clients. Their messages are not recorded."""
    scene.crowd.close(scene.connect(range(first, first + COMING), watched=False))
    next(visits)


@contextmanager
def _every(seconds: float, act: Callable[[], object]) -> Iterator[None]:
    """Call `act` at an interval in a thread during the block. Raises its exception."""
    enough, failures = threading.Event(), list[BaseException]()

    def run() -> None:
        try:
            while not enough.wait(seconds):
                act()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join(PATIENCE)
    if failures:
        raise failures[0]


def p99(values: list[float]) -> float:
    """Return the 99th percentile."""
    return quantiles(values, n=100)[98]


def milliseconds(seconds: Iterable[float]) -> list[float]:
    """Return seconds as milliseconds."""
    return [1000 * value for value in seconds]
