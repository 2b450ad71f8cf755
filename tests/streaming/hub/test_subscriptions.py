"""The subscription index: which channels want a message."""

from collections.abc import Iterable
from dataclasses import replace

from tests.support.streaming.messages import ANN, BEN, CID, delete, hide, update
from webapp.core.text.parser import Entity
from webapp.search.index.documents import Document
from webapp.statuses import Visibility
from webapp.streaming.hub.api_topics import Filter, Firehose, Sample
from webapp.streaming.hub.followed_topics import Home, List
from webapp.streaming.hub.page_topics import Chats, Profile, Public, Search, Tag, Thread
from webapp.streaming.hub.subscriptions import Channel, SubscriptionIndex
from webapp.streaming.hub.topics import SAMPLE_SHARES, Topic
from webapp.streaming.log.messages import Message
from webapp.streaming.log.restricted import RestrictedAudience
from webapp.streaming.matching.predicates import Predicate
from webapp.streaming.matching.terms import Subject

PUBLIC, HOME = Public(), Home(7)


def matching(index: SubscriptionIndex, author: int) -> set[Channel]:
    return index.channels_for(update(1, author), Subject(1, author, ""))


def open_channels(index: SubscriptionIndex, *topics: Topic) -> list[Channel]:
    return [index.open(topic) for topic in topics]


def wanting(channels: Iterable[Channel], message: Message, subject: Subject) -> set[Channel]:
    """Return the channels whose own `wants` accepts a message."""
    return {channel for channel in channels if channel.wants(message, subject)}


def test_author_matches_homes_that_follow_them() -> None:
    index = SubscriptionIndex()
    one, two, public = open_channels(index, Home(11), Home(12), PUBLIC)
    index.follow(one, [ANN, BEN])
    index.follow(two, [BEN, BEN])
    assert matching(index, ANN) == {public, one}
    assert matching(index, BEN) == {public, one, two}
    assert matching(index, CID) == {public}
    assert public.may_want(CID) and two.may_want(BEN) and not two.may_want(ANN)


def test_unfollow_and_close_leave_nothing_in_the_index() -> None:
    index = SubscriptionIndex()
    one, two = open_channels(index, Home(11), Home(12))
    index.follow(one, [ANN, BEN])
    index.follow(two, [ANN])
    index.unfollow(one, ANN)
    index.unfollow(one, CID)
    assert matching(index, ANN) == {two}
    index.unfollow(one, ANN)
    index.close(one)
    index.close(two)
    assert not index._by_key and not one.authors


def test_closing_any_topic_leaves_nothing_in_the_index() -> None:
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
    for channel in open_channels(index, *every_topic):
        index.close(channel)
    assert not index._by_key and not len(index._filters)


def test_tag_matches_its_statuses_and_deletions_of_unknown_content() -> None:
    index = SubscriptionIndex()
    birds, reeds = open_channels(index, Tag("birds"), Tag("reeds"))
    subject = Subject(1, ANN, "#BIRDS", (Entity("hashtag", "BIRDS", 0, 6),))
    for message in (update(1, ANN, 1), delete(2, ANN, 1)):
        assert index.channels_for(message, subject) == {birds}
        assert birds.wants(message, subject) and not reeds.wants(message, subject)
    unknown = Subject(1, ANN, "", content_unknown=True)
    for message in (delete(2, ANN, 1), hide(3, ANN)):
        assert index.channels_for(message, unknown) == {birds, reeds}
        assert reeds.wants(message, unknown)
    assert matching(index, ANN) == set() and birds.may_want(ANN)
    for channel in (birds, birds, reeds):
        index.close(channel)
    assert not index._by_key


def test_followed_tag_brings_public_statuses_into_homes() -> None:
    index = SubscriptionIndex()
    home, other = open_channels(index, HOME, Home(8))
    for channel in (home, other):
        index.follow(channel, [BEN])
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
    hiding = hide(4, ANN), Subject(0, ANN, "")
    assert home in index.channels_for(*hiding) and home.wants(*hiding) and home.may_want(ANN)
    assert other not in index.channels_for(*hiding) and not other.wants(*hiding)
    index.close(home)
    assert index.channels_for(update(1, ANN), tagged) == set()
    index.close(other)
    assert not index._by_key


def test_thread_matches_its_status_and_all_descendants() -> None:
    index = SubscriptionIndex()
    thread, other = open_channels(index, Thread(10), Thread(20))
    subject = Subject(30, ANN, "@ben yes", reply_to=BEN)
    for kind in ("update", "edit", "delete", "tally"):
        for message in (
            Message((1, 0), kind, ANN, 10, b""),
            Message((1, 0), kind, ANN, 30, b"", ancestors=(5, 10, 25)),
        ):
            for variant in (message, replace(message, unlisted=True)):
                assert index.channels_for(variant, subject) == {thread}
                assert thread.wants(variant, subject) and not other.wants(variant, subject)
    boost = Message((1, 0), "boost", ANN, 40, b"", unlisted=True, boosted=(4, BEN))
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


def test_reply_matches_homes_that_follow_both_members() -> None:
    index = SubscriptionIndex()
    public, profile, firehose = open_channels(index, PUBLIC, Profile(ANN), Firehose())
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


def test_restricted_status_matches_homes_of_its_audience_only() -> None:
    index = SubscriptionIndex()
    homes = {uid: index.open(Home(uid)) for uid in (ANN, BEN, CID, 7, 8)}
    birds = index.open(List(7, 1))
    index.follow(birds, [ANN, BEN])
    predicate = Predicate(phrases=("birds",), follow=frozenset({ANN}))
    every_share = Sample(frozenset(range(SAMPLE_SHARES)))
    others = {
        birds,
        *open_channels(index, PUBLIC, Firehose(), Profile(ANN), Tag("birds"), every_share),
        index.open(Filter(predicate)),
    }
    # 7 follows ann and ben, 8 follows ann, cid follows only the hashtag.
    for uid, follows in ((BEN, (ANN,)), (7, (ANN, BEN)), (8, (ANN,))):
        index.follow(homes[uid], follows)
    index.follow_tags(homes[CID], ["birds"])
    tagged = Subject(1, ANN, "#birds", (Entity("hashtag", "birds", 0, 6),))
    table = {
        RestrictedAudience(): {ANN, BEN, 7, 8},
        RestrictedAudience(Visibility.MENTIONED): {ANN},
        # Homes hold nothing of authors whom their owners do not follow.
        RestrictedAudience(Visibility.MENTIONED, frozenset({8, CID})): {ANN, 8},
        RestrictedAudience(reply_to_uid=BEN): {ANN, BEN, 7},
        RestrictedAudience(Visibility.MENTIONED, frozenset({BEN, 7, 8}), BEN): {ANN, BEN, 7},
        RestrictedAudience(Visibility.MENTIONED, frozenset({8}), BEN): {ANN},
    }
    everyone = {*homes.values(), *others}
    assert index.channels_for(update(1, ANN), tagged) == everyone, "if it were public"
    for message in (update(1, ANN), delete(2, ANN, 1), replace(update(3, ANN, 1), kind="tally")):
        for audience, uids in table.items():
            restricted = replace(message, restricted_to=audience)
            for subject in (tagged, Subject(1, ANN, "", content_unknown=True)):
                expected = {homes[uid] for uid in uids}
                assert index.channels_for(restricted, subject) == expected
                assert wanting(everyone, restricted, subject) == expected
    index.unfollow(homes[7], ANN)  # as for a removed follower
    to_followers = replace(update(1, ANN), restricted_to=RestrictedAudience())
    assert homes[7] not in index.channels_for(to_followers, tagged)


def test_a_search_gets_the_public_posts_that_match() -> None:
    index = SubscriptionIndex()
    heron, not_heron = open_channels(index, Search("grey heron"), Search("-heron"))
    assert index.open(Search("grey heron")).topic == heron.topic

    def subject(*tokens: str) -> Subject:
        return Subject(1, ANN, "", document=Document(1, ANN, tokens, frozenset(tokens)))

    def found(message: Message, about: Subject) -> set[Topic]:
        return {channel.topic for channel in index.channels_for(message, about)}

    message = update(1, ANN)
    assert found(message, subject("a", "grey", "heron")) == {heron.topic}
    assert found(message, subject("a", "grey", "kite")) == {not_heron.topic}
    assert found(message, Subject(1, ANN, "grey heron")) == set()  # hidden from search
    assert found(replace(message, unlisted=True), subject("grey", "heron")) == set()
    restricted = replace(message, restricted_to=RestrictedAudience(Visibility.FOLLOWERS))
    assert found(restricted, subject("grey", "heron")) == set()
    both = {heron.topic, not_heron.topic}
    assert found(delete(5, ANN, 1), Subject(1, ANN, "", content_unknown=True)) == both
    assert found(hide(4, ANN), Subject(0, ANN, "")) == both
