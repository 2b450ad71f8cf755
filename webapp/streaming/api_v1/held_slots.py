"""The connection slots that streams of this process hold."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from webapp.core.errors import Unavailable
from webapp.core.logs import log as logger
from webapp.core.store import Site
from webapp.streaming.background import run_forever
from webapp.streaming.end_codes import EndCode

from . import connection_slots
from .connection_slots import REFRESH_SECONDS, SlotHolder


class Closable(Protocol):
    """A stream that can be ended."""

    def close(self, code: EndCode) -> None:
        """End it, with a message that says why, in the client's own time."""


@dataclass(frozen=True, slots=True)
class OpenStream:
    """A stream that holds a slot."""

    stream: Closable
    holder: SlotHolder


class HeldSlots:
    """Slots by name. Lives in the event loop's thread."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._open_streams: dict[str, OpenStream] = {}  # by slot
        self._releases: set[asyncio.Future[None]] = set()

    async def refresh(self) -> None:
        """Refresh the slots of this process for ever, and end the streams that lost theirs."""
        await run_forever("connection slots", self._refresh)

    @asynccontextmanager
    async def hold(
        self, stream: Closable, holder: SlotHolder, slot: str, limit: int = 0
    ) -> AsyncIterator[None]:
        """Hold a slot while the block runs; streams that lose theirs for it end.

        `limit`: as for `connection_slots.acquire`.
        """
        evicted = await asyncio.to_thread(connection_slots.acquire, self._site, holder, slot, limit)
        try:
            self._end_streams({other: _end_code(other, slot) for other in evicted})
            self._open_streams[slot] = OpenStream(stream, holder)
            yield
        finally:
            if self._open_streams.pop(slot, None):
                self._release(slot, holder)

    async def wait_for_releases(self) -> None:
        """Wait until the slots of ended streams are released."""
        await asyncio.gather(*self._releases)

    async def _refresh(self) -> None:
        await asyncio.sleep(REFRESH_SECONDS)
        holders = {slot: stream.holder for slot, stream in self._open_streams.items()}
        if holders:
            self._end_streams(
                await asyncio.to_thread(connection_slots.refresh, self._site.db, holders)
            )

    def _end_streams(self, lost: Mapping[str, EndCode]) -> None:
        """End the streams that lost their slots, if they are of this process."""
        for slot, code in lost.items():
            open_stream = self._open_streams.pop(slot, None)
            if open_stream:
                open_stream.stream.close(code)

    def _release(self, slot: str, holder: SlotHolder) -> None:
        """Release a slot in a thread, without waiting for it."""
        loop = asyncio.get_running_loop()
        release = loop.run_in_executor(None, self._release_now, slot, holder)
        self._releases.add(release)
        release.add_done_callback(self._releases.discard)

    def _release_now(self, slot: str, holder: SlotHolder) -> None:
        try:
            connection_slots.release(self._site.db, {slot: holder})
        except Unavailable as error:  # the slot times out by itself
            logger.info("a connection slot is left to time out: %r", error)


def _end_code(slot: str, new_slot: str) -> EndCode:
    is_duplicate = connection_slots.asks_for_same(slot, new_slot)
    return EndCode.DUPLICATE if is_duplicate else EndCode.REPLACED
