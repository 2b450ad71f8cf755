"""Samples become points of a chart and rows of its table: a gap is not zero."""

import time

import pytest

from webapp.core.metrics import keys
from webapp.core.metrics.names import EVERY
from webapp.core.metrics.timing import Timing
from webapp.core.store import Site
from webapp.metrics import prometheus
from webapp.metrics.charts import CHARTS, draw, path_of
from webapp.metrics.routes import slowest
from webapp.metrics.series import SPANS, Span, samples

NOW = 1_800_000_049


def fill(site: Site, span: Span, name: str, *values: int | None) -> None:
    """Store values of a metric for the last samples before NOW, oldest first."""
    last = NOW - NOW % span.precision
    for index, value in enumerate(reversed(values)):
        if value is not None:
            key = keys.metric(name, span.precision)
            site.db.run(("HSET", key, last - index * span.precision, value))


@pytest.mark.parametrize("span", SPANS.values(), ids=lambda span: span.name)
def test_rows_and_points_have_the_same_total(site: Site, span: Span) -> None:
    fill(site, span, "store.trips", *[1] * 60)
    fill(site, span, "posts", *range(60))
    site.db.run(("HSET", keys.metric("posts", span.precision), "total", 99))
    found = site.db.read(samples(span))
    for step in (span.point, span.row):
        values = found.values("posts", step, NOW)
        assert len(values) == span.seconds // step
        assert sum(value or 0 for value in values) == sum(range(60))


def test_a_gap_is_no_zero(site: Site) -> None:
    span = Span("test", 10, 50, 10, 10)
    fill(site, span, "store.trips", None, 5, 5, None, 5)
    fill(site, span, "posts", None, 3, None, None, None)
    fill(site, span, "store.keys", None, 7, None, None, None)
    fill(site, span, "events.lag_ms", None, 7, None, None, None)
    found = site.db.read(samples(span))
    assert found.values("posts", 10, NOW) == [None, 3, 0, None, 0]
    assert found.values("store.keys", 10, NOW) == [None, 7, None, None, None]
    assert found.values("events.lag_ms", 50, NOW) == [7]
    assert path_of([None, 3, 0, None, 6], 6) == "M150.0 70.0h.1L300.0 140.0M600.0 0.0h.1"


def test_every_chart_shows_declared_metrics(site: Site) -> None:
    assert {name for chart in CHARTS for name in chart.lines} <= EVERY.keys()
    drawn = draw(site.db.read(samples(SPANS["hour"])), NOW)
    assert all(line.path == "" and line.total is None for one in drawn for line in one.lines)


def test_the_slowest_routes_are_those_of_two_hours(site: Site) -> None:
    hour = int(time.time()) // 3_600
    for route, period, times in (
        ("/a", f"h{hour}", (1, 3)),
        ("/a", f"h{hour - 1}", (5,)),
        ("/b", f"h{hour - 1}", (9,)),
        ("/c", f"h{hour - 2}", (900,)),
    ):
        timing = Timing()
        for milliseconds in times:
            timing.add(milliseconds)
        fields = timing.as_fields()
        buckets = fields.pop("buckets")
        assert isinstance(buckets, dict)
        pairs = [part for pair in {**fields, **buckets}.items() for part in pair]
        site.db.run(("HSET", keys.timing(route, period), *pairs))
        site.db.run(("ZADD", keys.slow(period), timing.mean, route))
    found = slowest(site.db, "hour", hour * 3_600)
    assert [(route, one.n, one.mean) for route, one in found] == [("/b", 1, 9), ("/a", 3, 3)]
    assert found[1][1].percentile(0.5) == 3 and found[1][1].deviation == pytest.approx(2)


def test_prometheus_gets_the_longest_wait_of_the_last_samples_and_the_last_of_other_values(
    site: Site,
) -> None:
    for name in ("events.lag_ms", "outbox.longest"):
        fill(site, SPANS["hour"], name, 90, 30, 80, 20)
    fill(site, SPANS["hour"], "events.parked", 5, 4, None, None)
    found = prometheus.render(site.db, NOW).splitlines()
    assert "linnet_events_lag_seconds 0.08" in found
    assert "linnet_outbox_longest_events 20" in found
    assert {"linnet_events_parked 4", "linnet_events_bulk 0"} <= set(found)
