"""Announce the readers of open chats, and send members' activity there with their names."""

import asyncio
import time
from collections.abc import Mapping

from webapp.chat.live import presence
from webapp.core.store import Db
from webapp.streaming.background import run_forever

from .channel import ChatChannel

TICK_SECONDS = 0.5  # between two rounds of members' activity
ANNOUNCE_SECONDS = 25.0  # between two announcements of the same member


class Presence:
    """Announces the readers of open chats to all processes, and sends members' activity.

    Lives in the event loop's thread.
    """

    def __init__(self, db: Db, channels: Mapping[str, ChatChannel]) -> None:
        self._db = db
        self._channels = channels  # by chat id; they come and go
        self._announced_at = float("-inf")
        self._names: dict[int, str] = {}  # uid → name, empty if the account is gone
        self._unnamed: set[int] = set()

    def add(self, uid: int) -> None:
        """Look up a new reader's name with the next tick."""
        self._unnamed.add(uid)

    def flush(self, channel: ChatChannel) -> None:
        """Send the activity of a chat's members now, before their next."""
        channel.flush(self._names, time.monotonic())

    async def run(self) -> None:
        """Tick for ever."""
        await run_forever("presence", self._tick)

    async def _tick(self) -> None:
        await asyncio.sleep(TICK_SECONDS)
        now = time.monotonic()
        everyone = now - self._announced_at >= ANNOUNCE_SECONDS
        if everyone:
            self._announced_at = now
        await self._announce(everyone)
        await self._load_names(everyone)
        for channel in self._channels.values():
            channel.flush(self._names, now)

    async def _announce(self, everyone: bool) -> None:
        """Announce the readers of chats with someone new; now and then those of all chats."""
        channels = [one for one in self._channels.values() if everyone or one.presence_due]
        for channel in channels:
            channel.presence_due = False
        if channels:
            present = [(channel.cid, uid) for channel in channels for uid in channel.members]
            await asyncio.to_thread(presence.announce_presence, self._db, present)

    async def _load_names(self, everyone: bool) -> None:
        """Load missing names before they are needed, and now and then all names again."""
        channels = self._channels.values()
        if everyone:
            readers = {uid for channel in channels for uid in channel.members}
            self._names = {uid: name for uid, name in self._names.items() if uid in readers}
            self._unnamed |= readers
        active = {uid for channel in channels for uid in channel.active_uids}
        missing = self._unnamed | (active - self._names.keys())
        if missing:
            names = presence.display_names(sorted(missing))
            self._names |= await asyncio.to_thread(self._db.read, names)
            self._unnamed -= missing
