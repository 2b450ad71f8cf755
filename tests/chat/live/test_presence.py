"""Presence hints between members who block each other."""

from tests.support.chat import group, send_messages
from tests.support.processes import until
from tests.support.world import World
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.live import hints, presence
from webapp.core.store.pubsub import Subscription


def test_block_hides_presence_in_the_direct_chat_both_ways(world: World) -> None:
    ann, ben, kit = world.people("ann", "ben", "kit")
    direct, other, cid = direct_id(ann, ben), direct_id(ann, kit), group(world, ann, [ben])
    world.follow(ben, "ann")
    world.follow(kit, "ann")
    for chat in (direct, other):
        send_messages(world, ann, chat, "hello")
    channel = Subscription(world.db, chat_state.CHAT_CHANNEL)
    try:
        until(lambda: channel.wait(1).missed)
        present = [(direct, ann), (direct, ben), (cid, ben), (other, ann)]
        presence.announce_presence(world.db, present)
        assert read_presence(channel, 4) == present
        world.block(ben, "ann")
        presence.announce_presence(world.db, present)
        assert read_presence(channel, 2) == [(cid, ben), (other, ann)]
        world.unblock(ben, "ann")
        world.block(ann, "ben")
        presence.announce_presence(world.db, present)
        assert read_presence(channel, 2) == [(cid, ben), (other, ann)]
    finally:
        channel.close()


def read_presence(channel: Subscription, count: int) -> list[tuple[str, int]]:
    """Read presence hints until there are at least `count`."""
    presence_hints: list[tuple[str, int]] = []
    while len(presence_hints) < count:
        received = map(hints.parse_hint, channel.wait(5).messages)
        presence_hints += [(hint.cid, *hint.args) for hint in received if hint.kind == "p"]  # type: ignore[misc]
    return presence_hints
