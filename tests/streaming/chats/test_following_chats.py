"""A program begins to listen at the present end of each chat, whatever happens as it connects."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.support.chat import group, send_messages
from tests.support.loops import in_loop
from tests.support.world import World
from webapp.accounts import registration
from webapp.chat.live.hints import Position
from webapp.chat.live.rendered_changes import PROGRAM, Reader
from webapp.core.store import Db, Read
from webapp.streaming.chats.member_chats import MemberChats
from webapp.streaming.hub.connection import Connection, QueuedBytes

SYNC_SECONDS = 0.5  # enough for a look at the list


class Positions:
    """Records where connections begin to listen."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, Position]] = []

    def add(self, connection: Connection, reader: Reader, cid: str, position: Position) -> None:
        self.begun.append((cid, position))

    def remove(self, connection: Connection, cid: str) -> None: ...

    def has(self, connection: Connection, cid: str) -> bool:
        return cid in dict(self.begun)

    def refresh(self, cid: str) -> None: ...


class NoticedReads:
    """A store that calls `notice` after the first look-up, while its reader waits."""

    def __init__(self, db: Db, notice: Callable[[], Any]) -> None:
        self._db, self._notice = db, notice

    def read(self, wanted: Read[Any]) -> Any:
        found = self._db.read(wanted)
        notice, self._notice = self._notice, lambda: None
        notice()
        return found


def test_change_of_the_list_does_not_begin_chats_from_earlier_messages(world: World) -> None:
    ann, ben = (
        registration.sign_up(world, login, login, "a long password").uid for login in ("ann", "ben")
    )
    cid = group(world, ann, [ben])
    world.do(send_messages, ann, cid, "one", "two")

    async def run() -> None:
        loop, listening = asyncio.get_running_loop(), Positions()

        def notice() -> None:
            """Let the process look at the list before the program listens to its chats."""
            looked = asyncio.run_coroutine_threadsafe(look(), loop)
            looked.result()

        async def look() -> None:
            chats.mark_stale([ben])
            await asyncio.sleep(SYNC_SECONDS)

        chats = MemberChats(NoticedReads(world.db, notice), listening)  # type: ignore[arg-type]
        task = asyncio.create_task(chats.run())
        connection = Connection(1 << 20, QueuedBytes())
        async with chats.follow(connection, Reader(ben, PROGRAM)):
            await asyncio.sleep(SYNC_SECONDS)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert listening.begun == [(cid, (2, 2))]

    in_loop(run())
