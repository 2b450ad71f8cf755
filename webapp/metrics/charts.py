"""The charts of /admin: which metrics, their lines, and the tables with the same numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from .series import Samples, Values

WIDTH, HEIGHT = 600, 140  # of a drawing, which is stretched to its place


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart. `lines`: metric -> title. `unit` formats its values: number, bytes or ms."""

    id: str
    title: LazyString
    lines: Mapping[str, LazyString]
    unit: str = "number"


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line as it is drawn. `path`: of an SVG; a gap is where nothing is known."""

    title: LazyString
    path: str
    total: int | None  # of a sum; the last or the highest value of others


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """A chart in a span. `rows`: start and the value of each line, newest first."""

    chart: Chart
    lines: list[DrawnLine]
    highest: int
    rows: list[tuple[datetime, list[int | None]]]


REQUESTS = {
    "requests.page": _l("Web pages"),
    "requests.cached": _l("Cached pages"),
    "requests.form": _l("Forms"),
    "requests.api": _l("API"),
    "requests.static": _l("Files"),
}
ERRORS = {
    "responses.4xx": _l("Refused (4xx)"),
    "responses.5xx": _l("Failed (5xx)"),
    "store.errors": _l("Store errors"),
}
ACTIVITY = {
    "posts": _l("Posts"),
    "likes": _l("Likes"),
    "follows": _l("Follows"),
    "messages": _l("Messages"),
    "searches": _l("Searches"),
}
ACCOUNTS = {"signups": _l("Sign-ups"), "signins": _l("Logins")}
DELIVERIES = {
    "deliveries": _l("To homes"),
    "pushes": _l("To devices"),
    "webhooks": _l("To webhooks"),
}
EVENTS = {
    "outbox.longest": _l("Longest outbox"),
    "events.bulk": _l("In slices"),
    "events.parked": _l("Parked"),
}
CHARTS = (
    Chart("requests", _l("Requests"), REQUESTS),
    Chart("errors", _l("Refused and failed"), ERRORS),
    Chart("activity", _l("What members do"), ACTIVITY),
    Chart("accounts", _l("Accounts"), ACCOUNTS),
    Chart("deliveries", _l("Deliveries"), DELIVERIES),
    Chart("lag", _l("Longest wait of an event"), {"events.lag_ms": _l("Wait")}, "ms"),
    Chart("events", _l("Events that wait"), EVENTS),
    Chart("streams", _l("Open streams"), {"streams.open": _l("Open")}),
    Chart(
        "messages",
        _l("Messages on streams"),
        {"streams.sent": _l("Sent"), "streams.cut": _l("Streams cut")},
    ),
    Chart("cache", _l("Page cache"), {"cache.hits": _l("Hits"), "cache.misses": _l("Misses")}),
    Chart("trips", _l("Trips to the store"), {"store.trips": _l("Trips")}),
    Chart("memory", _l("Memory of the store"), {"store.memory": _l("Used")}, "bytes"),
)


def draw(samples: Samples, now: int) -> list[DrawnChart]:
    """Return all charts of a span that ends now."""
    return [_draw(chart, samples, now) for chart in CHARTS]


def _draw(chart: Chart, samples: Samples, now: int) -> DrawnChart:
    span = samples.span
    points = {name: samples.values(name, span.point, now) for name in chart.lines}
    rows = [samples.values(name, span.row, now) for name in chart.lines]
    highest = max((value or 0 for values in points.values() for value in values), default=0)
    lines = [
        DrawnLine(title, path_of(points[name], highest), samples.total(name, points[name]))
        for name, title in chart.lines.items()
    ]
    starts = (datetime.fromtimestamp(start, UTC) for start in span.starts(span.row, now))
    table = [(start, list(row)) for start, *row in zip(starts, *rows, strict=True)]
    return DrawnChart(chart, lines, highest, table[::-1])


def path_of(values: Values, highest: int) -> str:
    """Return the path of a line; a value without neighbours becomes a dot."""
    step = WIDTH / max(1, len(values) - 1)
    parts, is_drawn = [], False
    for index, value in enumerate(values):
        if value is not None:
            x, y = index * step, HEIGHT * (1 - value / (highest or 1))
            parts.append(f"L{x:.1f} {y:.1f}" if is_drawn else f"M{x:.1f} {y:.1f}h.1")
        is_drawn = value is not None
    return "".join(parts)
