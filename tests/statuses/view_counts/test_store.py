"""View counts at the store: different people, batches, and what goes with a post."""

import pytest

from tests.support.concurrently import at_once
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.timelines import post
from tests.support.world import World
from webapp.core.errors import Unavailable
from webapp.statuses.view_counts import keys, store as views


@pytest.fixture
def batch(world: World, monkeypatch: pytest.MonkeyPatch) -> views.ViewBatch:
    """What a process collects; it sends nothing by itself."""
    monkeypatch.setattr(views, "FLUSH_SECONDS", 3_600)
    return views.ViewBatch(world)


def test_people_count_once_each_and_authors_not_at_all(
    world: World, batch: views.ViewBatch
) -> None:
    ann, ben = world.people("ann", "ben")
    by_ann, by_ben = *post(world, ann, "a"), *post(world, ben, "b")
    for uid, name in ((ann, "h1"), (ben, "h2"), (ben, "h2"), (0, "h3"), (0, "h4")):
        batch.add([by_ann, by_ben, by_ann], uid, name)
        batch.add([by_ann], uid, name)
    assert world.db.read(views.view_count(by_ann)) == 0, "not sent yet"
    for _ in "12":
        batch.flush()
        assert world.db.read(views.view_count(by_ann)) == 3
        assert world.db.read(views.view_count(by_ben)) == 3
    batch.add([by_ann], ben, "h2")
    batch.flush()
    assert world.db.read(views.view_count(by_ann)) == 3


def test_a_batch_is_one_trip_and_bounded(
    world: World, batch: views.ViewBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PENDING_MAX", 3)
    ids = [post(world, uid, "a")[0] for uid in world.people("ann", "ben")]
    trips = world.db.trips
    for number in range(3):
        batch.add(ids, 0, f"h{number}")
    assert world.db.trips == trips
    batch.flush()
    assert world.db.trips == trips + 1
    assert [world.db.read(views.view_count(one)) for one in ids] == [2, 1]


def test_many_threads_lose_no_view(world: World, batch: views.ViewBatch) -> None:
    [status_id] = post(world, world.people("ann")[0], "a")

    def see(number: int) -> None:
        batch.add([status_id], 0, f"viewer-{number}")
        if number % 7 == 0:
            batch.flush()

    at_once(16, see, range(50))
    batch.flush()
    assert world.db.read(views.view_count(status_id)) == 50


def test_the_first_view_makes_the_batch_send_itself(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [status_id] = post(world, world.people("ann")[0], "a")
    monkeypatch.setattr(views, "FLUSH_SECONDS", 0)
    batch = views.ViewBatch(world)
    batch.add([status_id], 0, "h1")
    timer = batch._timer
    if timer:
        timer.join()
    assert world.db.read(views.view_count(status_id)) == 1


def test_a_silent_store_loses_the_batch_alone(
    world: World, batch: views.ViewBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    [status_id] = post(world, world.people("ann")[0], "a")

    def fail(*commands: object) -> list[object]:
        raise Unavailable("silent")

    batch.add([status_id], 0, "h1")
    with monkeypatch.context() as patch:
        patch.setattr(batch._site.db, "trip", fail)
        batch.flush()
    batch.add([status_id], 0, "h2")
    batch.flush()
    assert world.db.read(views.view_count(status_id)) == 1


def test_views_go_with_the_post_and_with_the_account(world: World, batch: views.ViewBatch) -> None:
    [ann] = world.people("ann")
    first, second = post(world, ann, *"ab")
    batch.add([first, second], 0, "h1")
    batch.flush()
    world.delete(ann, first)
    assert world.db.read(views.view_count(first)) == 0
    assert world.db.read(views.view_count(second)) == 1
    world.do(World.delete_account, ann, None)
    batch.add([first, second, 64], 0, "late")
    batch.flush()
    assert not [key for key in live_keys(world.db) if key.startswith("views:")]


def test_views_of_old_posts_are_not_counted_and_others_expire(
    world: World, batch: views.ViewBatch
) -> None:
    [status_id] = post(world, world.people("ann")[0], "a")
    batch.add([status_id], 0, "h1")
    batch.flush()
    days = world.db.run(("PTTL", keys.views(status_id))) / 86_400_000
    assert world.config.view_days - 1 < days <= world.config.view_days
    world.db.run(("DEL", keys.views(status_id)))
    past = views.ViewBatch(with_settings(world, view_days=-1))
    past.add([status_id], 0, "h1")
    past.flush()
    assert not world.db.run(("EXISTS", keys.views(status_id)))


def test_a_rarely_seen_post_takes_few_bytes(world: World, batch: views.ViewBatch) -> None:
    [status_id] = post(world, world.people("ann")[0], "a")
    for number in range(50):
        batch.add([status_id], 0, f"viewer-{number}")
    batch.flush()
    assert world.db.run(("STRLEN", keys.views(status_id))) < 400, "it is sparse"
