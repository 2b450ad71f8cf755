"""Figures reach the store once, whatever happens to the process or the reply."""

import time
from typing import Any

import pytest

from tests.support.concurrently import at_once
from webapp.core.errors import Unavailable
from webapp.core.metrics import keys, names
from webapp.core.metrics.recorder import Line, Recorder
from webapp.core.metrics.timing import Timing
from webapp.core.reporter import Reporter
from webapp.core.store import Site, to_dict
from webapp.core.store.keys import schema_version
from webapp.metrics.people import visitors
from webapp.metrics.work import CLEAN, clean


def total(site: Site, name: str, precision: int = 86_400) -> int:
    """Return the sum of a metric's samples of a precision."""
    fields = to_dict(site.db.run(("HGETALL", keys.metric(name, precision))))
    fields.pop("total", None)
    return sum(map(int, fields.values()))


def test_counts_are_added_to_samples_of_each_precision(site: Site) -> None:
    recorder = Recorder()
    for process in range(3):
        recorder.count(names.POSTS, process + 1)
        Reporter(site, "web", recorder).flush()
    assert {total(site, "posts", precision) for precision in names.PRECISIONS} == {6}
    assert site.db.run(("HGET", keys.metric("posts", 86_400), "total")) == "6"


def test_threads_lose_no_count(site: Site) -> None:
    recorder = Recorder()

    def work(_: int) -> None:
        for _ in range(2_000):
            recorder.count(names.LIKES)
            recorder.time_route("/", 0.002)

    at_once(50, work, range(50))
    Reporter(site, "web", recorder).flush()
    assert total(site, "likes") == 100_000
    assert site.db.run(("HGET", keys.timing("/", "all"), "n")) == "100000"


def test_a_lost_reply_counts_nothing_twice(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, run = Recorder(), site.db.run
    reporter = Reporter(site, "web", recorder)

    def lose_reply(command: Any) -> Any:
        reply = run(command)
        if command == ("GET", schema_version()):
            return reply
        raise Unavailable("store_down")

    recorder.count(names.POSTS)
    with monkeypatch.context() as patch, pytest.raises(Unavailable):
        patch.setattr(type(site.db), "run", lambda db, command: lose_reply(command))
        reporter.flush()
    recorder.count(names.POSTS)  # meanwhile
    reporter.flush()
    assert total(site, "posts") == 1
    reporter.flush()
    assert total(site, "posts") == 2


def test_a_killed_process_loses_what_it_had_not_sent_and_nothing_else(site: Site) -> None:
    sent = 0
    for _ in range(4):  # each "process" sends twice, and dies with a third batch
        recorder = Recorder()
        reporter = Reporter(site, "web", recorder)
        for number in (3, 5, 7):
            recorder.count(names.REQUESTS["page"], number)
            if number != 7:
                reporter.flush()
                sent += number
    assert total(site, "requests.page") == sent == 32


def test_the_highest_and_the_last_value_of_a_sample_win(site: Site) -> None:
    for lag, parked in ((30, 9), (80, 7), (20, 4)):
        recorder = Recorder()
        recorder.note(names.EVENTS_LAG, lag)
        recorder.note(names.EVENTS_PARKED, parked)
        Reporter(site, "worker", recorder).flush()
    assert (total(site, "events.lag_ms"), total(site, "events.parked")) == (80, 4)


def test_times_of_processes_add_up_to_those_of_one(site: Site) -> None:
    whole = Timing()
    for shift in range(3):
        recorder = Recorder()
        for number in range(200):
            milliseconds = (number * 7 + shift) % 400 / 3
            whole.add(milliseconds)
            recorder.time_route("/home", milliseconds / 1000)
        Reporter(site, "web", recorder).flush()
    found = Timing.parse(to_dict(site.db.run(("HGETALL", keys.timing("/home", "all")))))
    assert (found.n, found.buckets) == (whole.n, whole.buckets)
    assert found.mean == pytest.approx(whole.mean) and found.low == pytest.approx(whole.low)
    assert found.deviation == pytest.approx(whole.deviation)
    assert found.high == pytest.approx(whole.high, abs=0.001)


def test_surplus_routes_share_one(site: Site) -> None:
    for half in range(2):
        recorder = Recorder()
        for number in range(200):
            recorder.time_route(f"/{half}/{number}", 0.001)
        Reporter(site, "web", recorder).flush()
    assert site.db.run(("ZCARD", keys.slow("all"))) == 301
    assert site.db.run(("HGET", keys.timing("other", "all"), "n")) == "100"


def test_log_lines_are_kept_and_counted_by_message(site: Site) -> None:
    recorder = Recorder()
    for number in range(1_200):
        recorder.line(Line("warning", f'{{"text": "{number}"}}', f"message {number % 600}"))
    reporter = Reporter(site, "web", recorder)
    reporter.flush()
    assert site.db.run(("LLEN", keys.log_recent("warning"))) == 1_000
    hour = int(time.time()) // 3_600
    assert site.db.run(("ZCARD", keys.log_common("warning", hour))) == 500
    assert total(site, "log.dropped") == 200
    recorder.line(Line("warning", "the last", "message 599"))
    reporter.flush()
    newest = site.db.run(("LRANGE", keys.log_recent("warning"), 0, -1))
    assert (newest[0], len(newest)) == ("the last", 1_000)
    assert 0 < site.db.run(("TTL", keys.log_common("warning", hour))) <= 86_400


def test_the_rarest_keys_of_five_minutes_go(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.core.reporter.KEYS_SENT", 1_200)  # several processes do it
    monkeypatch.setattr("webapp.core.metrics.recorder.KEYS_MAX", 1_200)
    recorder = Recorder()
    for number in range(1_200):
        recorder.sample([f"key {number}"] * (number // 100 + 1))
    Reporter(site, "web", recorder).flush()
    [key] = [key for page in site.db.scan("hot_keys:*", 100) for key in page]
    counts = site.db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))[1::2]
    assert len(counts) == 1_000 and min(map(float, counts)) == 3


def test_a_process_that_is_silent_for_an_hour_is_forgotten(site: Site) -> None:
    now = int(time.time() * 1_000)
    site.db.run(("ZADD", keys.processes(), now - 3_660_000, "gone:1", now - 3_540_000, "slow:1"))
    reporter = Reporter(site, "web", Recorder())
    reporter.flush()
    assert site.db.run(("ZRANGE", keys.processes(), 0, -1)) == ["slow:1", reporter.id]


def test_a_process_that_stops_is_not_lost(site: Site) -> None:
    reporter = Reporter(site, "stream", Recorder(), lambda: 12)
    reporter.flush()
    found = to_dict(site.db.run(("HGETALL", keys.process(*reporter.id.split(":")))))
    assert (found["kind"], found["streams"]) == ("stream", "12")
    reporter.stop()
    assert site.db.run(("ZCARD", keys.processes())) == 0


def test_old_samples_are_deleted_while_new_ones_come(site: Site) -> None:
    key, now = keys.metric("posts", 10), int(time.time())
    site.db.run(("HSET", key, now - 3_700, 5, now - 3_500, 6, now, 7))
    commands = [CLEAN(name="posts", precision=10, kept=360)] * 2
    assert site.db.trip(*commands) == [1, 0]  # two workers may clean
    assert total(site, "posts", 10) == 13
    site.db.run(("DEL", key))
    site.db.run(("HSET", key, now - 3_700, 5))
    for partition in range(64):
        clean(site, partition)
    assert site.db.run(("EXISTS", key)) == 0


def test_people_are_counted_once_in_each_period_and_nothing_ties_periods(site: Site) -> None:
    recorder = Recorder()
    reporter = Reporter(site, "web", recorder)
    for start in range(0, 6_000, 2_000):  # each overlaps with the next
        for number in range(start, start + 4_000):
            recorder.visit(f"person {number}")
        reporter.flush()
    counts = [(one.now, one.before) for one in site.db.read(visitors(int(time.time())))[0]]
    assert all(7_800 < count < 8_200 and before == 0 for count, before in counts)
    salts = [key for page in site.db.scan("visitor_salt:*", 1_000) for key in page]
    assert len({site.db.run(("GET", key)) for key in salts} | {""}) == 4
    ends = {site.db.run(("TTL", key)) for key in salts}
    assert len(ends) in (1, 2, 3) and min(ends) > 0 and max(ends) <= 28 * 86_400
