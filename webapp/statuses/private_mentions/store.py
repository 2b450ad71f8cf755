"""A member's private mentions, by conversation. The list itself is projected."""

from __future__ import annotations

from typing import NamedTuple

from webapp.core.errors import NotFound
from webapp.core.store import Db, Read, Site, gather, read, results_of
from webapp.core.web import newest_below, overfetch
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.hydration import hydrate
from webapp.statuses.items import Item
from webapp.statuses.listings.pipeline import ALL, Listing, Skeleton, page
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.lookup import Entry

from . import keys


class Conversation(NamedTuple):
    """A conversation of private mentions: its number, its newest status, and that one's author."""

    number: int
    last_id: int
    author: int
    unread: bool


def conversations_of(uid: int) -> Read[list[Conversation]]:
    """Read a member's conversations, the one of the newest status first."""
    marks = read(
        ("ZRANGE", keys.read_conversations(uid), 0, -1, "WITHSCORES"),
        lambda flat: dict(zip(map(int, flat[::2]), map(int, flat[1::2]), strict=True)),
    )

    def build(results: tuple[list[str], dict[int, int]]) -> list[Conversation]:
        found: dict[int, Conversation] = {}
        for status_id, author, number in map(_parse, results[0]):
            is_unread = author != uid and status_id > results[1].get(number, 0)
            found.setdefault(number, Conversation(number, status_id, author, is_unread))
        return list(found.values())

    return gather(_all_entries(uid), marks).map(build)


def newer_conversations(uid: int, after: int, count: int) -> Read[list[Conversation]]:
    """Read a member's conversations with statuses after an id, `count` at most, oldest first."""
    return conversations_of(uid).map(
        lambda found: [one for one in reversed(found) if one.last_id > after][:count]
    )


def newest_mention(uid: int) -> Read[int]:
    """Read the id of the newest status in a member's conversations, 0 for none."""
    newest = ("ZRANGE", keys.private_mentions(uid), 0, 0, "REV")
    return read(newest, lambda entries: _parse(entries[0])[0] if entries else 0)


def find_conversation(db: Db, uid: int, number: int) -> Conversation:
    """Return one of a member's conversations. One trip. Raises NotFound."""
    found = (one for one in db.read(conversations_of(uid)) if one.number == number)
    return NotFound.unless(next(found, None), "no_status")


def mark_read(site: Site, uid: int, conversation: Conversation, unread: bool = False) -> None:
    """Note that a member has read a conversation, or all but its newest status. One trip."""
    marks, limit = keys.read_conversations(uid), site.config.private_mentions_max
    site.db.trip(
        ("ZADD", marks, conversation.last_id - unread, conversation.number),
        ("ZREMRANGEBYRANK", marks, 0, -limit - 1),
    )


def remove(db: Db, uid: int, conversation: Conversation) -> None:
    """Take a conversation off a member's list, until somebody writes in it again. Two trips."""
    entries = db.read(_all_entries(uid))
    gone = [entry for entry in entries if _parse(entry)[2] == conversation.number]
    if gone:
        db.run(("ZREM", keys.private_mentions(uid), *gone))


def private_page(
    site: Site, uid: int, before: int | None, filters: FilterSet = NO_FILTERS
) -> Timeline[Item]:
    """Return a page of a member's private mentions, newest first, below the cursor `before`.

    Two trips; one more if something is left out, and one for quote cards, recent counts or the
    removal of entries whose status is gone.
    """
    key, size = keys.private_mentions(uid), site.config.page_size
    limit = overfetch(size)
    entries = site.db.run(newest_below(key, before, limit))
    end = _parse(entries[-1])[0] if len(entries) == limit else None
    listing: Listing[str, Item] = Listing(
        lambda batch, further: hydrate(
            list(map(_entry, batch)), uid, other_uids={_entry(one)[1] for one in further}
        ),
        lambda found: found.visible,
        (size + 1, ALL),
        lambda found: found.relationship.hidden_on_request,
        _entry,
    )
    skeleton = Skeleton(entries, end, key=key)
    return results_of(site.db, page(listing, skeleton, uid, size, filters))[0]


def _all_entries(uid: int) -> Read[list[str]]:
    return read(("ZRANGE", keys.private_mentions(uid), 0, -1, "REV"), list)


def _entry(stored: str) -> Entry:
    return _parse(stored)[:2]


def _parse(stored: str) -> tuple[int, int, int]:
    """Return the status, its author and its conversation."""
    status_id, author, number = stored.split(":")
    return int(status_id), int(author), int(number)
