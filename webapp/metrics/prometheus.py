"""The figures of all processes in Prometheus' text format, from the store.

Counters and times are totals since the site began, so they survive restarts.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from webapp.core.metrics import keys
from webapp.core.metrics.names import EVERY, PRECISIONS, Kind, Metric
from webapp.core.metrics.timing import BOUNDS, Timing
from webapp.core.store import Db, Read, collect, read

from .processes import Process, processes
from .routes import Routes, of_all_time
from .series import together

PREFIX = "linnet_"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = 1_000  # ms
DAY = max(PRECISIONS)
REQUEST_TIME = f"{PREFIX}http_request_duration_seconds"


def render(db: Db, now: int) -> str:
    """Return all metrics. Three trips."""
    start = now - now % min(PRECISIONS)
    values, found = db.fetch(
        collect(_value(metric, start) for metric in EVERY.values()),
        processes(),
    )
    known = zip(EVERY.values(), values, strict=True)
    lines = [*_families(known), *_process_lines(found), *_histogram(of_all_time(db))]
    return "\n".join(lines) + "\n"


def _value(metric: Metric, start: int) -> Read[int]:
    """Read a total, or the last or highest value in the current sample and the two before."""
    if metric.kind is Kind.SUM:
        return read(("HGET", keys.metric(metric.name, DAY), "total"), lambda total: int(total or 0))
    precision = min(PRECISIONS)
    starts = [start - precision * ago for ago in reversed(range(3))]

    def parse(reply: Sequence[str | None]) -> int:
        known = [int(value) for value in reply if value is not None]
        return together(metric.kind, known) if known else 0

    return read(("HMGET", keys.metric(metric.name, precision), *starts), parse)


def _families(known: Iterator[tuple[Metric, int]]) -> Iterator[str]:
    for family, members in groupby(known, key=lambda pair: pair[0].family):
        metrics = list(members)
        first = metrics[0][0]
        is_counter = first.kind is Kind.SUM
        name = f"{PREFIX}{family}{'_total' if is_counter else ''}"
        yield from _head(name, first.help, "counter" if is_counter else "gauge")
        for metric, value in metrics:
            labels = _labels(*metric.label) if metric.label else ""
            yield f"{name}{labels} {value * metric.scale:.15g}"


def _process_lines(found: Sequence[Process]) -> Iterator[str]:
    name = f"{PREFIX}processes"
    yield from _head(name, "Processes of the site that live.", "gauge")
    for kind in ("web", "stream", "worker"):
        count = sum(one.kind == kind and not one.is_lost for one in found)
        yield f"{name}{_labels('kind', kind)} {count}"


def _histogram(routes: Routes) -> Iterator[str]:
    yield from _head(REQUEST_TIME, "Time to answer a request, by route.", "histogram")
    for route, timing in routes:
        yield from _route_lines(route, timing)


def _route_lines(route: str, timing: Timing) -> Iterator[str]:
    count = 0
    for index, bound in enumerate(BOUNDS):
        count += timing.buckets.get(index, 0)
        labels = _labels("route", route, "le", f"{bound / SECONDS:g}")
        yield f"{REQUEST_TIME}_bucket{labels} {count}"
    yield f"{REQUEST_TIME}_bucket{_labels('route', route, 'le', '+Inf')} {timing.n}"
    yield f"{REQUEST_TIME}_sum{_labels('route', route)} {timing.total / SECONDS:.9g}"
    yield f"{REQUEST_TIME}_count{_labels('route', route)} {timing.n}"


def _head(name: str, help: str, kind: str) -> tuple[str, str]:
    return f"# HELP {name} {help}", f"# TYPE {name} {kind}"


def _labels(*pairs: str) -> str:
    """Return names and values in turns, as labels."""
    escaped = (
        text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n") for text in pairs[1::2]
    )
    labels = (f'{name}="{value}"' for name, value in zip(pairs[::2], escaped, strict=True))
    return "{" + ",".join(labels) + "}"
