"""What tests of chat share: making chats, reading them whole, and workers that die in the middle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier
from typing import Any

from tests.support import worker
from webapp.chat import keys as chat_keys
from webapp.chat.api import fetch as api_fetch
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import groups, membership
from webapp.chat.messages import reading, sending
from webapp.chat.models import Draft, Message
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.consumer import PartitionConsumer
from webapp.core.events.leases import LEASE
from webapp.core.events.outbox import GROUPS
from webapp.core.store.client import Db
from webapp.core.text.parser import parse
from webapp.errors import Refused

FETCHES_MAX = 1_000
_numbers = count(1)


def draft(text: str, **more: Any) -> Draft:
    """A message to send."""
    parsed = parse(text, 2_000)
    return Draft(text=parsed.text, entities=parsed.entities, **more)


def key() -> str:
    """A client's key that nobody has used."""
    return f"key-{next(_numbers)}"


def group(
    db: Db, config: Config, uid: int, others: Sequence[int] = (), kind: str = "private", **more: Any
) -> str:
    """A group without a message, owned by `uid`."""
    return groups.create(db, config, uid, kind, "Larks", list(others), None, key(), **more)


def say(db: Db, config: Config, uid: int, cid: str, *texts: str) -> list[int]:
    """Sends messages; their ids."""
    return [sending.send(db, config, uid, cid, draft(text), key()) for text in texts]


def whole(db: Db, uid: int, cid: str, size: int = 100) -> list[Message]:
    """Every message a member can page to, from the newest backwards, the oldest first."""
    opened = db.read(reading.open_page(uid, cid, size=size))
    found = list(opened.messages)
    while opened.has_older:
        opened = db.read(reading.open_page(uid, cid, before=found[0].id, size=size))
        assert opened.messages, "a page that promised older ones is empty"
        found = [*opened.messages, *found]
    assert [one.id for one in found] == sorted({one.id for one in found})
    return found


def forwards(db: Db, uid: int, cid: str, size: int = 100) -> list[Message]:
    """The same, from the oldest on."""
    opened = db.read(reading.open_page(uid, cid, after=0, size=size))
    found = list(opened.messages)
    while opened.has_newer:
        opened = db.read(reading.open_page(uid, cid, after=found[-1].id, size=size))
        assert opened.messages, "a page that promised newer ones is empty"
        found += opened.messages
    return found


def texts(messages: Sequence[Message]) -> list[str]:
    """What they say, in their order."""
    return [one.text for one in messages]


def fetch(db: Db, config: Config, uid: int) -> dict[str, list[int]]:
    """The ids of what a member has not fetched yet, by chat."""
    return {
        fetched.chat.id: [message.id for message in fetched.messages]
        for fetched in api_fetch.fetch_pending(db, config, uid)
    }


def fetch_all(db: Db, config: Config, uid: int) -> dict[str, list[int]]:
    """The same, until nothing comes any more."""
    found: dict[str, list[int]] = {}
    for _ in range(FETCHES_MAX):
        fetched = fetch(db, config, uid)
        if not fetched:
            return found
        for cid, ids in fetched.items():
            found.setdefault(cid, []).extend(ids)
    raise AssertionError(f"fetching does not come to an end: {found}")


def unread(db: Db, uid: int) -> dict[str, int]:
    """How many messages of each chat a member's list says they have not read."""
    return {row.chat.id: row.unread for row in listing.inbox(db, uid)}


def badge(db: Db, uid: int) -> int:
    """What a member's badge says."""
    return db.read(chat_state.unread(uid)).total


def uids(db: Db, cid: str) -> list[int]:
    """Who belongs to a chat, in the order they came."""
    return [one.member.uid for one in membership.list_members(db, cid)]


def owners(db: Db, cid: str) -> set[int]:
    """Who owns it."""
    return {one.member.uid for one in membership.list_members(db, cid) if one.is_owner}


def together(count: int, act: Callable[[int], Any]) -> list[Any]:
    """What each of so many threads, which begin at once, gets or is refused with."""
    gate = Barrier(count)

    def one(number: int) -> Any:
        gate.wait()
        try:
            return act(number)
        except Refused as refusal:
            return refusal.code

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def left_of(db: Db, cid: str) -> list[str]:
    """The keys that there are of a chat, but for the keys of its senders, which run out by themselves."""
    own = chat_keys.chat(cid)
    return sorted(
        key
        for found in db.on_every_primary("KEYS", f"{own}*")
        for key in found
        if f"{key}:".startswith(f"{own}:")
    )


def takeover(
    db: Db, config: Config, partition: int, owner: str, group_: str = "fanout"
) -> PartitionConsumer:
    """A partition's outbox in the hands of a new worker, since the last one is silent."""
    lease = event_keys.lease(partition, group_)
    db.run(("HSET", lease, "until", 0))
    return worker.consumer(
        db, config, group_, partition, int(db.run(LEASE(lease=lease, owner=owner, duration=10_000)))
    )


def entries(db: Db, box: PartitionConsumer) -> Any:
    """What a worker is handed: what its predecessor left unfinished first. None when nothing waits."""
    for _ in range(3):
        reply = db.trip_with_errors([box.command()])[0]
        if isinstance(reply, list) and reply and reply[0][1]:
            return reply
        box.apply(reply, lambda: None)
    return None


def die_before_acknowledging(box: PartitionConsumer, reply: Any) -> None:
    """The worker applies what it was handed, and dies before it says so."""
    box._acknowledge = lambda done: None  # type: ignore[method-assign]
    box.apply(reply, lambda: None)


def expire_leases(db: Db, partitions: Sequence[int]) -> None:
    """Every worker has been silent for too long."""
    db.trip(
        *(("HSET", event_keys.lease(p, each), "until", 0) for p in partitions for each in GROUPS)
    )
