"""Places of posts in cells: a worker that dies between two steps leaves nothing behind."""

import pytest

from tests.support.concurrently import at_once
from tests.support.crashing_db import dies_before_another
from tests.support.schema import live_keys
from tests.support.world import World
from webapp.community.nearby import people, work
from webapp.community.nearby.points import PEOPLE, POSTS, nearest
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.statuses import Place
from webapp.statuses import store as statuses

HERE = (52.52, 13.405)


def sync(site: Site, type: str, status_id: int, author: int, trips: int) -> None:
    """Sync a post, once by a worker that dies after some trips, then by another."""
    data = {"id": str(status_id), "author": str(author), "located": "1"}
    event = Event("1-0", author, "discovery", 1, type, "-", data)
    dies_before_another(site, trips, [event], work.sync_posts)


def shown(site: Site) -> list[str]:
    """Return the posts around the place."""
    return [one.member for one in site.db.read(nearest(POSTS, HERE, 5, 10))]


@pytest.mark.parametrize("trips", range(5))
def test_a_worker_may_die_between_two_steps(world: World, trips: int) -> None:
    (ann,) = world.people("ann")
    status_id = statuses.post(world, ann, parse("Heron!"), "form-key-1", Place(*HERE, "Museum"))
    sync(world, "posted", status_id, ann, trips)
    assert shown(world) == [f"{status_id}:{ann}"]
    statuses.delete(world, ann, status_id)
    sync(world, "deleted", status_id, ann, trips)
    assert shown(world) == []
    world.apply_events()
    keys = [key for key in live_keys(world.db) if not key.startswith("fences:")]
    stored = [key for key in keys if "{geo-" in key or "placed_posts" in key]
    assert stored == []


def test_a_post_without_a_place_costs_no_trip(world: World) -> None:
    event = Event("1-0", 1, "discovery", 1, "posted", "-", {"id": "64", "author": "1"})
    before = world.db.trips
    work.sync_posts(Context(world.db, world.config, lambda: None), [event])
    assert world.db.trips == before


def test_fifty_moves_at_once_leave_one_position(world: World) -> None:
    points = [(-60 + 2.0 * number, 3.0 * number) for number in range(50)]
    at_once(50, lambda point: people.show(world.db, 2, point), points)
    _, (lat, long) = world.db.read(people.position_of(2)) or ("", (0.0, 0.0))
    people.show(world.db, 1, (lat, long))
    for point in points:
        for one in world.db.read(nearest(PEOPLE, point, 100, 10)):
            position = world.db.read(people.position_of(int(one.member)))
            is_current = position is not None and position[0] == one.cell
            assert is_current == (abs(one.point[0] - lat) < 0.001), "readers leave out the others"
    people.hide(world.db, 2)
    assert world.db.read(people.position_of(2)) is None
