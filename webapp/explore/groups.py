"""Open groups: which there are, in what order Explore shows them, and their pages' facts.

The chat itself says whether it is open. It is asked each time a page is made, so a group that
becomes private is not shown from then on, whatever lists still name it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from webapp.chat import keys as chat_keys
from webapp.chat.members import invitations
from webapp.chat.models import Chat
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, collect, read
from webapp.pagecache.invalidation import invalidate

from . import keys

GROUPS_PAGE = "/explore/groups"
GROUPS_MAX = 1_000  # open groups that are listed at all
RANKED_MAX = 30  # groups that are shown
MEMBERS_MIN = 2  # a group of one is not shown
HALF_LIFE_DAYS = 7  # a silent group counts half after it
DAY_MS = 86_400_000
RANKING_PARTITION = 0  # the worker that holds it ranks


def sync_groups(context: Context, events: Sequence[Event]) -> None:
    """List the chats of events, or take them off the list, as they are now. Safe to run twice.

    Two trips, and another for cached pages.
    """
    cids = list(dict.fromkeys(event.data["chat"] for event in events))
    chats = context.db.read(collect(map(invitations.open_chat, cids)))
    listed = context.db.run(("ZMSCORE", keys.open_groups(), *cids))
    is_open = [chat is not None for chat in chats]
    if not any(is_open) and not any(listed):
        return
    commands: list[tuple[Any, ...]] = [
        ("ZADD", keys.open_groups(), chat.member_count, cid)
        if chat
        else ("ZREM", keys.open_groups(), cid)
        for cid, chat in zip(cids, chats, strict=True)
    ]
    context.db.trip(*commands, ("ZREMRANGEBYRANK", keys.open_groups(), 0, -(GROUPS_MAX + 1)))
    has_closed = any(was and not now for was, now in zip(listed, is_open, strict=True))
    invalidate(context.db, [GROUPS_PAGE], hard=has_closed)


def rank(db: Db, config: Config, partition: int) -> None:
    """Rank the open groups, if this is the one partition for it. Safe to repeat.

    Three trips, and another for cached pages.
    """
    if partition != RANKING_PARTITION:
        return
    cids = db.run(("ZRANGE", keys.open_groups(), 0, GROUPS_MAX - 1, "REV"))
    now_ms = time.time_ns() // 1_000_000
    scores = db.read(collect(_score(cid, now_ms) for cid in cids))
    ranked = sorted((-score, cid) for cid, score in zip(cids, scores, strict=True) if score)
    ranking = " ".join(cid for _, cid in ranked[:RANKED_MAX])
    if db.run(("SET", keys.group_ranking(), ranking, "GET")) != ranking:
        invalidate(db, [GROUPS_PAGE], hard=False)


def ranked_ids() -> Read[list[str]]:
    """Read the ids of the groups to show, in order."""
    return read(("GET", keys.group_ranking()), lambda stored: (stored or "").split())


def open_groups(cids: Sequence[str]) -> Read[list[Chat]]:
    """Read those of some chats that are open now, in order."""
    return collect(map(invitations.open_chat, cids)).map(
        lambda chats: [chat for chat in chats if chat and chat.member_count >= MEMBERS_MIN]
    )


def _score(cid: str, now_ms: int) -> Read[float]:
    """Read how high a group ranks: its members, half as many for each HALF_LIFE_DAYS of silence."""
    fields = ("HMGET", chat_keys.chat(cid), "kind", "last_at", "created")

    def parse(replies: Sequence[Any]) -> float:
        (kind, last_at, created), members = replies
        if kind != "open" or members < MEMBERS_MIN:
            return 0.0
        silent_days = max(now_ms - int(last_at or created), 0) / DAY_MS
        return float(members * 0.5 ** (silent_days / HALF_LIFE_DAYS))

    return Read((fields, ("ZCARD", chat_keys.chat_members(cid))), parse)
