"""The hub without a store: whom a message is for, and what clients that come back get."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.support.processes import PATIENCE
from tests.support.streaming.client import client, in_loop
from webapp.core.text.parser import Entity
from webapp.errors import Unavailable
from webapp.streaming.hub.api_topics import Filter, Firehose, Sample
from webapp.streaming.hub.channels import FollowSet
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.followed_topics import Home, List
from webapp.streaming.hub.hub import Hub
from webapp.streaming.hub.page_topics import Chats, Profile, Public, Tag, Thread
from webapp.streaming.hub.replay_buffer import ReplayBuffer
from webapp.streaming.hub.subscriptions import Channel, SubscriptionIndex
from webapp.streaming.hub.topics import SAMPLE_SHARES, Topic
from webapp.streaming.log.messages import Message, SubscriptionChange
from webapp.streaming.log.position import LOG_START
from webapp.streaming.log.restricted import RestrictedAudience
from webapp.streaming.matching.predicates import Predicate
from webapp.streaming.matching.terms import Subject

PUBLIC, HOME = Public(), Home(7)
ANN, BEN, CID = 1, 2, 3


def update(at: int, author: int, status: int = 0) -> Message:
    return Message((at, 0), "update", author, status or at, b"%d" % at)


def delete(at: int, author: int, status: int) -> Message:
    return Message((at, 0), "delete", author, status, b"delete")


def hide(at: int, author: int) -> Message:
    return Message((at, 0), "hide", author, 0, b"hide")


def buffer_of(*messages: Message, most: int = 100, most_bytes: int = 10_000) -> ReplayBuffer:
    buffer = ReplayBuffer(most, most_bytes)
    buffer.reset(LOG_START)
    buffer.add(messages)
    return buffer


def everything(_: Message) -> bool:
    return True


def matching(index: SubscriptionIndex, author: int) -> set[Channel]:
    return index.channels_for(update(1, author), Subject(1, author, ""))


# The index


def opened(index: SubscriptionIndex, *topics: Topic) -> list[Channel]:
    return [index.open(topic) for topic in topics]


def wanting(channels: Iterable[Channel], message: Message, subject: Subject) -> set[Channel]:
    """The channels that want a message, each asked by itself."""
    return {channel for channel in channels if channel.wants(message, subject)}


def test_an_author_matches_those_who_want_them_and_nobody_else() -> None:
    index = SubscriptionIndex()
    one, two, all_ = opened(index, Home(11), Home(12), PUBLIC)
    index.follow(one, [ANN, BEN])
    index.follow(two, [BEN, BEN])
    assert matching(index, ANN) == {all_, one}
    assert matching(index, BEN) == {all_, one, two}
    assert matching(index, CID) == {all_}
    assert all_.may_want(CID) and two.may_want(BEN) and not two.may_want(ANN)


def test_an_author_who_is_dropped_matches_no_more_and_nothing_is_left_of_those_who_leave() -> None:
    index = SubscriptionIndex()
    one, two = opened(index, Home(11), Home(12))
    index.follow(one, [ANN, BEN])
    index.follow(two, [ANN])
    index.unfollow(one, ANN)
    index.unfollow(one, CID)
    assert matching(index, ANN) == {two}
    index.unfollow(one, ANN)
    index.close(one)
    index.close(two)
    assert not index._by_key and not one.authors


def test_nothing_is_left_of_any_topic_that_is_closed() -> None:
    predicate = Predicate(phrases=("birds",))
    every_topic: list[Topic] = [
        PUBLIC,
        Firehose(),
        Profile(ANN),
        Tag("birds"),
        Thread(10),
        Home(7),
        List(7, 1),
        Sample(frozenset({1, 2})),
        Filter(predicate),
        Chats(),
    ]
    index = SubscriptionIndex()
    for channel in opened(index, *every_topic):
        index.close(channel)
    assert not index._by_key and not len(index._filters)


def test_a_tag_matches_what_has_it_and_of_what_is_gone_whatever_might_have_had_it() -> None:
    index = SubscriptionIndex()
    birds, reeds = opened(index, Tag("birds"), Tag("reeds"))
    subject = Subject(1, ANN, "#BIRDS", (Entity("hashtag", "BIRDS", 0, 6),))
    for message in (update(1, ANN, 1), delete(2, ANN, 1)):
        assert index.channels_for(message, subject) == {birds}
        assert birds.wants(message, subject) and not reeds.wants(message, subject)
    unknown = Subject(1, ANN, "", content_unknown=True)
    for message in (delete(2, ANN, 1), hide(3, ANN)):
        assert index.channels_for(message, unknown) == {birds, reeds}
        assert reeds.wants(message, unknown)
    assert matching(index, ANN) == set() and birds.may_want(ANN)
    for one in (birds, birds, reeds):
        index.close(one)
    assert not index._by_key


def test_a_tag_brings_to_homes_what_is_public_whoever_wrote_it_and_nothing_else_of_them() -> None:
    index = SubscriptionIndex()
    home, other = opened(index, HOME, Home(8))
    for one in (home, other):
        index.follow(one, [BEN])
    index.follow_tags(home, ["birds", "reeds"])
    tagged = Subject(1, ANN, "#birds", (Entity("hashtag", "Birds", 0, 6),), reply_to=CID)
    for message in (update(1, ANN, 1), delete(2, ANN, 1)):
        assert index.channels_for(message, tagged) == {home}
        assert home.wants(message, tagged) and not other.wants(message, tagged)
    assert index.channels_for(update(3, BEN), Subject(3, BEN, "")) == {home, other}
    assert index.channels_for(update(1, ANN), Subject(1, ANN, "")) == set()
    assert not home.wants(update(1, ANN), Subject(1, ANN, ""))
    hidden = replace(update(1, ANN), unlisted=True)
    assert index.channels_for(hidden, tagged) == set() and not home.wants(hidden, tagged)
    gone = hide(4, ANN), Subject(0, ANN, "")
    assert home in index.channels_for(*gone) and home.wants(*gone) and home.may_want(ANN)
    assert other not in index.channels_for(*gone) and not other.wants(*gone)
    index.close(home)
    assert index.channels_for(update(1, ANN), tagged) == set()
    index.close(other)
    assert not index._by_key


def test_a_thread_is_told_of_its_status_and_of_what_is_below_it_however_visible() -> None:
    index = SubscriptionIndex()
    thread, other = opened(index, Thread(10), Thread(20))
    subject = Subject(30, ANN, "@ben yes", reply_to=BEN)
    for kind in ("update", "edit", "delete", "tally"):
        for message in (
            Message((1, 0), kind, ANN, 10, b""),
            Message((1, 0), kind, ANN, 30, b"", ancestors=(5, 10, 25)),
        ):
            for sent in (message, replace(message, unlisted=True)):
                assert index.channels_for(sent, subject) == {thread}
                assert thread.wants(sent, subject) and not other.wants(sent, subject)
    boost = Message((1, 0), "boost", ANN, 40, b"", unlisted=True, boosted_author=BEN)
    for message in (update(1, ANN, 5), replace(update(1, ANN, 30), ancestors=(5, 25)), boost):
        assert index.channels_for(message, subject) == set()
        assert not thread.wants(message, subject)
    for kind in ("hide", "protect"):
        message = Message((1, 0), kind, CID, 0, b"")
        assert index.channels_for(message, Subject(0, CID, "")) == {thread, other}
        assert thread.wants(message, subject)
    lost = Message((1, 0), "lost", CID, 0, b"", recipient=7)
    assert thread.wants(lost, subject) and thread.may_want(CID)
    index.close(thread)
    assert index.channels_for(update(1, ANN, 10), subject) == set()
    assert index.channels_for(hide(2, ANN), subject) == {other}
    index.close(other)
    assert not index._by_key


def test_a_reply_is_for_the_homes_of_those_who_follow_both_and_for_no_other_page() -> None:
    index = SubscriptionIndex()
    public, profile, firehose = opened(index, PUBLIC, Profile(ANN), Firehose())
    homes = {uid: index.open(Home(uid)) for uid in (ANN, BEN, 7, 8)}
    for uid, follows in ((BEN, (ANN,)), (7, (ANN, BEN)), (8, (ANN,))):
        index.follow(homes[uid], follows)
    subject = Subject(1, ANN, "@ben yes", reply_to=BEN)
    expected = {homes[ANN], homes[BEN], homes[7], firehose}
    assert index.channels_for(update(1, ANN), subject) == expected
    everybody = {public, profile, firehose, *homes.values()}
    assert wanting(everybody, update(1, ANN), subject) == expected
    to_oneself = Subject(1, ANN, "and", reply_to=ANN)
    assert index.channels_for(update(1, ANN), to_oneself) == everybody
    index.unfollow(homes[7], BEN)
    assert homes[7] not in index.channels_for(update(1, ANN), subject)


def test_what_is_not_for_everybody_is_for_homes_of_its_audience_and_for_nothing_else() -> None:
    index = SubscriptionIndex()
    homes = {uid: index.open(Home(uid)) for uid in (ANN, BEN, CID, 7, 8)}
    birds = index.open(List(7, 1))
    index.follow(birds, [ANN, BEN])
    predicate = Predicate(phrases=("birds",), follow=frozenset({ANN}))
    every_share = Sample(frozenset(range(SAMPLE_SHARES)))
    others = {
        birds,
        *opened(index, PUBLIC, Firehose(), Profile(ANN), Tag("birds"), every_share),
        index.open(Filter(predicate)),
    }
    # 7 follows ann and ben, 8 follows ann, cid follows neither, but the hashtag.
    for uid, follows in ((BEN, (ANN,)), (7, (ANN, BEN)), (8, (ANN,))):
        index.follow(homes[uid], follows)
    index.follow_tags(homes[CID], ["birds"])
    tagged = Subject(1, ANN, "#birds", (Entity("hashtag", "birds", 0, 6),))
    table = {
        RestrictedAudience(): {ANN, BEN, 7, 8},
        RestrictedAudience(frozenset({ANN})): {ANN},
        # Homes hold nothing of authors whom their owners do not follow.
        RestrictedAudience(frozenset({ANN, 8, CID})): {ANN, 8},
        RestrictedAudience(reply_to_uid=BEN): {ANN, BEN, 7},
        RestrictedAudience(frozenset({ANN, BEN, 7, 8}), BEN): {ANN, BEN, 7},
        RestrictedAudience(frozenset({ANN, 8}), BEN): {ANN},
    }
    everyone = {*homes.values(), *others}
    assert index.channels_for(update(1, ANN), tagged) == everyone, "were it for everybody"
    for message in (update(1, ANN), delete(2, ANN, 1), replace(update(3, ANN, 1), kind="tally")):
        for audience, uids in table.items():
            restricted = replace(message, restricted_to=audience)
            for subject in (tagged, Subject(1, ANN, "", content_unknown=True)):
                expected = {homes[uid] for uid in uids}
                assert index.channels_for(restricted, subject) == expected
                assert wanting(everyone, restricted, subject) == expected
    index.unfollow(homes[7], ANN)  # as one who was removed
    to_followers = replace(update(1, ANN), restricted_to=RestrictedAudience())
    assert homes[7] not in index.channels_for(to_followers, tagged)


# The replay buffer


def test_the_ring_gives_what_came_after_a_position_by_wanted_authors() -> None:
    buffer = buffer_of(update(1, ANN), update(2, BEN), update(3, ANN))
    assert buffer.after((0, 0), lambda message: message.author == ANN) == [
        update(1, ANN),
        update(3, ANN),
    ]
    assert buffer.after((1, 0), everything) == [update(2, BEN), update(3, ANN)]
    assert buffer.after((2, 9), everything) == [update(3, ANN)]
    assert buffer.after((3, 0), everything) == []


@pytest.mark.parametrize("limits", [{"most": 2}, {"most_bytes": 2}], ids=["by number", "by size"])
def test_the_ring_forgets_the_oldest_and_knows_what_it_forgot(limits: dict[str, int]) -> None:
    buffer = buffer_of(*(update(at, ANN) for at in range(1, 6)), **limits)
    assert buffer.oldest == (3, 0)
    assert buffer.after(buffer.oldest, everything) == [update(4, ANN), update(5, ANN)]


def test_the_ring_gives_nothing_that_is_gone_by_now() -> None:
    buffer = buffer_of(
        update(1, ANN), update(2, BEN), delete(3, ANN, 1), hide(4, BEN), update(5, ANN)
    )
    assert buffer.after((0, 0), everything) == [delete(3, ANN, 1), hide(4, BEN), update(5, ANN)]


# The hub


class Store:
    """The follows of a viewer, which are answered once `answer` is set."""

    def __init__(self, *follows: int) -> None:
        self.follows, self.asked = list(follows), 0
        self.answer = threading.Event()

    def __call__(self) -> FollowSet:
        self.asked += 1
        assert self.answer.wait(PATIENCE)
        return FollowSet(self.follows)


async def received(connection: Connection) -> list[int]:
    """Return the positions of everything queued for a connection."""
    async with client_of() as gone:
        return [message.position[0] for message in await connection.next_batch(0, gone) or []]


class client_of:
    """A client that stays while the block runs."""

    async def __aenter__(self) -> asyncio.Task[None]:
        self._stack = ExitStack()
        return self._stack.enter_context(client())

    async def __aexit__(self, *_: object) -> None:
        self._stack.close()


def test_several_tabs_of_one_member_are_one_entry_and_ask_the_store_once() -> None:
    async def go() -> None:
        hub, store = Hub(9, 9), Store(ANN)
        with (
            hub.open_connection() as one,
            hub.open_connection() as two,
            hub.open_connection() as three,
        ):
            subscribing = [
                asyncio.create_task(hub.subscribe(connection, HOME, store))
                for connection in (one, two)
            ]
            await asyncio.sleep(0)
            store.answer.set()
            await asyncio.gather(*subscribing)
            await hub.subscribe(three, HOME, store)
            assert store.asked == 1
            hub.publish([update(1, ANN), update(2, BEN), update(3, HOME.owner)], (3, 0))
            assert [await received(connection) for connection in (one, two, three)] == [[1, 3]] * 3
        assert not len(hub._channels) and not hub._channels.index._by_key

    in_loop(go())


@pytest.mark.parametrize(
    "stored", [True, False], ids=["the store tells too", "the store was asked before"]
)
def test_a_follow_that_is_told_while_the_store_is_asked_counts(stored: bool) -> None:
    async def go() -> None:
        hub, store = Hub(9, 9), Store(BEN, *([ANN] if stored else []))
        with hub.open_connection() as connection:
            subscribing = asyncio.create_task(hub.subscribe(connection, HOME, store))
            await asyncio.sleep(0)
            changes = [
                SubscriptionChange("followed", 7, ANN),
                SubscriptionChange("unfollowed", 7, BEN),
                SubscriptionChange("followed", 8, CID),
            ]
            hub.publish([*changes, update(1, ANN)], (1, 0))
            store.answer.set()
            channel = await subscribing
            hub.publish([update(at, at - 10) for at in (11, 12, 13)], (13, 0))
            assert await received(connection) == [11]
            assert hub.replay_buffer.after((0, 0), lambda message: hub.wants(channel, message))[
                0
            ] == update(1, ANN)

    in_loop(go())


def test_follows_and_unfollows_take_effect_between_the_messages_they_stand_between() -> None:
    async def go() -> None:
        hub, store = Hub(9, 9), Store()
        store.answer.set()
        with hub.open_connection() as connection:
            await hub.subscribe(connection, HOME, store)
            follow, unfollow = (
                SubscriptionChange("followed", 7, ANN),
                SubscriptionChange("unfollowed", 7, ANN),
            )
            hub.publish(
                [update(1, ANN), follow, update(2, ANN), unfollow, update(3, ANN), follow], (3, 0)
            )
            hub.publish([update(4, ANN)], (4, 0))
            assert await received(connection) == [2, 4]

    in_loop(go())


def test_a_home_whose_follows_cannot_be_read_is_asked_for_again_by_the_next() -> None:
    def down() -> FollowSet:
        raise Unavailable("store_down")

    async def go() -> None:
        hub, store = Hub(9, 9), Store(ANN)
        store.answer.set()
        with hub.open_connection() as one, hub.open_connection() as two:
            with pytest.raises(Unavailable):
                await hub.subscribe(one, HOME, down)
            await hub.subscribe(two, HOME, store)
            hub.publish([update(1, ANN)], (1, 0))
            assert await received(two) == [1]

    in_loop(go())


def test_a_member_in_doubt_is_looked_at_again_in_all_tabs_and_nobody_else_is() -> None:
    async def go() -> None:
        hub, store = Hub(9, 9), Store()
        store.answer.set()
        with (
            hub.open_connection() as one,
            hub.open_connection() as two,
            hub.open_connection() as other,
        ):
            for connection, topic in ((one, HOME), (two, HOME), (other, Home(8))):
                hub.set_owner(connection, topic.owner)
                await hub.subscribe(connection, topic, store)
            hub.publish([SubscriptionChange("recheck", 7)], (1, 0))
            assert [connection.take_recheck() for connection in (one, two, other)] == [
                True,
                True,
                False,
            ]
            assert not one.take_recheck()

    in_loop(go())
