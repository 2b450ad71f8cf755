"""Presence hints between members who block each other."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.chat import group, send_messages
from tests.support.processes import until
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.live import hints, presence
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.pubsub import Subscription
from webapp.following import store as following
from webapp.following.blocks import store as blocks


def test_block_hides_presence_in_the_direct_chat_both_ways(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    ann, ben, kit = people("ann", "ben", "kit")
    direct, other, cid = direct_id(ann, ben), direct_id(ann, kit), group(db, config, ann, [ben])
    following.follow(db, config, ben, "ann")
    following.follow(db, config, kit, "ann")
    for chat in (direct, other):
        send_messages(db, config, ann, chat, "hello")
    channel = Subscription(db, chat_state.CHAT_CHANNEL)
    try:
        until(lambda: channel.wait(1).missed)
        present = [(direct, ann), (direct, ben), (cid, ben), (other, ann)]
        presence.announce_presence(db, present)
        assert read_presence(channel, 4) == present
        blocks.block(db, config, ben, "ann")
        presence.announce_presence(db, present)
        assert read_presence(channel, 2) == [(cid, ben), (other, ann)]
        blocks.unblock(db, config, ben, "ann")
        blocks.block(db, config, ann, "ben")
        presence.announce_presence(db, present)
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
