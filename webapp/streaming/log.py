"""Following the site's log: each entry is read once a process and turned into one message for everybody."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from .. import keys
from ..db import Db
from ..errors import Unavailable
from ..logs import log
from ..statuses.store import Status, hydrate

LOG_ID = re.compile(r"(\d{1,15})-(\d{1,10})\Z")
Order = tuple[int, int]
START: Order = (0, 0)  # before every entry
BATCH = 500  # entries read at once
BLOCK_MS = 1_000  # longest wait for an entry
CATCH_UP_MAX = 5_000  # entries a client that comes back may have missed; more, and it is told to reload
DOWN_SECONDS = 0.5  # pause while the store does not answer


@dataclass(frozen=True, slots=True)
class Message:
    """One Server-Sent Event. `order` is its log id as two numbers."""

    order: Order
    sse: bytes


class Listeners(Protocol):
    """Whoever the messages are for."""

    def publish(self, messages: Sequence[Message]) -> None:
        """Takes messages; called in the event loop's thread."""


class Log:
    """The process's one reader of the log."""

    def __init__(self, db: Db, listeners: Listeners) -> None:
        self._db, self._listeners = db, listeners
        self._last = ""

    async def begin(self) -> None:
        """Finds the end of the log, from which `follow` goes on. Before that nobody may be let in."""
        while not self._last:
            try:
                self._last = await asyncio.to_thread(self._newest)
            except Unavailable as error:
                log.warning("the log waits for the store: %r", error.__cause__)
                await asyncio.sleep(DOWN_SECONDS)

    async def follow(self) -> None:
        """Reads on for ever; a store that is down is waited for, and what came meanwhile is read then."""
        last = self._last
        while True:
            try:
                entries = await asyncio.to_thread(self._read, last)
                if entries:
                    self._listeners.publish(await asyncio.to_thread(self._messages, entries))
                    last = entries[-1][0]
            except Exception as error:  # a reader that ended would leave every stream silent
                log.warning("the log waits: %r", error.__cause__ or error, exc_info=not isinstance(error, Unavailable))
                await asyncio.sleep(DOWN_SECONDS)

    def since(self, log_id: str) -> list[Message]:
        """What came after a log id; one `reload` message when that is too long ago to tell, or no log id. Raises
        Unavailable.
        """
        newest, oldest = self._db.trip(
            ("XREVRANGE", keys.log(), "+", "-", "COUNT", 1), ("XRANGE", keys.log(), "-", "+", "COUNT", 1)
        )
        known = LOG_ID.match(log_id)
        if known and oldest and order(oldest[0][0]) <= order(log_id) <= order(newest[0][0]):
            entries = self._db.run(("XRANGE", keys.log(), f"({log_id}", "+", "COUNT", CATCH_UP_MAX + 1))
            if len(entries) <= CATCH_UP_MAX:
                return self._messages(entries)
        end = order(newest[0][0]) if newest else START
        return [_message(end, "reload", {})]

    def ready(self) -> bool:
        """Whether the store answers."""
        try:
            self._db.everywhere("PING")
        except Unavailable:
            return False
        return True

    def _newest(self) -> str:
        entries = self._db.run(("XREVRANGE", keys.log(), "+", "-", "COUNT", 1))
        return str(entries[0][0]) if entries else "0-0"

    def _read(self, last: str) -> list[Any]:
        reply = self._db.run(("XREAD", "COUNT", BATCH, "BLOCK", BLOCK_MS, "STREAMS", keys.log(), last))
        return list(reply[0][1]) if reply else []

    def _messages(self, entries: Sequence[Any]) -> list[Message]:
        """One message an entry; a status that is gone by now is left out, its `delete` follows."""
        events = [(log_id, dict(zip(fields[::2], fields[1::2], strict=True))) for log_id, fields in entries]
        posted = [(int(event["id"]), int(event["author"])) for _, event in events if event["type"] == "posted"]
        statuses = dict(zip(posted, hydrate(self._db, posted), strict=True))
        messages = []
        for log_id, event in events:
            key = int(event["id"]), int(event["author"])
            if event["type"] == "deleted":
                messages.append(_message(order(log_id), "delete", {"id": str(key[0])}))
            elif event["type"] == "posted" and (status := statuses[key]):
                messages.append(_message(order(log_id), "update", _shown(status)))
        return messages


def _shown(status: Status) -> dict[str, Any]:
    author = status.author
    return {
        "id": str(status.id),
        "created_at": status.created.isoformat(),
        "text": status.text,
        "entities": [
            {"kind": entity.kind, "text": entity.text, "indices": [entity.start, entity.end]}
            for entity in status.entities
        ],
        "account": {"id": str(author.uid), "login": author.login, "name": author.name},
        "url": f"/@{author.login}/{status.id}",
    }


def _message(at: Order, event: str, data: dict[str, Any]) -> Message:
    log_id = f"{at[0]}-{at[1]}".encode()
    return Message(at, b"id: %s\nevent: %s\ndata: %s\n\n" % (log_id, event.encode(), orjson.dumps(data)))


def order(log_id: str) -> Order:
    """A log id as two numbers, which compare as the log does."""
    ms, _, sequence = log_id.partition("-")
    return int(ms), int(sequence)
