"""Read metrics over time: a span of the past, in points of a chart or rows of a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.core.metrics import keys
from webapp.core.metrics.names import EVERY, STORE_TRIPS, Kind
from webapp.core.store import Read, collect, read, to_dict

HOUR, DAY = 3_600, 86_400
Values = list[int | None]  # None: nothing is known


@dataclass(frozen=True, slots=True)
class Span:
    """A span of the past, in seconds. `point`: of a chart; `row`: of its table."""

    name: str
    precision: int
    seconds: int
    point: int
    row: int

    def starts(self, step: int, now: int) -> range:
        """Return the starts of its steps, the last of which has begun."""
        end = now - now % step + step
        return range(end - self.seconds, end, step)


SPANS = {
    span.name: span
    for span in (
        Span("hour", 10, HOUR, 30, 300),
        Span("day", 60, DAY, 600, HOUR),
        Span("month", 600, 30 * DAY, 6 * HOUR, DAY),
        Span("year", DAY, 364 * DAY, 2 * DAY, 28 * DAY),
    )
}


class Samples:
    """The samples of metrics in a span."""

    def __init__(self, span: Span, found: Mapping[str, Mapping[int, int]]) -> None:
        """Hold samples: by metric, start -> value."""
        self.span, self._found = span, found

    def values(self, name: str, step: int, now: int) -> Values:
        """Return the values of a metric for each step of the span.

        None where the site reported nothing: it did not run, or the store was silent.
        """
        found, alive = self._by_step(name, step), self._by_step(STORE_TRIPS.name, step)
        nothing = None if EVERY[name].kind is Kind.LAST else 0
        return [
            together(EVERY[name].kind, found[start])
            if start in found
            else (nothing if start in alive else None)
            for start in self.span.starts(step, now)
        ]

    @staticmethod
    def total(name: str, values: Values) -> int | None:
        """Return the values of a metric as one."""
        known = [value for value in values if value is not None]
        return together(EVERY[name].kind, known) if known else None

    def _by_step(self, name: str, step: int) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for start, value in self._found[name].items():
            found.setdefault(start - start % step, []).append(value)
        return found


def together(kind: Kind, values: Sequence[int]) -> int:
    """Return values, oldest first, as one: their sum, the last or the highest."""
    if kind is Kind.LAST:
        return values[-1]
    return sum(values) if kind is Kind.SUM else max(values)


def samples(span: Span) -> Read[Samples]:
    """Read the samples of all metrics in a span."""
    reads = (read(("HGETALL", keys.metric(name, span.precision)), _parse) for name in EVERY)
    return collect(reads).map(lambda found: Samples(span, dict(zip(EVERY, found, strict=True))))


def _parse(reply: list[str]) -> dict[int, int]:
    fields = to_dict(reply)
    fields.pop("total", None)
    return {int(start): int(fields[start]) for start in sorted(fields)}
