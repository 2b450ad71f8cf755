"""The hub without a store: subscriptions, follows and rechecks."""

import asyncio
import threading

import pytest

from tests.support.processes import PATIENCE
from tests.support.streaming.client import client
from tests.support.streaming.messages import ANN, BEN, CID, update
from webapp.core.errors import Unavailable
from webapp.streaming.hub import hub as hubs
from webapp.streaming.hub.channels import FollowSet
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.followed_topics import Home
from webapp.streaming.hub.hub import Hub, HubFull
from webapp.streaming.hub.page_topics import Public, Search
from webapp.streaming.log.messages import SubscriptionChange

PUBLIC, HOME = Public(), Home(7)


class FollowLoader:
    """Loads the follows of a viewer, but waits until `ready` is set."""

    def __init__(self, *follows: int) -> None:
        self.follows, self.loads = list(follows), 0
        self.ready = threading.Event()

    def __call__(self) -> FollowSet:
        self.loads += 1
        assert self.ready.wait(PATIENCE)
        return FollowSet(self.follows)


async def received(connection: Connection) -> list[int]:
    """Return the positions of everything queued for a connection."""
    with client() as gone:
        return [message.position[0] for message in await connection.next_batch(0, gone) or []]


async def test_tabs_of_one_member_share_a_channel_and_one_load() -> None:
    hub, loader = Hub(9, 9), FollowLoader(ANN)
    with hub.open_connection() as one, hub.open_connection() as two, hub.open_connection() as three:
        subscribing = [
            asyncio.create_task(hub.subscribe(connection, HOME, loader))
            for connection in (one, two)
        ]
        await asyncio.sleep(0)
        loader.ready.set()
        await asyncio.gather(*subscribing)
        await hub.subscribe(three, HOME, loader)
        assert loader.loads == 1
        hub.publish([update(1, ANN), update(2, BEN), update(3, HOME.owner)], (3, 0))
        assert [await received(connection) for connection in (one, two, three)] == [[1, 3]] * 3
    assert not len(hub._channels) and not hub._channels.index._by_key


async def test_a_process_holds_so_many_different_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "SEARCHES_MAX", 2)
    hub = Hub(9, 9)
    with hub.open_connection() as one, hub.open_connection() as two:
        await hub.subscribe(one, Search("heron"))
        with hub.open_connection() as three:
            await hub.subscribe(three, Search("kite"))
            with pytest.raises(HubFull):
                await hub.subscribe(two, Search("owl"))
            await hub.subscribe(two, Search("heron"))
        with hub.open_connection() as four, hub.open_connection() as five:
            await hub.subscribe(four, Search("owl"))
            await hub.subscribe(five, PUBLIC)


@pytest.mark.parametrize(
    "stored", [True, False], ids=["the store has it too", "the store was read before"]
)
async def test_follow_during_the_load_takes_effect(stored: bool) -> None:
    hub, loader = Hub(9, 9), FollowLoader(BEN, *([ANN] if stored else []))
    with hub.open_connection() as connection:
        subscribing = asyncio.create_task(hub.subscribe(connection, HOME, loader))
        await asyncio.sleep(0)
        changes = [
            SubscriptionChange("followed", 7, ANN),
            SubscriptionChange("unfollowed", 7, BEN),
            SubscriptionChange("followed", 8, CID),
        ]
        hub.publish([*changes, update(1, ANN)], (1, 0))
        loader.ready.set()
        channel = await subscribing
        hub.publish([update(time, time - 10) for time in (11, 12, 13)], (13, 0))
        assert await received(connection) == [11]
        replayed = hub.replay_buffer.after((0, 0), lambda message: hub.wants(channel, message))
        assert replayed[0] == update(1, ANN)


async def test_follows_and_unfollows_take_effect_in_order() -> None:
    hub, loader = Hub(9, 9), FollowLoader()
    loader.ready.set()
    with hub.open_connection() as connection:
        await hub.subscribe(connection, HOME, loader)
        follow = SubscriptionChange("followed", 7, ANN)
        unfollow = SubscriptionChange("unfollowed", 7, ANN)
        hub.publish(
            [update(1, ANN), follow, update(2, ANN), unfollow, update(3, ANN), follow], (3, 0)
        )
        hub.publish([update(4, ANN)], (4, 0))
        assert await received(connection) == [2, 4]


async def test_failed_load_of_follows_is_retried_by_the_next_connection() -> None:
    def down() -> FollowSet:
        raise Unavailable("store_down")

    hub, loader = Hub(9, 9), FollowLoader(ANN)
    loader.ready.set()
    with hub.open_connection() as one, hub.open_connection() as two:
        with pytest.raises(Unavailable):
            await hub.subscribe(one, HOME, down)
        await hub.subscribe(two, HOME, loader)
        hub.publish([update(1, ANN)], (1, 0))
        assert await received(two) == [1]


async def test_recheck_applies_to_all_connections_of_the_member_only() -> None:
    hub, loader = Hub(9, 9), FollowLoader()
    loader.ready.set()
    with hub.open_connection() as one, hub.open_connection() as two, hub.open_connection() as other:
        for connection, topic in ((one, HOME), (two, HOME), (other, Home(8))):
            hub.set_owner(connection, topic.owner)
            await hub.subscribe(connection, topic, loader)
        hub.publish([SubscriptionChange("recheck", 7)], (1, 0))
        rechecks = [connection.take_recheck() for connection in (one, two, other)]
        assert rechecks == [True, True, False]
        assert not one.take_recheck()
