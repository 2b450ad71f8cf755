"""Whom a message is for, and what is kept for those who come back: the room's index and ring, without a store."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.support.processes import PATIENCE
from tests.support.streaming.client import client, in_loop
from webapp.core.text.parser import Entity
from webapp.errors import Unavailable
from webapp.streaming.hub.hub import Connection, Hub
from webapp.streaming.hub.replay_buffer import ReplayBuffer
from webapp.streaming.hub.subscriptions import SAMPLE_SHARES, Channel, SubscriptionIndex, Topic
from webapp.streaming.log.messages import Message, SubscriptionChange
from webapp.streaming.log.restricted import RestrictedAudience
from webapp.streaming.matching.predicates import Predicate
from webapp.streaming.matching.terms import Subject

PUBLIC, HOME = Topic("public"), Topic("home", 7)
ANN, BEN, CID = 1, 2, 3


def update(at: int, author: int, status: int = 0) -> Message:
    return Message((at, 0), "update", author, status or at, b"%d" % at)


def delete(at: int, author: int, status: int) -> Message:
    return Message((at, 0), "delete", author, status, b"delete")


def hide(at: int, author: int) -> Message:
    return Message((at, 0), "hide", author, 0, b"hide")


def ring(*messages: Message, most: int = 100, most_bytes: int = 10_000) -> ReplayBuffer:
    ring = ReplayBuffer(most, most_bytes)
    ring.reset((0, 0))
    ring.add(messages)
    return ring


def everything(_: Message) -> bool:
    return True


def matching(index: SubscriptionIndex, author: int) -> set[Channel]:
    return index.channels_for(update(1, author), Subject(1, author, ""))


# The index


def test_an_author_matches_those_who_want_them_and_nobody_else() -> None:
    index, one, two, all_ = (
        SubscriptionIndex(),
        Channel(Topic("home", 1)),
        Channel(Topic("home", 2)),
        Channel(PUBLIC),
    )
    index.add_to_all(all_)
    index.add_authors(one, [ANN, BEN])
    index.add_authors(two, [BEN, BEN])
    assert matching(index, ANN) == {all_, one}
    assert matching(index, BEN) == {all_, one, two}
    assert matching(index, CID) == {all_}
    assert index.may_want(all_, CID) and index.may_want(two, BEN) and not index.may_want(two, ANN)


def test_an_author_who_is_dropped_matches_no_more_and_nothing_is_left_of_those_who_leave() -> None:
    index, one, two = SubscriptionIndex(), Channel(Topic("home", 1)), Channel(Topic("home", 2))
    index.add_authors(one, [ANN, BEN])
    index.add_authors(two, [ANN])
    index.remove_author(one, ANN)
    index.remove_author(one, CID)
    assert matching(index, ANN) == {two}
    index.remove_author(one, ANN)
    index.remove(one)
    index.remove(two)
    assert not index._by_author and not index._receives_all and not one.authors


def test_a_tag_matches_what_has_it_and_of_what_is_gone_whatever_might_have_had_it() -> None:
    index, birds, reeds = (
        SubscriptionIndex(),
        Channel(Topic("tag", tag="birds")),
        Channel(Topic("tag", tag="reeds")),
    )
    for one in (birds, reeds):
        index.add_tags(one, [one.topic.tag])
    subject = Subject(1, ANN, "#BIRDS", (Entity("hashtag", "BIRDS", 0, 6),))
    for message in (update(1, ANN, 1), delete(2, ANN, 1)):
        assert index.channels_for(message, subject) == {birds}
        assert index.receives(birds, message, subject) and not index.receives(
            reeds, message, subject
        )
    faded = Subject(1, ANN, "", content_unknown=True)
    for message in (delete(2, ANN, 1), hide(3, ANN)):
        assert index.channels_for(message, faded) == {birds, reeds} and index.receives(
            reeds, message, faded
        )
    assert matching(index, ANN) == set() and index.may_want(birds, ANN)
    for one in (birds, birds, reeds):
        index.remove(one)
    assert not index._by_tag


def test_a_tag_brings_to_homes_what_is_public_whoever_wrote_it_and_nothing_else_of_them() -> None:
    index, home, other = SubscriptionIndex(), Channel(HOME), Channel(Topic("home", 8))
    for one in (home, other):
        index.add_authors(one, [one.topic.uid, BEN])
    index.add_tags(home, ["birds", "reeds"])
    tagged = Subject(1, ANN, "#birds", (Entity("hashtag", "Birds", 0, 6),), reply_to=CID)
    for message in (update(1, ANN, 1), delete(2, ANN, 1)):
        assert index.channels_for(message, tagged) == {home} and index.receives(
            home, message, tagged
        )
        assert not index.receives(other, message, tagged)
    assert index.channels_for(update(3, BEN), Subject(3, BEN, "")) == {home, other}
    assert index.channels_for(update(1, ANN), Subject(1, ANN, "")) == set()
    assert not index.receives(home, update(1, ANN), Subject(1, ANN, ""))
    hidden = replace(update(1, ANN), unlisted=True)
    assert index.channels_for(hidden, tagged) == set() and not index.receives(home, hidden, tagged)
    assert home in index.channels_for(hide(4, ANN), Subject(0, ANN, "")) and index.may_want(
        home, ANN
    )
    index.remove(home)
    assert not index._by_tag and index.channels_for(update(1, ANN), tagged) == set()


def test_a_thread_is_told_of_its_status_and_of_what_is_below_it_however_visible_and_of_nothing_else() -> (
    None
):
    index, thread, other = (
        SubscriptionIndex(),
        Channel(Topic("thread", object_id=10)),
        Channel(Topic("thread", object_id=20)),
    )
    for one in (thread, other):
        index.add_thread(one)
    subject = Subject(30, ANN, "@ben yes", reply_to=BEN)
    for kind in ("update", "edit", "delete", "tally"):
        for message in (
            Message((1, 0), kind, ANN, 10, b""),
            Message((1, 0), kind, ANN, 30, b"", ancestors=(5, 10, 25)),
        ):
            for sent in (message, replace(message, unlisted=True)):
                assert index.channels_for(sent, subject) == {thread}
                assert index.receives(thread, sent, subject) and not index.receives(
                    other, sent, subject
                )
    boost = Message((1, 0), "boost", ANN, 40, b"", unlisted=True, boosted_author=BEN)
    for message in (update(1, ANN, 5), replace(update(1, ANN, 30), ancestors=(5, 25)), boost):
        assert index.channels_for(message, subject) == set() and not index.receives(
            thread, message, subject
        )
    for kind in ("hide", "protect"):
        message = Message((1, 0), kind, CID, 0, b"")
        assert index.channels_for(message, Subject(0, CID, "")) == {
            thread,
            other,
        } and index.receives(thread, message, subject)
    lost = Message((1, 0), "lost", CID, 0, b"", recipient=7)
    assert index.receives(thread, lost, subject) and index.may_want(thread, CID)
    index.remove(thread)
    assert index.channels_for(update(1, ANN, 10), subject) == set() and index.channels_for(
        hide(2, ANN), subject
    ) == {other}
    index.remove(other)
    assert not index._by_thread


def test_a_reply_is_for_the_homes_of_those_who_follow_both_and_for_no_other_page() -> None:
    index = SubscriptionIndex()
    audiences = {
        topic: Channel(topic) for topic in (PUBLIC, Topic("profile", ANN), Topic("firehose"))
    }
    homes = {uid: Channel(Topic("home", uid)) for uid in (ANN, BEN, 7, 8)}
    index.add_to_all(audiences[PUBLIC])
    index.add_to_all(audiences[Topic("firehose")])
    index.add_authors(audiences[Topic("profile", ANN)], [ANN])
    for uid, follows in ((ANN, ()), (BEN, (ANN,)), (7, (ANN, BEN)), (8, (ANN,))):
        index.add_authors(homes[uid], [uid, *follows])
    subject = Subject(1, ANN, "@ben yes", reply_to=BEN)
    expected = {homes[ANN], homes[BEN], homes[7], audiences[Topic("firehose")]}
    assert index.channels_for(update(1, ANN), subject) == expected
    everybody = {*audiences.values(), *homes.values()}
    assert {one for one in everybody if index.receives(one, update(1, ANN), subject)} == expected
    assert (
        index.channels_for(update(1, ANN), Subject(1, ANN, "and", reply_to=ANN)) == everybody
    )  # to oneself: a post
    index.remove_author(homes[7], BEN)
    assert homes[7] not in index.channels_for(update(1, ANN), subject)


def test_what_is_not_for_everybody_is_for_homes_of_its_audience_and_for_nothing_else() -> None:
    index = SubscriptionIndex()
    homes = {uid: Channel(Topic("home", uid)) for uid in (ANN, BEN, CID, 7, 8)}
    everything, firehose = Channel(PUBLIC), Channel(Topic("firehose"))
    profile, birds = Channel(Topic("profile", ANN)), Channel(Topic("list", 7, object_id=1))
    tagged, sample = (
        Channel(Topic("tag", tag="birds")),
        Channel(Topic("sample", shares=frozenset(range(SAMPLE_SHARES)))),
    )
    predicate = Predicate(phrases=("birds",), follow=frozenset({ANN}))
    matched = Channel(Topic("filter", predicate=predicate))
    for one in (everything, firehose):
        index.add_to_all(one)
    for one in (profile, birds):
        index.add_authors(one, [ANN, BEN])
    index.add_tags(tagged, ["birds"])
    index.add_sample(sample)
    index.add_filter(matched, predicate)
    # 7 follows ann and ben, 8 follows ann, cid follows neither, but the hashtag.
    for uid, follows in ((ANN, ()), (BEN, (ANN,)), (CID, ()), (7, (ANN, BEN)), (8, (ANN,))):
        index.add_authors(homes[uid], [uid, *follows])
    index.add_tags(homes[CID], ["birds"])
    known = Subject(1, ANN, "#birds", (Entity("hashtag", "birds", 0, 6),))
    others = {everything, firehose, profile, birds, tagged, sample, matched}
    table = {
        RestrictedAudience(): {ANN, BEN, 7, 8},
        RestrictedAudience(frozenset({ANN})): {ANN},
        RestrictedAudience(frozenset({ANN, 8, CID})): {
            ANN,
            8,
        },  # homes hold nothing of whom one does not follow
        RestrictedAudience(reply_to_uid=BEN): {ANN, BEN, 7},
        RestrictedAudience(frozenset({ANN, BEN, 7, 8}), BEN): {ANN, BEN, 7},
        RestrictedAudience(frozenset({ANN, 8}), BEN): {ANN},
    }
    assert index.channels_for(update(1, ANN), known) == {*homes.values(), *others}, (
        "were it for everybody"
    )
    for message in (update(1, ANN), delete(2, ANN, 1), replace(update(3, ANN, 1), kind="tally")):
        for close, uids in table.items():
            near = replace(message, restricted_to=close)
            for subject in (known, Subject(1, ANN, "", content_unknown=True)):
                assert index.channels_for(near, subject) == {homes[uid] for uid in uids}
                everyone = {*homes.values(), *others}
                assert {one for one in everyone if index.receives(one, near, subject)} == {
                    homes[uid] for uid in uids
                }
    index.remove_author(homes[7], ANN)  # as one who was removed
    assert homes[7] not in index.channels_for(
        replace(update(1, ANN), restricted_to=RestrictedAudience()), known
    )


# The ring


def test_the_ring_gives_what_came_after_a_position_by_wanted_authors() -> None:
    kept = ring(update(1, ANN), update(2, BEN), update(3, ANN))
    assert kept.after((0, 0), lambda message: message.author == ANN) == [
        update(1, ANN),
        update(3, ANN),
    ]
    assert kept.after((1, 0), everything) == [update(2, BEN), update(3, ANN)]
    assert kept.after((2, 9), everything) == [update(3, ANN)]
    assert kept.after((3, 0), everything) == []


@pytest.mark.parametrize("limits", [{"most": 2}, {"most_bytes": 2}], ids=["by number", "by size"])
def test_the_ring_forgets_the_oldest_and_knows_what_it_forgot(limits: dict[str, int]) -> None:
    kept = ring(*(update(at, ANN) for at in range(1, 6)), **limits)
    assert kept.oldest == (3, 0)
    assert kept.after(kept.oldest, everything) == [update(4, ANN), update(5, ANN)]


def test_the_ring_gives_nothing_that_is_gone_by_now() -> None:
    kept = ring(update(1, ANN), update(2, BEN), delete(3, ANN, 1), hide(4, BEN), update(5, ANN))
    assert kept.after((0, 0), everything) == [delete(3, ANN, 1), hide(4, BEN), update(5, ANN)]


# The room


class Store:
    """Whom the viewer follows; answers when told to."""

    def __init__(self, *follows: int) -> None:
        self.follows, self.asked = list(follows), 0
        self.answer = threading.Event()

    def __call__(self) -> Sequence[int]:
        self.asked += 1
        assert self.answer.wait(PATIENCE)
        return self.follows


async def heard(seat: Connection) -> list[int]:
    """The positions of all that waits in a seat."""
    async with client_of() as gone:
        return [message.position[0] for message in await seat.next_batch(0, gone) or []]


class client_of:
    """A client that stays while the block runs."""

    async def __aenter__(self) -> asyncio.Task[None]:
        self._stack = ExitStack()
        return self._stack.enter_context(client())

    async def __aexit__(self, *_: object) -> None:
        self._stack.close()


def test_several_tabs_of_one_member_are_one_entry_and_ask_the_store_once() -> None:
    async def go() -> None:
        room, store = Hub(9, 9), Store(ANN)
        with (
            room.open_connection() as one,
            room.open_connection() as two,
            room.open_connection() as three,
        ):
            joining = [
                asyncio.create_task(room.subscribe(seat, HOME, store)) for seat in (one, two)
            ]
            await asyncio.sleep(0)
            store.answer.set()
            await asyncio.gather(*joining)
            await room.subscribe(three, HOME, store)
            assert store.asked == 1
            room.publish([update(1, ANN), update(2, BEN), update(3, HOME.uid)], (3, 0))
            assert [await heard(seat) for seat in (one, two, three)] == [[1, 3]] * 3
        assert not room._channels and not room._subscriptions._by_author

    in_loop(go())


@pytest.mark.parametrize(
    "known", [True, False], ids=["the store tells too", "the store was asked before"]
)
def test_a_follow_that_is_told_while_the_store_is_asked_counts(known: bool) -> None:
    async def go() -> None:
        room, store = Hub(9, 9), Store(BEN, *([ANN] if known else []))
        with room.open_connection() as seat:
            joining = asyncio.create_task(room.subscribe(seat, HOME, store))
            await asyncio.sleep(0)
            acts = [
                SubscriptionChange("followed", 7, ANN),
                SubscriptionChange("unfollowed", 7, BEN),
                SubscriptionChange("followed", 8, CID),
            ]
            room.publish([*acts, update(1, ANN)], (1, 0))
            store.answer.set()
            audience = await joining
            room.publish([update(at, at - 10) for at in (11, 12, 13)], (13, 0))
            assert await heard(seat) == [11]
            assert room.replay_buffer.after(
                (0, 0), lambda message: room.receives(audience, message)
            )[0] == update(1, ANN)

    in_loop(go())


def test_follows_and_unfollows_take_effect_between_the_messages_they_stand_between() -> None:
    async def go() -> None:
        room, store = Hub(9, 9), Store()
        store.answer.set()
        with room.open_connection() as seat:
            await room.subscribe(seat, HOME, store)
            follow, unfollow = (
                SubscriptionChange("followed", 7, ANN),
                SubscriptionChange("unfollowed", 7, ANN),
            )
            room.publish(
                [update(1, ANN), follow, update(2, ANN), unfollow, update(3, ANN), follow], (3, 0)
            )
            room.publish([update(4, ANN)], (4, 0))
            assert await heard(seat) == [2, 4]

    in_loop(go())


def test_a_home_whose_follows_cannot_be_read_is_asked_for_again_by_the_next() -> None:
    def down() -> Sequence[int]:
        raise Unavailable("store_down")

    async def go() -> None:
        room, store = Hub(9, 9), Store(ANN)
        store.answer.set()
        with room.open_connection() as one, room.open_connection() as two:
            with pytest.raises(Unavailable):
                await room.subscribe(one, HOME, down)
            await room.subscribe(two, HOME, store)
            room.publish([update(1, ANN)], (1, 0))
            assert await heard(two) == [1]

    in_loop(go())


def test_a_member_in_doubt_is_looked_at_again_in_all_tabs_and_nobody_else_is() -> None:
    async def go() -> None:
        room, store = Hub(9, 9), Store()
        store.answer.set()
        with (
            room.open_connection() as one,
            room.open_connection() as two,
            room.open_connection() as other,
        ):
            for seat, topic in ((one, HOME), (two, HOME), (other, Topic("home", 8))):
                await room.subscribe(seat, topic, store)
            room.publish([SubscriptionChange("doubted", 7)], (1, 0))
            assert [seat.needs_recheck for seat in (one, two, other)] == [True, True, False]

    in_loop(go())
