"""Walking over what belongs to a member's statuses, in slices."""

from tests.support.world import World
from webapp.core.events.outbox import Context
from webapp.search import keys
from webapp.statuses import store
from webapp.statuses.listings import authored


def test_a_status_that_is_deleted_meanwhile_lets_no_other_be_skipped(world: World) -> None:
    (ann,) = world.people("ann")
    oldest, *_, deleted, newest = [world.post(ann) for _ in range(authored.POSTS_BATCH + 1)]
    many = range(2, authored.MEMBERS_BATCH + 4)
    world.db.trip(
        *(("ZADD", keys.bookmarkers(newest), uid, uid) for uid in many),
        ("ZADD", keys.bookmarkers(oldest), 1, 1),
    )
    context, found, cursor = Context(world.db, world.config, lambda: None), list[object](), ""
    while cursor is not None:
        pairs, cursor = authored.related_page(context, ann, cursor, keys.bookmarkers, by_score=True)
        if not found:
            store.delete(world, ann, deleted)
        found += pairs
    assert found == [*((newest, str(uid)) for uid in many), (oldest, "1")]
