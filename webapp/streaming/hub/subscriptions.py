"""Find the channels that want a message: the cost grows with its matches, not with all channels."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Set as AbstractSet

from webapp.streaming.log.messages import Message
from webapp.streaming.matching.matcher import Matcher
from webapp.streaming.matching.terms import Subject

from .connection import Connection
from .topics import ANY_AUTHOR, ANY_TAG, IndexKey, Topic, message_keys


class Channel:
    """All connections of one topic in this process, and its reader's follows."""

    __slots__ = ("_by_key", "authors", "connections", "tags", "topic")

    def __init__(self, topic: Topic, by_key: Mapping[IndexKey, set[Channel]]) -> None:
        """Make a channel of the index whose entries are `by_key`."""
        self._by_key = by_key
        self.topic = topic
        self.connections: set[Connection] = set()
        self.tags: frozenset[str] = frozenset()  # followed hashtags, folded
        # The followed uids. An array is small; it is only searched when it changes.
        self.authors = array("Q")

    def follows(self, author: int) -> bool:
        """Return True if the topic shows this author's statuses."""
        return self in self._by_key.get(("author", author), NO_CHANNELS)

    def may_want(self, author: int) -> bool:
        """Return True if the channel may want some message about this author."""
        return self.topic.may_want(author, self)

    def wants(self, message: Message, subject: Subject) -> bool:
        """Return True if the channel's connections are sent a message about this subject."""
        return self.topic.wants(message, subject, self)


NO_CHANNELS: AbstractSet[Channel] = frozenset()


class SubscriptionIndex:
    """The channels of a process, by index keys; those of filters by their terms, too."""

    def __init__(self) -> None:
        self._by_key: dict[IndexKey, set[Channel]] = {}
        self._filters: Matcher[Channel] = Matcher()

    def open(self, topic: Topic) -> Channel:
        """Return a new channel, listed under its topic's keys."""
        channel = Channel(topic, self._by_key)
        for key in topic.index_keys():
            self._list(key, channel)
        if topic.search:
            self._filters.add(channel, topic.search)
        return channel

    def follow(self, channel: Channel, authors: Iterable[int]) -> None:
        """Add authors to those that a channel shows."""
        for uid in authors:
            if not channel.follows(uid):
                self._list(("author", uid), channel)
                channel.authors.append(uid)

    def unfollow(self, channel: Channel, author: int) -> None:
        """Remove an author from those that a channel shows."""
        if author in channel.authors:
            channel.authors.remove(author)
            self._unlist(("author", author), channel)

    def follow_tags(self, channel: Channel, names: Iterable[str]) -> None:
        """Add hashtags, by their folded names, to those that a channel shows."""
        channel.tags |= frozenset(names)
        for key in _tag_keys(channel.tags):
            self._list(key, channel)

    def close(self, channel: Channel) -> None:
        """Remove a channel from the index."""
        self._filters.remove(channel)
        for key in channel.topic.index_keys():
            self._unlist(key, channel)
        for key in _tag_keys(channel.tags):
            self._unlist(key, channel)
        for uid in channel.authors:
            self._unlist(("author", uid), channel)
        channel.tags = frozenset()
        del channel.authors[:]

    def channels_for(self, message: Message, subject: Subject) -> set[Channel]:
        """Return the channels that want a message about this subject."""
        candidates: set[Channel] = set()
        for key in message_keys(message, subject):
            candidates |= self._by_key.get(key, NO_CHANNELS)
        wanted = {one for one in candidates if one.topic.wants(message, subject, one)}
        if message.for_filters:
            wanted |= self._filters.match(subject)
        return wanted

    def _list(self, key: IndexKey, channel: Channel) -> None:
        self._by_key.setdefault(key, set()).add(channel)

    def _unlist(self, key: IndexKey, channel: Channel) -> None:
        channels = self._by_key.get(key, set())
        channels.discard(channel)
        if not channels:
            self._by_key.pop(key, None)


def _tag_keys(names: frozenset[str]) -> list[IndexKey]:
    """Return the keys of a channel that shows these hashtags."""
    if not names:
        return []
    return [ANY_TAG, ANY_AUTHOR, *(("tag", name) for name in names)]
