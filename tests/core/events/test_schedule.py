"""Rows that one worker computes in turn, for the whole site, and jobs of each partition."""

import time
from types import SimpleNamespace

import pytest

from tests.support.settings import with_settings
from webapp.core.events import group_loop, keys
from webapp.core.events.group_loop import GroupLoop
from webapp.core.events.outbox import DISCOVERY, OUTBOX_GROUPS
from webapp.core.events.registry import Registry
from webapp.core.events.schedule import scheduled
from webapp.core.events.schedule.scheduled import ROWS_PARTITION, Scheduled, compute_due
from webapp.core.store import PARTITIONS, Site

HERE = (ROWS_PARTITION, 7)


def test_rows_are_computed_in_turn_and_again_when_they_are_due(site: Site) -> None:
    made: list[str] = []
    rows = [Scheduled(name, 60, lambda _, name=name: made.append(name)) for name in "ab"]
    assert [compute_due(site, rows, HERE) for _ in range(3)] == ["a", "b", ""]
    assert compute_due(site, rows, [ROWS_PARTITION + 1]) == ""
    past = int(time.time() * 1000) - 1
    site.db.run(("ZADD", keys.scheduled_rows(), past, "b"))
    assert compute_due(site, rows, HERE) == "b" and made == ["a", "b", "b"]
    found = site.db.read(scheduled.runs())["b"]
    assert past < found.made and found.took >= 0


def test_a_row_that_fails_is_tried_again_when_it_is_due(site: Site) -> None:
    row = Scheduled("bad", 60, lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError) as failure:
        compute_due(site, [row], HERE)
    assert "in the row bad" in failure.value.__notes__, "the log of the worker names it"
    assert compute_due(site, [row], HERE) == ""
    assert site.db.read(scheduled.runs()) == {}


def test_a_row_that_is_removed_while_it_is_computed_stays_removed(site: Site) -> None:
    row = Scheduled("gone", 60, lambda site: site.db.run(("ZREM", keys.scheduled_rows(), "gone")))
    assert compute_due(site, [row], HERE) == "gone"
    assert site.db.read(scheduled.runs()) == {}


def test_a_late_run_is_not_noted_over_a_newer_one(site: Site) -> None:
    def be_overtaken(site: Site) -> None:
        site.db.run(("ZADD", keys.scheduled_rows(), 5, "slow"))

    assert compute_due(site, [Scheduled("slow", 60, be_overtaken)], HERE) == "slow"
    assert site.db.read(scheduled.runs()) == {}


def test_rows_of_what_is_switched_off_rest_and_go(site: Site) -> None:
    row, other = Scheduled("off", 60, lambda _: None, "jobs"), Scheduled("on", 1, lambda _: None)
    assert compute_due(site, [row], HERE) == "off"
    site.db.run(("ZADD", keys.scheduled_rows(), 1, "off"))
    without = with_settings(site, features="none")
    assert [compute_due(without, [row, other], HERE) for _ in range(2)] == ["on", ""]
    assert list(site.db.read(scheduled.runs())) == ["on"]


def test_every_partition_has_its_jobs_done_at_a_turn_a_second(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    jobs = Registry(
        projections={group: {} for group in OUTBOX_GROUPS},
        partition_jobs=(lambda _site, partition: done.append(partition),),
    )
    loop = GroupLoop(site, jobs, DISCOVERY, "worker")
    loop.acquire()
    for second in range(100, 100 + 2 * PARTITIONS):
        monkeypatch.setattr(group_loop, "time", SimpleNamespace(monotonic=lambda now=second: now))
        loop._run_jobs()
    assert sorted(done) == sorted([*range(PARTITIONS)] * 2)
