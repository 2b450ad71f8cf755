"""Places of posts in cells, and the one position of a member."""

from tests.support.concurrently import at_once
from tests.support.world import World
from webapp.community.nearby import people, work
from webapp.community.nearby.points import PEOPLE, nearest
from webapp.core.events.outbox import Event


def test_a_post_without_a_place_costs_no_trip(world: World) -> None:
    event = Event("1-0", 1, "discovery", 1, "posted", "-", {"id": "64", "author": "1"})
    before = world.db.trips
    work.sync_posts(world.context, [event])
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
