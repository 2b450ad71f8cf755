"""Catch a client up on missed messages: first from the store, then from the replay buffer."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.hub import Hub
from webapp.streaming.hub.subscriptions import Channel
from webapp.streaming.log.entries import LogEntry
from webapp.streaming.log.messages import Message, reload_message
from webapp.streaming.log.position import LogPosition
from webapp.streaming.log_reader import BATCH, LogReader

CATCH_UP_MAX = 20_000  # entries read from the store for one client; beyond them it must reload
Part = tuple[list[Message], LogPosition]  # messages, and the position that they reach


@dataclass(slots=True, eq=False)
class Backlog:
    """The messages that one connection missed."""

    hub: Hub
    log: LogReader
    connection: Connection
    channel: Channel
    receives: Callable[[Message], bool]

    async def parts(self, start: LogPosition | None, count: int) -> AsyncIterator[Part]:
        """Yield the messages after `start`, in parts of at most BATCH.

        A client whose position is lost, or who missed more than CATCH_UP_MAX entries, must reload;
        `count` raises that limit for a client that asked for so many statuses. The connection
        becomes live with the last part: messages that come later wait in its queue.
        """
        entries_read = 0
        while start is not None:
            if start >= self.hub.replay_buffer.oldest:
                messages = self.hub.replay_buffer.after(start, self.receives)
                if len(messages) <= BATCH:
                    self.connection.is_live = True
                    yield messages, max(start, self.hub.position)
                    return
                start = messages[BATCH - 1].position
                yield messages[:BATCH], start
                continue
            entries = await asyncio.to_thread(self.log.after, start, self.hub.position)
            if not entries:  # the store has lost the messages in between
                start = max(start, self.hub.replay_buffer.oldest)
                continue
            entries_read += len(entries)
            messages = await self._translate(entries)
            start = entries[-1].position
            if entries_read > max(count, CATCH_UP_MAX):
                break
            yield messages, start
        self.connection.is_live = True
        yield [reload_message(self.hub.public_position)], self.hub.position

    async def _translate(self, entries: list[LogEntry]) -> list[Message]:
        """Return the messages that the client is sent of some entries. Five trips at most."""
        possible = [entry for entry in entries if entry.author and self._may_want(entry)]
        items = await asyncio.to_thread(self.log.messages, possible) if possible else []
        return [item for item in items if isinstance(item, Message) and self.receives(item)]

    def _may_want(self, entry: LogEntry) -> bool:
        topic = self.channel.topic
        if entry.is_restricted and not topic.shows_restricted:
            return False
        if entry.recipient:
            return entry.recipient == self.connection.uid
        return self.channel.may_want(entry.author)
