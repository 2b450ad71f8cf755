"""View counts at the store: different people, batches, and what goes with a post."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.timelines import post
from webapp.accounts import lifecycle
from webapp.core.errors import Unavailable
from webapp.core.site import Site
from webapp.statuses import store as statuses
from webapp.statuses.view_counts import keys
from webapp.statuses.view_counts import store as views


@pytest.fixture
def batch(site: Site, monkeypatch: pytest.MonkeyPatch) -> views.ViewBatch:
    """What a process collects; it sends nothing by itself."""
    monkeypatch.setattr(views, "FLUSH_SECONDS", 3_600)
    return views.ViewBatch(site)


def test_people_count_once_each_and_authors_not_at_all(
    site: Site, people: People, batch: views.ViewBatch
) -> None:
    ann, ben = people("ann", "ben")
    by_ann, by_ben = *post(site, ann, "a"), *post(site, ben, "b")
    for uid, name in ((ann, "h1"), (ben, "h2"), (ben, "h2"), (0, "h3"), (0, "h4")):
        batch.add([by_ann, by_ben, by_ann], uid, name)
        batch.add([by_ann], uid, name)
    assert site.db.read(views.view_count(by_ann)) == 0, "not sent yet"
    for _ in "12":
        batch.flush()
        assert site.db.read(views.view_count(by_ann)) == 3
        assert site.db.read(views.view_count(by_ben)) == 3
    batch.add([by_ann], ben, "h2")
    batch.flush()
    assert site.db.read(views.view_count(by_ann)) == 3


def test_a_batch_is_one_trip_and_bounded(
    site: Site, people: People, batch: views.ViewBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PENDING_MAX", 3)
    ids = [post(site, uid, "a")[0] for uid in people("ann", "ben")]
    trips = site.db.trips
    for number in range(3):
        batch.add(ids, 0, f"h{number}")
    assert site.db.trips == trips
    batch.flush()
    assert site.db.trips == trips + 1
    assert [site.db.read(views.view_count(one)) for one in ids] == [2, 1]


def test_many_threads_lose_no_view(site: Site, people: People, batch: views.ViewBatch) -> None:
    [status_id] = post(site, people("ann")[0], "a")

    def see(number: int) -> None:
        batch.add([status_id], 0, f"viewer-{number}")
        if number % 7 == 0:
            batch.flush()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(see, range(50)))
    batch.flush()
    assert site.db.read(views.view_count(status_id)) == 50


def test_the_first_view_makes_the_batch_send_itself(
    site: Site, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    [status_id] = post(site, people("ann")[0], "a")
    monkeypatch.setattr(views, "FLUSH_SECONDS", 0)
    batch = views.ViewBatch(site)
    batch.add([status_id], 0, "h1")
    timer = batch._timer
    if timer:
        timer.join()
    assert site.db.read(views.view_count(status_id)) == 1


def test_a_silent_store_loses_the_batch_alone(
    site: Site, people: People, batch: views.ViewBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    [status_id] = post(site, people("ann")[0], "a")

    def fail(*commands: object) -> list[object]:
        raise Unavailable("silent")

    batch.add([status_id], 0, "h1")
    with monkeypatch.context() as patch:
        patch.setattr(batch._site.db, "trip", fail)
        batch.flush()
    batch.add([status_id], 0, "h2")
    batch.flush()
    assert site.db.read(views.view_count(status_id)) == 1


def test_views_go_with_the_post_and_with_the_account(
    site: Site, people: People, apply_events: ApplyEvents, batch: views.ViewBatch
) -> None:
    [ann] = people("ann")
    first, second = post(site, ann, *"ab")
    batch.add([first, second], 0, "h1")
    batch.flush()
    statuses.delete(site, ann, first)
    assert site.db.read(views.view_count(first)) == 0
    assert site.db.read(views.view_count(second)) == 1
    lifecycle.delete_account(site, ann, None)
    apply_events()
    batch.add([first, second, 64], 0, "late")
    batch.flush()
    assert not [key for key in live_keys(site.db) if key.startswith("views:")]


def test_views_of_old_posts_are_not_counted_and_others_expire(
    site: Site, people: People, batch: views.ViewBatch
) -> None:
    [status_id] = post(site, people("ann")[0], "a")
    batch.add([status_id], 0, "h1")
    batch.flush()
    days = site.db.run(("PTTL", keys.views(status_id))) / 86_400_000
    assert site.config.view_days - 1 < days <= site.config.view_days
    site.db.run(("DEL", keys.views(status_id)))
    past = views.ViewBatch(with_settings(site, view_days=-1))
    past.add([status_id], 0, "h1")
    past.flush()
    assert not site.db.run(("EXISTS", keys.views(status_id)))


def test_a_rarely_seen_post_takes_few_bytes(
    site: Site, people: People, batch: views.ViewBatch
) -> None:
    [status_id] = post(site, people("ann")[0], "a")
    for number in range(50):
        batch.add([status_id], 0, f"viewer-{number}")
    batch.flush()
    assert site.db.run(("STRLEN", keys.views(status_id))) < 400, "it is sparse"
