"""Under which hashtags statuses are filed. Each of these is safe to run twice, and asks what is true by now, so that it
serves whatever has changed: that a status was posted or deleted, what it says, or whether its author is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..pagestore import drop
from ..scripts import script
from ..statuses.packing import unpack
from ..text import tag_names
from . import dropping

LOOK = script("timelines/look_at_tags.lua")
PUBLISH = script("timelines/publish.lua")
FILED_MAX = 20_000  # entries of one member's list of what is filed; what goes above it leaves tags when they are read
BATCH = 200  # statuses brought up to the truth together


class Filing(NamedTuple):
    """A status that is to stand under the tags in `wanted`, and under none else of those in `had`."""

    event: Event
    status_id: int
    author: int
    had: set[str]
    wanted: set[str]

    def of_author(self, names: Iterable[str], put: bool) -> list[Command]:
        """The commands that note under which of these names it is filed."""
        lists = [keys.filed(self.author), keys.fences(keys.tag(self.author))]
        at = self.status_id if put else ""
        return [PUBLISH(lists, *self.event.fence, f"{self.status_id}:{name}", at, FILED_MAX) for name in names]

    def of_tags(self, most: int) -> list[Command]:
        """The commands that put it under its tags and take it from others."""
        entry, source = f"{self.status_id}:{self.author}", self.event.fence
        return [
            PUBLISH(
                [keys.tagged(name), keys.fences(keys.TAGS[keys.tag_partition(name)])],
                *(*source, entry, self.status_id if name in self.wanted else "", most),
            )
            for name in self.had | self.wanted
        ]


def file(context: Context, events: Sequence[Event]) -> None:
    """Statuses that were posted or deleted, or whose words have changed."""
    _bring(context, [(event, int(event.data["id"]), int(event.data["author"])) for event in events])


def settle(context: Context, events: Sequence[Event]) -> None:
    """Members who are suspended, protected, back or gone: what they have tagged. What they follow goes with their
    account.
    """
    for event in events:
        uid = int(event.data["uid"])
        for ids in _ids(context, keys.filed(uid)):
            _bring(context, [(event, status_id, uid) for status_id in ids])
        if event.type in ("restored", "unprotected"):
            for listed in (keys.profile(uid), keys.replied(uid)):
                for ids in _ids(context, listed, context.config.tagged_max):
                    _bring(context, [(event, status_id, uid) for status_id in ids])
        elif event.type == "removed":
            context.db.run(("UNLINK", keys.followed_tags(uid)))


def _bring(context: Context, statuses: Sequence[tuple[Event, int, int]]) -> None:
    """Brings the tags of these statuses up to what they say. The author's list is written before the tags and emptied
    after them: whatever is filed is on it, however a worker dies; and pages are dropped before it forgets why.
    """
    looks = context.db.trip(*(_look(*status) for status in statuses))
    filings = [
        Filing(*status, {entry.partition(":")[2] for entry in had}, set(tag_names(unpack(entities))))
        for status, (entities, had) in zip(statuses, looks, strict=True)
    ]
    filings = [filing for filing in filings if filing.had or filing.wanted]
    if not filings:
        return
    context.db.trip(*(command for one in filings for command in one.of_author(one.wanted - one.had, True)))
    context.db.trip(*(command for one in filings for command in one.of_tags(context.config.tagged_max)))
    names = set[str]().union(*(one.had | one.wanted for one in filings))
    gone = any(one.had - one.wanted for one in filings)
    drop(context.db, (path for name in names for path in (dropping.tag(name), dropping.tag_feed(name))), hard=gone)
    context.db.trip(*(command for one in filings for command in one.of_author(one.had - one.wanted, False)))


def _look(event: Event, status_id: int, author: int) -> Command:
    names = [keys.fences(keys.tag(author)), keys.status(status_id), keys.user(author), keys.filed(author)]
    return LOOK(names, *event.fence, status_id)


def _ids(context: Context, key: str, most: int = FILED_MAX) -> Iterator[list[int]]:
    """The ids in the scores of a list, newest first, in batches, each once."""
    bound = "+inf"
    while most > 0:
        flat = context.db.run(("ZRANGE", key, bound, "-inf", "BYSCORE", "REV", "LIMIT", 0, BATCH, "WITHSCORES"))
        if not flat:
            return
        ids = sorted({int(score) for score in flat[1::2]}, reverse=True)
        yield ids
        bound, most = f"({ids[-1]}", most - len(ids)
        context.beat()
