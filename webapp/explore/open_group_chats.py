"""Open group chats: list and rank them for Explore.

Each page asks the chats themselves whether they are open, and who owns them. So a chat that becomes
private is hidden at once, although lists still name it. So is one whose owners are all suspended.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.chat import keys as chat_keys
from webapp.chat.members import invitations
from webapp.chat.models import Chat
from webapp.core.events.outbox import SYNC_ENTRY, Context, Event
from webapp.core.store import Db, Read, Site, collect, constant, gather, read
from webapp.core.text.folding import fold
from webapp.pagecache.invalidation import invalidate

from . import keys

GROUPS_PAGE = "/explore/groups"
GROUPS_MAX = 1_000  # open group chats that are listed
RANKED_MAX = 30  # chats that a page shows
MEMBERS_MIN = 2  # a chat of one member is not shown
OWNERS_SAMPLE = 20  # owners of a chat that are read
HALF_LIFE_DAYS = 7  # a silent chat counts half after it
DAY_MS = 86_400_000
SUSPENDED_PARTITION = 0  # each partition has a copy of all suspended members


@dataclass(frozen=True, slots=True)
class OpenGroupChats:
    """The group chats that a page shows. `owner_uids`: members whose suspension hides one."""

    chats: Sequence[Chat]
    owner_uids: frozenset[int]


def sync_open_group_chats(context: Context, events: Sequence[Event]) -> None:
    """List the open group chats among those of events, and unlist the others. Safe to run twice.

    Two trips, and another for cached pages.
    """
    by_cid = {event.data["chat"]: event for event in events}
    cids = list(by_cid)
    chats = context.db.read(collect(map(invitations.open_chat, cids)))
    listed = context.db.run(("ZMSCORE", keys.open_groups(), *cids))
    is_open = [chat is not None for chat in chats]
    if not any(is_open) and not any(listed):
        return
    context.db.trip_all(
        SYNC_ENTRY(
            event,
            entries=keys.open_groups(),
            entry=cid,
            score=chat.member_count if chat else "",
            limit=GROUPS_MAX,
        )
        for (cid, event), chat in zip(by_cid.items(), chats, strict=True)
    )
    has_closed = any(was and not now for was, now in zip(listed, is_open, strict=True))
    invalidate(context.db, [GROUPS_PAGE], hard=has_closed)


def rank(site: Site) -> None:
    """Rank the open group chats. Safe to repeat. Four trips, and another for cached pages."""
    cids = site.db.run(("ZRANGE", keys.open_groups(), 0, GROUPS_MAX - 1, "REV"))
    now_ms = time.time_ns() // 1_000_000
    scored = site.db.read(collect(gather(_score(cid, now_ms), _owners(cid)) for cid in cids))
    suspended = site.db.read(_suspended(owners for _, owners in scored))
    ranked = sorted(
        (-score, cid)
        for cid, ((score, _), owners) in zip(cids, scored, strict=True)
        if score and not _is_abandoned(owners, suspended)
    )
    ranking = " ".join(cid for _, cid in ranked[:RANKED_MAX])
    names = {cid: fold(name) for cid, ((_, name), _) in zip(cids, scored, strict=True)}
    listed = "\n".join(f"{cid} {names[cid]}" for _, cid in ranked)
    former, _ = site.db.trip(
        ("SET", keys.group_ranking(), ranking, "GET"), ("SET", keys.group_names(), listed)
    )
    if former != ranking:
        invalidate(site.db, [GROUPS_PAGE], hard=False)


def ranked_ids() -> Read[list[str]]:
    """Read the ids of the group chats to show, in order."""
    return read(("GET", keys.group_ranking()), lambda stored: (stored or "").split())


def ids_by_name(text: str) -> Read[list[str]]:
    """Read the ids of open group chats whose names contain all words of a text, in their order.

    At most RANKED_MAX. A chat can be found once it is ranked.
    """
    words = fold(text).split()

    def parse(stored: str | None) -> list[str]:
        lines = (line.partition(" ") for line in (stored or "").splitlines())
        found = (cid for cid, _, name in lines if all(word in name for word in words))
        return list(islice(found, RANKED_MAX))

    return read(("GET", keys.group_names()), parse)


def visible(db: Db, cids: Sequence[str]) -> OpenGroupChats:
    """Return the chats that are open and have an active owner now, in order. Two trips."""
    found = db.read(collect(gather(invitations.open_chat(cid), _owners(cid)) for cid in cids))
    suspended = db.read(_suspended(owners for _, owners in found))
    listed = [
        chat
        for chat, owners in found
        if chat and chat.member_count >= MEMBERS_MIN and not _is_abandoned(owners, suspended)
    ]
    return OpenGroupChats(listed, frozenset[int]().union(*(owners for _, owners in found)))


def _owners(cid: str) -> Read[frozenset[int]]:
    """Read some owners of a chat, all if there are few."""
    command = ("SRANDMEMBER", chat_keys.chat_owners(cid), OWNERS_SAMPLE)
    return read(command, lambda uids: frozenset(map(int, uids)))


def _suspended(owners: Iterable[frozenset[int]]) -> Read[frozenset[int]]:
    """Read which of some chats' owners are suspended."""
    uids = sorted(frozenset[int]().union(*owners))
    if not uids:
        return constant(frozenset())
    return read(
        ("SMISMEMBER", account_keys.suspended_members(SUSPENDED_PARTITION), *uids),
        lambda flags: frozenset(uid for uid, flag in zip(uids, flags, strict=True) if flag),
    )


def _is_abandoned(owners: frozenset[int], suspended: frozenset[int]) -> bool:
    """Return True if all owners of a chat are suspended."""
    return bool(owners) and owners <= suspended


def _score(cid: str, now_ms: int) -> Read[tuple[float, str]]:
    """Read how high a chat ranks, and its name.

    It ranks by its members, half as many for each HALF_LIFE_DAYS of silence.
    """
    fields = ("HMGET", chat_keys.chat(cid), "kind", "last_at", "created", "name")

    def parse(replies: Sequence[Any]) -> tuple[float, str]:
        (kind, last_at, created, name), members = replies
        if kind != "open" or members < MEMBERS_MIN:
            return 0.0, ""
        silent_days = max(now_ms - int(last_at or created), 0) / DAY_MS
        return float(members * 0.5 ** (silent_days / HALF_LIFE_DAYS)), name or ""

    return Read((fields, ("ZCARD", chat_keys.chat_members(cid))), parse)
