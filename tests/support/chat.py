"""Create and read chats, and let workers die while they apply events."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from tests.support import worker
from webapp.chat import keys as chat_keys, reading
from webapp.chat.api import fetch as api_fetch
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import group_chats, membership
from webapp.chat.messages import sending
from webapp.chat.models import Content, Message
from webapp.core.events import keys as event_keys
from webapp.core.events.consumer import PartitionConsumer
from webapp.core.events.leases import LEASE
from webapp.core.events.outbox import GROUPS
from webapp.core.store import Db, Site, send
from webapp.core.text.parser import parse

FETCHES_MAX = 1_000
_numbers = count(1)


def draft(text: str, **more: Any) -> Content:
    """Return a message to send."""
    parsed = parse(text, 2_000)
    return Content(text=parsed.text, entities=parsed.entities, **more)


def key() -> str:
    """Return an idempotency key that no client has used."""
    return f"key-{next(_numbers)}"


def group(
    site: Site, uid: int, others: Sequence[int] = (), kind: str = "private", **more: Any
) -> str:
    """Create a group without messages, owned by `uid`. Return its id."""
    return group_chats.create(site, uid, kind, "Larks", list(others), None, key(), **more)


def send_messages(site: Site, uid: int, cid: str, *texts: str) -> list[int]:
    """Send messages and return their ids."""
    return [sending.send(site, uid, cid, draft(text), key()) for text in texts]


def all_messages(db: Db, uid: int, cid: str, size: int = 100) -> list[Message]:
    """Page from the newest message to the oldest. Return them all, the oldest first."""
    page = db.read(reading.open_page(uid, cid, size=size))
    found = list(page.messages)
    while page.has_older:
        page = db.read(reading.open_page(uid, cid, before=found[0].id, size=size))
        assert page.messages, "a page that promised older ones is empty"
        found = [*page.messages, *found]
    assert [message.id for message in found] == sorted({message.id for message in found})
    return found


def all_messages_forwards(db: Db, uid: int, cid: str, size: int = 100) -> list[Message]:
    """Page from the oldest message to the newest. Return them all, the oldest first."""
    page = db.read(reading.open_page(uid, cid, after=0, size=size))
    found = list(page.messages)
    while page.has_newer:
        page = db.read(reading.open_page(uid, cid, after=found[-1].id, size=size))
        assert page.messages, "a page that promised newer ones is empty"
        found += page.messages
    return found


def texts(messages: Sequence[Message]) -> list[str]:
    """Return the texts of messages, in their order."""
    return [message.text for message in messages]


def fetch(site: Site, uid: int) -> dict[str, list[int]]:
    """Fetch a member's pending messages. Return their ids by chat."""
    return {
        fetched.chat.id: [message.id for message in fetched.messages]
        for fetched in api_fetch.fetch_pending(site, uid)
    }


def fetch_all(site: Site, uid: int) -> dict[str, list[int]]:
    """Fetch until no message is pending. Return the ids by chat."""
    found: dict[str, list[int]] = {}
    for _ in range(FETCHES_MAX):
        fetched = fetch(site, uid)
        if not fetched:
            return found
        for cid, ids in fetched.items():
            found.setdefault(cid, []).extend(ids)
    raise AssertionError(f"fetching does not end: {found}")


def unread(db: Db, uid: int) -> dict[str, int]:
    """Return the unread count of each chat in a member's inbox."""
    return {row.chat.id: row.unread for row in listing.inbox(db, uid)}


def badge(db: Db, uid: int) -> int:
    """Return the number on a member's badge."""
    return db.read(chat_state.unread(uid)).total


def uids(db: Db, cid: str) -> list[int]:
    """Return the members of a chat, in the order of joining."""
    return [member.member.uid for member in membership.list_members(db, cid)]


def owners(db: Db, cid: str) -> set[int]:
    """Return the owners of a chat."""
    return {member.member.uid for member in membership.list_members(db, cid) if member.is_owner}


def remaining_keys(db: Db, cid: str) -> list[str]:
    """Return the keys of a chat, without the idempotency keys, which expire."""
    own = chat_keys.chat(cid)
    return sorted(
        key
        for keys in db.on_every_primary("KEYS", f"{own}*")
        for key in keys
        if f"{key}:".startswith(f"{own}:")
    )


def take_over_partition(
    site: Site, partition: int, owner: str, group_: str = "fanout"
) -> PartitionConsumer:
    """Take a partition's lease from a silent worker. Return the new owner's consumer."""
    site.db.run(("HSET", event_keys.lease(partition, group_), "until", 0))
    lease = LEASE(partition=partition, group=group_, owner=owner, duration=10_000)
    return worker.consumer(site, group_, partition, int(site.db.run(lease)))


def read_events(db: Db, box: PartitionConsumer) -> Any:
    """Read events, the predecessor's unfinished ones first. None if no event is waiting."""
    reply = db.trip_with_errors([box.command()])[0]
    return reply if reply[1] else None


def die_before_acknowledging(box: PartitionConsumer, reply: Any) -> None:
    """Apply events as a worker that dies before it acknowledges them."""
    box._acknowledge = lambda done: send()  # type: ignore[method-assign]
    box.apply(reply, lambda: None)


def expire_leases(db: Db, partitions: Sequence[int]) -> None:
    """Expire the leases of all workers."""
    db.trip(
        *(
            ("HSET", event_keys.lease(p, group_name), "until", 0)
            for p in partitions
            for group_name in GROUPS
        )
    )
