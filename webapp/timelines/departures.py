"""What suspending, restoring, protecting and deleting an account does to timelines. Each of these is safe to run
twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..ids import PARTITIONS
from ..scripts import script
from . import dropping
from .projections import grouped

RESETTLE = script("timelines/resettle.lua")
MARK = script("timelines/mark_suspended.lua")
FORGET = script("following/forget.lua")
LEAVE = script("following/mirror.lua")


def settle(context: Context, events: Sequence[Event]) -> None:
    """Brings the public timeline, and what homes are read with, up to whether an author is shown by now."""
    most = context.config.public_max
    for event in events:
        uid = int(event.data["uid"])
        member, newest = context.db.trip(
            ("HMGET", keys.user(uid), "login", "suspended", "protected"),
            ("ZRANGE", keys.profile(uid), "+inf", "-inf", "BYSCORE", "REV", "LIMIT", 0, most),
        )
        exists, suspended = bool(member[0]), bool(member[0] and member[1])
        shown = _public(context, newest) if exists and not suspended and not member[2] else []
        context.db.trip(
            RESETTLE([keys.public(), keys.fences(keys.PUBLIC)], *event.fence, uid, most, *shown),
            *(
                MARK([keys.fences(tag), keys.suspended(p)], *event.fence, uid, int(suspended))
                for p, tag in enumerate(keys.TAGS)
            ),
        )


def _public(context: Context, status_ids: Sequence[str]) -> list[str]:
    """Those of the statuses that are public, and not unlisted."""
    found = context.db.trip(*(("HGET", keys.status(int(status_id)), "vis") for status_id in status_ids))
    return [status_id for status_id, vis in zip(status_ids, found, strict=True) if not vis]


def dissolve(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts leave the follows and homes of their followers, the lists of whom they followed, and the authors
    who are merged. What is done is taken off their own lists, so that a new owner goes on where the last one stopped.
    """
    for event in events:
        uid = int(event.data["uid"])
        for page in _pages(context, keys.followers(uid)):
            context.db.trip(*_forgetting(context, event, page))
            dropping.of_lists(context, map(int, page))
        for page in _pages(context, keys.following(uid)):
            context.db.trip(*(_leaving(event, int(target)) for target in page))
            dropping.of_lists(context, map(int, page))
        context.db.trip(*(("SREM", keys.pulled(p), uid) for p in range(PARTITIONS)))


def _pages(context: Context, key: str) -> Iterator[list[str]]:
    """A list in batches, each taken off the list once it is done with."""
    while page := context.db.run(("ZRANGE", key, 0, context.config.fanout_batch - 1)):
        yield page
        context.db.run(("ZREM", key, *page))
        context.beat()


def _forgetting(context: Context, event: Event, followers: list[str]) -> list[Command]:
    uid: Any = event.data["uid"]
    return [
        FORGET(
            [fences, *(name for p in groups for name in (keys.following_prefix(p), keys.home_prefix(p)))],
            *(*event.fence, uid, *map(" ".join, groups.values())),
        )
        for fences, groups in grouped(context, event, followers)
    ]


def _leaving(event: Event, target: int) -> Command:
    names = [keys.fences(keys.tag(target)), keys.followers(target), keys.user(target)]
    return LEAVE(names, *event.fence, event.data["uid"], "", 0, "")
