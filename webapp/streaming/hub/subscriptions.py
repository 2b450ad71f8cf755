"""Who is sent what, looked up from the message: the cost grows with what it matches, not with all who are there."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from zlib import crc32

from webapp.core.text.parser import tag_names
from webapp.streaming.log.messages import Message
from webapp.streaming.log.restricted import RestrictedAudience
from webapp.streaming.matching.matcher import Matcher
from webapp.streaming.matching.predicates import Predicate
from webapp.streaming.matching.terms import Subject

if TYPE_CHECKING:
    from .connection import Connection


UNLISTED_TOPICS = (
    "profile",
    "home",
    "list",
    "thread",
)  # the topics that are sent what is unlisted, or one reader's alone
K = TypeVar("K", int, str)
SAMPLE_SHARES = 1_000  # parts that statuses fall into, for samples


class Topic(NamedTuple):
    """What a stream is about: `public`; `profile`, `home` or a `list` of a member; a `tag`; a `thread`, of a status and
    what is below it; a `sample` of everything; or a `filter`.
    """

    kind: str
    uid: int = 0
    shares: frozenset[int] = frozenset()  # of a sample
    predicate: Predicate | None = None  # of a filter
    tag: str = ""  # the folded name of a hashtag
    object_id: int = 0  # of a list, or the id of a thread's status


def share_of(status_id: int) -> int:
    """The part that a status falls into, from 0 to SHARES - 1; those of one author or one second fall into many."""
    return crc32(str(status_id).encode()) % SAMPLE_SHARES


class Channel:
    """All seats of one topic. Of a home: with the authors and the hashtags that its viewer follows; of a list: with its
    members.
    """

    __slots__ = ("authors", "connections", "tags", "topic")

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self.connections: set[Connection] = set()
        self.tags: frozenset[str] = frozenset()
        self.authors = array(
            "Q"
        )  # small, for there may be thousands; looked through only when it changes


class SubscriptionIndex:
    """Audiences by what they want."""

    def __init__(self) -> None:
        self._receives_all: set[Channel] = set()
        self._by_author: dict[int, set[Channel]] = {}
        self._by_tag: dict[str, set[Channel]] = {}
        self._by_thread: dict[int, set[Channel]] = {}
        self._by_share: dict[int, set[Channel]] = {}
        self._filters: Matcher[Channel] = Matcher()
        self._with_filter: set[Channel] = set()
        self._homes: set[Channel] = set()

    def add_to_all(self, channel: Channel) -> None:
        """This audience wants everything."""
        self._receives_all.add(channel)

    def add_tags(self, channel: Channel, names: Iterable[str]) -> None:
        """This audience wants these hashtags too, by their folded names."""
        channel.tags |= frozenset(names)
        for name in channel.tags:
            self._by_tag.setdefault(name, set()).add(channel)

    def add_thread(self, channel: Channel) -> None:
        """This audience wants the status of its topic, and what is below it."""
        self._by_thread.setdefault(channel.topic.object_id, set()).add(channel)

    def add_sample(self, channel: Channel) -> None:
        """This audience wants the shares of its topic."""
        for share in channel.topic.shares:
            self._by_share.setdefault(share, set()).add(channel)

    def add_filter(self, channel: Channel, predicate: Predicate) -> None:
        """This audience wants what its predicate matches."""
        self._filters.add(channel, predicate)
        self._with_filter.add(channel)

    def add_authors(self, channel: Channel, authors: Iterable[int]) -> None:
        """This audience wants these authors too."""
        if channel.topic.kind == "home":
            self._homes.add(channel)
        for uid in authors:
            channels = self._by_author.setdefault(uid, set())
            if channel not in channels:
                channels.add(channel)
                channel.authors.append(uid)

    def remove_author(self, channel: Channel, uid: int) -> None:
        """This audience wants this author no more."""
        if channel in self._by_author.get(uid, ()):
            channel.authors.remove(uid)
            self._discard(self._by_author, uid, channel)

    def remove(self, channel: Channel) -> None:
        """This audience wants nothing any more."""
        self._receives_all.discard(channel)
        self._filters.remove(channel)
        self._with_filter.discard(channel)
        self._homes.discard(channel)
        for share in channel.topic.shares:
            self._by_share.get(share, set()).discard(channel)
        self._discard(self._by_thread, channel.topic.object_id, channel)
        for name in channel.tags:
            self._discard(self._by_tag, name, channel)
        channel.tags = frozenset()
        for uid in channel.authors:
            self._discard(self._by_author, uid, channel)
        del channel.authors[:]

    def may_want(self, channel: Channel, author: int) -> bool:
        """Whether an audience may be sent what this author writes. Others look at the status too."""
        if channel.topic.kind in ("tag", "thread", "sample", "filter"):
            return True
        return channel in self._receives_all or bool(channel.tags) or self._follows(channel, author)

    def receives(self, channel: Channel, message: Message, subject: Subject) -> bool:
        """Whether an audience is sent a message about this subject."""
        topic = channel.topic
        if message.recipient:
            return topic.kind in UNLISTED_TOPICS
        if message.restricted_to:
            return self._in_restricted_audience(channel, message, message.restricted_to)
        if message.unlisted and topic.kind not in UNLISTED_TOPICS:
            return False
        if (
            message.kind == "protect" and topic.kind == "home"
        ):  # who follows is shown it all the same
            return not self._follows(channel, message.author)
        if topic.kind == "thread":
            return not message.status_id or topic.object_id in (
                message.status_id,
                *message.ancestors,
            )
        if topic.tag:
            return (
                not message.status_id
                or subject.content_unknown
                or topic.tag in tag_names(subject.entities)
            )
        if topic.kind == "filter" and topic.predicate:
            return not message.status_id or topic.predicate.matches(subject)
        if topic.shares and message.status_id and share_of(message.status_id) not in topic.shares:
            return False
        subscribed = (
            topic.shares or channel in self._receives_all or self._follows(channel, message.author)
        )
        return (
            subscribed and self._passes_filters(channel, message, subject)
        ) or self._via_hashtag(channel, message, subject)

    def channels_for(self, message: Message, subject: Subject) -> set[Channel]:
        """The audiences that are sent a message about this subject."""
        if message.restricted_to:
            followers = self._by_author.get(message.author, ())
            return {
                one
                for one in followers
                if self._in_restricted_audience(one, message, message.restricted_to)
            }
        candidates = {*self._receives_all, *self._by_author.get(message.author, ())}
        in_thread = self._thread_channels(message)
        if message.unlisted:
            return in_thread | {one for one in candidates if self.receives(one, message, subject)}
        if not message.status_id:  # whoever may have seen any of the author's
            candidates = candidates.union(
                self._with_filter, *self._by_share.values(), *self._by_tag.values(), in_thread
            )
            if (
                message.kind == "protect"
            ):  # homes of others may show it for a hashtag, or as somebody boosts it
                candidates |= self._homes
                return {
                    one
                    for one in candidates
                    if one.topic.kind != "home" or not self._follows(one, message.author)
                }
            return candidates
        candidates.update(*self._tag_channels(subject))
        candidates |= self._by_share.get(share_of(message.status_id), set())
        receivers = {
            one
            for one in candidates
            if self._passes_filters(one, message, subject)
            or self._via_hashtag(one, message, subject)
        }
        return receivers | in_thread | self._filters.match(subject)

    def _follows(self, channel: Channel, author: int) -> bool:
        return channel in self._by_author.get(author, ())

    def _in_restricted_audience(
        self, channel: Channel, message: Message, restricted_to: RestrictedAudience
    ) -> bool:
        """Whether what not everybody may see is for this page: for homes alone, and for those that hold it."""
        topic, only_uids, reply_to_uid = (
            channel.topic,
            restricted_to.only_uids,
            restricted_to.reply_to_uid,
        )
        if topic.kind != "home" or not self._follows(channel, message.author):
            return False
        if only_uids is not None and topic.uid not in only_uids:
            return False
        return (
            reply_to_uid == 0
            or topic.uid in (reply_to_uid, message.author)
            or self._follows(channel, reply_to_uid)
        )

    def _via_hashtag(self, channel: Channel, message: Message, subject: Subject) -> bool:
        """Whether a hashtag brings a status to a home, whoever wrote it, and whatever it answers."""
        if (
            not channel.tags
            or message.unlisted
            or not message.status_id
            or message.kind in ("boost", "unboost")
        ):
            return False
        return subject.content_unknown or not channel.tags.isdisjoint(tag_names(subject.entities))

    def _passes_filters(self, channel: Channel, message: Message, subject: Subject) -> bool:
        """Whether a message is left by what a sample or the firehose is narrowed to, by language and level; and of a
        reply to another member, whether it is for this page: for the home of who follows both, for a list that both are
        on, or its owner has made, for no other.
        """
        topic, reply_to_uid = channel.topic, subject.reply_to
        if reply_to_uid in (0, subject.author) or topic.kind not in (
            "public",
            "profile",
            "home",
            "list",
        ):
            return (
                topic.predicate is None
                or message.subject is None
                or topic.predicate.allows(message.subject)
            )
        return topic.kind in ("home", "list") and (
            topic.uid in (reply_to_uid, subject.author)
            or channel in self._by_author.get(reply_to_uid, ())
        )

    def _thread_channels(self, message: Message) -> set[Channel]:
        """The audiences of the threads that a status is in; of all, for what is about an author."""
        status_ids = (
            (message.status_id, *message.ancestors) if message.status_id else tuple(self._by_thread)
        )
        return {one for status_id in status_ids for one in self._by_thread.get(status_id, ())}

    def _tag_channels(self, subject: Subject) -> Iterable[set[Channel]]:
        """The audiences of its tags; of all, where it is gone and so long ago that its tags are not known any more."""
        if subject.content_unknown:
            return self._by_tag.values()
        names = tag_names(subject.entities) if self._by_tag else ()
        return [self._by_tag[name] for name in names if name in self._by_tag]

    @staticmethod
    def _discard(index: dict[K, set[Channel]], key: K, channel: Channel) -> None:
        channels = index.get(key, set())
        channels.discard(channel)
        if not channels:
            index.pop(key, None)
