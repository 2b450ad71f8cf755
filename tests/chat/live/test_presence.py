"""Presence hints between members who block each other."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.chat import group, send_messages
from tests.support.processes import until
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.live import hints, presence
from webapp.core.site import Site
from webapp.core.store.pubsub import Subscription
from webapp.following import store as following
from webapp.following.blocks import store as blocks


def test_block_hides_presence_in_the_direct_chat_both_ways(
    site: Site, people: Callable[..., list[int]]
) -> None:
    ann, ben, kit = people("ann", "ben", "kit")
    direct, other, cid = direct_id(ann, ben), direct_id(ann, kit), group(site, ann, [ben])
    following.follow(site, ben, "ann")
    following.follow(site, kit, "ann")
    for chat in (direct, other):
        send_messages(site, ann, chat, "hello")
    channel = Subscription(site.db, chat_state.CHAT_CHANNEL)
    try:
        until(lambda: channel.wait(1).missed)
        present = [(direct, ann), (direct, ben), (cid, ben), (other, ann)]
        presence.announce_presence(site.db, present)
        assert read_presence(channel, 4) == present
        blocks.block(site, ben, "ann")
        presence.announce_presence(site.db, present)
        assert read_presence(channel, 2) == [(cid, ben), (other, ann)]
        blocks.unblock(site, ben, "ann")
        blocks.block(site, ann, "ben")
        presence.announce_presence(site.db, present)
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
