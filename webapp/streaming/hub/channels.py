"""The channels of a process by topic, and the loading of their readers' follows."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from webapp.streaming.log.messages import SubscriptionChange

from .followed_topics import Followed, Home, List
from .subscriptions import Channel, SubscriptionIndex
from .topics import Topic


@dataclass(frozen=True, slots=True)
class FollowSet:
    """The authors and hashtags that a topic shows, as the store has them."""

    authors: Sequence[int] = ()  # uids
    tags: Sequence[str] = ()  # folded names


LoadFollows = Callable[[], FollowSet]


@dataclass(slots=True)
class Loading:
    """A channel whose follows are being loaded, and the changes that came in the meantime."""

    task: asyncio.Task[None]
    changes: list[SubscriptionChange] = field(default_factory=list)


class Channels:
    """All channels. Lives in the event loop's thread."""

    def __init__(self) -> None:
        self.index = SubscriptionIndex()
        self._by_topic: dict[Topic, Channel] = {}
        self._loading: dict[Channel, Loading] = {}

    def __len__(self) -> int:
        return len(self._by_topic)

    def find(self, topic: Topic) -> Channel | None:
        """Return the channel of a topic, None if no connection has it."""
        return self._by_topic.get(topic)

    def has_room_for(self, topic: Topic, limit: int) -> bool:
        """Return True if a topic is open, or fewer than `limit` topics of its kind are."""
        if topic in self._by_topic:
            return True
        return sum(one.kind == topic.kind for one in self._by_topic) < limit

    def open(self, topic: Topic, load: LoadFollows) -> Channel:
        """Return the channel of a topic.

        For a new channel of a home or a list, `load` runs in a thread.
        """
        channel = self._by_topic.get(topic)
        if channel is None:
            channel = self._by_topic[topic] = self.index.open(topic)
            if isinstance(topic, Followed):
                task = asyncio.ensure_future(self._load(channel, load))
                self._loading[channel] = Loading(task)
        return channel

    async def loaded(self, channel: Channel) -> None:
        """Wait until the follows of a channel are loaded. Raises the errors of the loading."""
        if channel in self._loading:
            await asyncio.shield(self._loading[channel].task)

    def close(self, channel: Channel) -> None:
        """Close a channel."""
        if self._by_topic.get(channel.topic) is channel:
            del self._by_topic[channel.topic]
        self.index.close(channel)

    def change_follow(self, change: SubscriptionChange) -> None:
        """Apply a follow or an unfollow to the member's open home, once it is loaded."""
        channel = self.find(Home(change.uid))
        if channel is None:
            return
        if channel in self._loading:
            self._loading[channel].changes.append(change)
        else:
            self._apply(channel, change)

    def lists_of(self, uid: int, list_id: int) -> list[Channel]:
        """Return the open channels of a member's list; of all their lists if `list_id` is 0."""
        return [
            channel
            for topic, channel in self._by_topic.items()
            if isinstance(topic, List) and topic.owner == uid and list_id in (0, topic.list_id)
        ]

    async def _load(self, channel: Channel, load: LoadFollows) -> None:
        """Load the follows of a channel, then apply the changes that the log reported meanwhile.

        Nothing is lost between the two, and a change that is in both does no harm.
        """
        try:
            follow_set = await asyncio.to_thread(load)
        except BaseException:
            self.close(channel)  # so that the next connection loads again
            raise
        finally:
            loading = self._loading.pop(channel)
        if channel.connections:
            self.index.follow(channel, follow_set.authors)
            self.index.follow_tags(channel, follow_set.tags)
            for change in loading.changes:
                self._apply(channel, change)

    def _apply(self, channel: Channel, change: SubscriptionChange) -> None:
        if change.kind == "followed":
            self.index.follow(channel, [change.target])
        else:
            self.index.unfollow(channel, change.target)
