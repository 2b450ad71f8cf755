"""Members who stay: bitmaps of weeks, and ranges of uids, equal sets of members."""

import time
from random import Random

from flask import Flask

from tests.conftest import SignUp
from webapp.accounts import keys as account_keys, lifecycle
from webapp.core.metrics import keys
from webapp.core.metrics.recorder import RECORDER, Recorder
from webapp.core.reporter import Reporter
from webapp.core.store import Site, to_dict
from webapp.metrics.people import BLOCK, WEEKS, retention, week_of
from webapp.metrics.work import measure

NOW = int(time.time())
WEEK = week_of(NOW)


def test_cohorts_equal_sets_of_members(site: Site) -> None:
    random = Random(1)
    firsts = {WEEK - 3: 0, WEEK - 2: 40, WEEK: BLOCK + 20}  # nobody noted the week before
    site.db.run(("HSET", keys.first_members(), *(part for pair in firsts.items() for part in pair)))
    site.db.run(("SET", account_keys.last_uid(), BLOCK + 60))
    uids = [*range(1, 101), *range(BLOCK - 40, BLOCK + 61)]
    came = {week: set(random.sample(uids, 90)) for week in range(WEEK - 3, WEEK + 1)}
    for week, members in came.items():
        for uid in members:
            key = keys.active_members(week, uid // BLOCK)
            site.db.trip(("SETBIT", key, uid % BLOCK, 1), ("EXPIRE", key, 60))
    found = retention(site.db, NOW)
    bounds = [(WEEK, BLOCK + 21, BLOCK + 60), (WEEK - 2, 41, BLOCK + 20), (WEEK - 3, 1, 40)]
    for cohort, (week, first, last) in zip(found, bounds, strict=True):
        counts = [sum(first <= uid <= last for uid in came[one]) for one in range(week, WEEK + 1)]
        assert (cohort.joined, cohort.active) == (counts[0], counts[1:])
        assert cohort.monday.weekday() == 0


def test_who_comes_is_noted_once_whatever_comes_twice(site: Site) -> None:
    for uid in (3, BLOCK + 1, 3):
        recorder = Recorder()
        recorder.come(uid)
        Reporter(site, "web", recorder).flush()
    counts = [site.db.run(("BITCOUNT", keys.active_members(WEEK, block))) for block in (0, 1, 2)]
    assert counts == [1, 1, 0]
    assert 0 < site.db.run(("TTL", keys.active_members(WEEK, 0))) <= 70 * 86_400
    assert 7 * (WEEKS + 1) < 70


def test_the_table_shows_who_joined_this_week(app: Flask, member: SignUp) -> None:
    RECORDER.take()
    site = Site(app.extensions["linnet.db"], app.extensions["linnet.config"])
    measure(site)
    ann = member("ann")
    member("ben")
    lifecycle.grant(site.db, 1, "admin")
    measure(site)  # the first note stays
    assert to_dict(site.db.run(("HGETALL", keys.first_members()))) == {str(WEEK): "0"}
    Reporter(site, "web").flush()
    [cohort] = retention(site.db, NOW)
    assert (cohort.joined, cohort.active) == (2, [])
    page = ann.get("/admin").text
    assert "Members who stay" in page and ">+8</th>" in page
