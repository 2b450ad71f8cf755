"""Items and their owners: what each of the systems that make or move items needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.core.events.outbox import Context, Event, read_page
from webapp.core.store import PARTITIONS, Read, Site, Steps, collect, do_steps, read, script, send
from webapp.core.web import newest_below

from . import keys

MAKE = script("rewards/items/lua/make.lua")
OWN = script("rewards/items/lua/own.lua")
FORGET = script("rewards/items/lua/forget.lua")
KINDS = ("badge", "thing")
NUMBERS = 2**24  # items of one series
GIFTS = 0  # the series of what operators give; others are ids of drops
NEVER = 2**53  # later than any time in µs
PURGED = 100  # items that one slice erases


@dataclass(frozen=True, slots=True)
class Item:
    """A thing that a member owns. `owner`: uid."""

    id: int
    kind: str
    title: str
    owner: int
    since: datetime


def item_id(series: int, number: int) -> int:
    """Return the id of an item, such as piece `number` of a drop.

    It names the same item each time. Items of a series lie in all partitions.
    """
    return (series * NUMBERS + number) * PARTITIONS + number % PARTITIONS


def give(site: Site, uid: int, kind: str, title: str) -> int:
    """Make an item for a member, and return its id. Four trips.

    A process that dies in between leaves at most an item that nobody sees.
    """
    id_ = item_id(GIFTS, int(site.db.run(("INCR", keys.last_gift()))))
    do_steps(site.db, giving(id_, uid, kind, title))
    return id_


def giving(id_: int, uid: int, kind: str, title: str) -> Steps[None]:
    """Make an item for a member, in three steps. Safe to repeat."""
    yield from send(MAKE(id=id_, uid=uid, kind=kind, title=title))
    yield from sync_owners(id_, (uid,))


def sync_owners(id_: int, uids: Sequence[int]) -> Steps[None]:
    """Bring the lists of members up to date with an item's present owner. Safe to repeat.

    Two steps, and a third to erase the item of an owner who has left.
    """
    [(owner, since)] = yield from send(("HMGET", keys.item(id_), "owner", "since"))
    own = [
        OWN(uid=uid, item=id_, since=since or NEVER, is_own="1" if owner == str(uid) else "")
        for uid in uids
    ]
    found = dict(zip(map(str, uids), (yield from send(*own)), strict=True))
    if found.get(owner) == 0:
        yield from send(FORGET(id=id_, uid=owner))


def owned_ids(uid: int, size: int, before: int | None = None) -> Read[list[tuple[int, int]]]:
    """Read the items of a member, the newest first: pairs of cursor and id."""
    return read(
        newest_below(keys.owned_items(uid), before, size, scores=True),
        lambda flat: [(int(at), int(id_)) for id_, at in zip(flat[::2], flat[1::2], strict=True)],
    )


def items_of(uid: int, ids: Sequence[int]) -> Read[list[Item]]:
    """Read items, without those that belong to somebody else."""
    return collect(map(_find, ids)).map(
        lambda found: [one for one in found if one and one.owner == uid]
    )


def purge_owned(context: Context, event: Event, cursor: str) -> str | None:
    """Erase some items of a deleted member, but not those for sale. Safe to repeat."""
    uid = event.number("uid")
    key = keys.owned_items(uid)
    owned, next_cursor = read_page(context, key, cursor, PURGED)
    erased = context.db.trip_all(FORGET(id=int(id_), uid=uid) for id_ in owned)
    gone = [id_ for id_, is_gone in zip(owned, erased, strict=True) if is_gone]
    if gone:
        context.db.run(("ZREM", key, *gone))
    return next_cursor


def _find(id_: int) -> Read[Item | None]:
    def parse(fields: Sequence[str | None]) -> Item | None:
        kind, title, owner, since = fields
        if kind is None or title is None or owner is None:
            return None
        at = datetime.fromtimestamp(int(since or 0) / 1_000_000, UTC)
        return Item(id_, kind, title, int(owner), at)

    return read(("HMGET", keys.item(id_), "kind", "title", "owner", "since"), parse)
