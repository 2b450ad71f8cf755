"""After a clock was ahead: new posts, replies, messages and notifications have the right time."""

import time

from tests.support.world import World
from webapp.chat import keys as chat_keys, reading
from webapp.chat.ids import direct_id
from webapp.chat.inbox import keys as inbox_keys, listing
from webapp.chat.messages import sending
from webapp.chat.models import Content
from webapp.core.store import Site, partition_of
from webapp.core.store.ids import EPOCH_MS
from webapp.core.text.parser import parse
from webapp.notifications import keys as notification_keys
from webapp.statuses import Place, keys as status_keys, store as statuses
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.threads import store as threads
from webapp.statuses.values import places

DAY_MS = 86_400_000


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def post(site: Site, uid: int, text: str, reply: int | None = None) -> int:
    place = Place(name="Wien")
    return statuses.post(site, uid, parse(text), f"form-{text}", place, reply=reply)


def seconds_off(status_id: int) -> float:
    """Return how far from the clock an id is."""
    return abs((status_id >> 12) + EPOCH_MS - now_ms()) / 1000


def post_of_tomorrow(site: Site, uid: int) -> int:
    """Post what a clock that is a day ahead would have dated. Return its id."""
    today = post(site, uid, "of tomorrow")
    tomorrow = today + DAY_MS * 4096
    site.db.run(("RENAME", status_keys.status(today), status_keys.status(tomorrow)))
    profile = status_keys.profile_statuses(uid)
    site.db.run(("ZREM", profile, today))
    site.db.run(("ZADD", profile, tomorrow, tomorrow))
    site.db.run(("SET", status_keys.last_status_id(partition_of(uid)), tomorrow))
    return tomorrow


def test_posts_and_boosts_go_by_the_clock_again(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    tomorrow = post_of_tomorrow(world, ann)
    first, second = post(world, ann, "now"), post(world, ann, "and now")
    assert first < second < tomorrow
    assert seconds_off(first) < 60 and seconds_off(second) < 60
    world.db.run(("SET", status_keys.last_status_id(partition_of(ben)), tomorrow + ben - ann))
    world.boost(ben, first)
    world.boost(ben, second)
    boost_ids = world.db.run(("ZRANGE", interaction_keys.member_boosts(ben), 0, -1, "WITHSCORES"))[
        1::2
    ]
    assert all(seconds_off(int(boost_id)) < 60 for boost_id in boost_ids)


def test_a_post_that_is_dated_tomorrow_is_answered_and_boosted(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    tomorrow = post_of_tomorrow(world, ann)
    reply = post(world, ben, "already?", reply=tomorrow)
    world.do(World.boost, ben, tomorrow)
    assert seconds_off(reply) < 60
    page = threads.thread(world.db, tomorrow, None, (), 10)
    assert [node.content.id for node in page.descendants] == [reply]
    assert (page.status.replies, page.status.boosts) == (1, 1)
    assert [one.id for one in threads.thread(world.db, reply, None, (), 10).ancestors] == [tomorrow]


def test_places_of_posts_that_are_dated_tomorrow_are_hidden_too(world: World) -> None:
    [ann] = world.people("ann")
    tomorrow = post_of_tomorrow(world, ann)
    post(world, ann, "now")
    assert world.status(tomorrow).place
    places.remove_locations(world, ann)
    assert world.status(tomorrow).place is None


def test_a_message_after_one_of_tomorrow_is_of_today(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid, other = direct_id(ann, ben), direct_id(ann, world.people("cid")[0])
    world.do(sending.send, ann, cid, Content("of tomorrow"), "a")
    tomorrow = now_ms() + DAY_MS
    world.db.run(("HSET", chat_keys.chat(cid), "last_at", tomorrow))
    world.db.run(("ZADD", inbox_keys.member_chats(ann), tomorrow, cid))
    assert sending.send(world, ann, cid, Content("of today"), "b") == 2
    world.do(sending.send, ann, other, Content("later"), "c")
    newest = world.db.read(reading.open_page(ann, cid, size=1)).messages[-1]
    assert abs(newest.sent_at.timestamp() * 1000 - now_ms()) < 60_000
    assert [row.chat.id for row in listing.inbox(world.db, ann)] == [other, cid]


def test_a_notification_after_one_of_tomorrow_is_of_today(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    tomorrow_us = (now_ms() + DAY_MS) * 1000
    key = notification_keys.notifications(ann)
    world.db.run(("ZADD", key, tomorrow_us, f"follow:{ben}:0"))
    for text in ("Hello @ann", "Hello again @ann"):
        world.do(post, ben, text)
    times = [int(score) for score in world.db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))[1::2]]
    assert len(times) == 3 and times[2] == tomorrow_us
    assert now_ms() - 60_000 < times[0] / 1000 < times[1] / 1000 < now_ms() + 60_000
