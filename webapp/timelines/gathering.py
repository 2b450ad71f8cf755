"""Timelines that are not kept, or lack something: gathered from what their authors wrote, shown, and then kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from .. import keys
from ..config import Config
from ..db import Command, Db
from ..paging import below, looked_at
from ..statuses.boosts import Item, entry, newest_from, once
from . import reading
from .boosted import admits
from .timeline import Timeline, timeline

FIRST_LOOK, LEAST_LOOK = 40, 8  # entries of each list the first round reads at least, and where there are very many
FIRST_READ = 100_000  # entries the first round is to read of all of them together
REPLIES_LOOK = 10  # times as many entries as are wanted: what the second round reads of all lists of replies together
Source = tuple[int, str]  # an author, and the key of one of their lists


class Gathered:
    """The newest `cap` entries below `before` that some lists of authors make in a member's timeline, newest first; of
    replies to others only those to members who are `shown` too. `commands` go into a trip, and their replies to `read`:
    so far it is to be enough for a `page` of so many, and once more for nearly all. After each `entries` is complete
    down to `floor` (0: there are no others); of replies, of which few may be shown, the newest count that was read.
    """

    def __init__(
        self, uid: int, lists: Sequence[Source], shown: Collection[int], cap: int, before: int | None, page: int
    ) -> None:
        self._uid, self._shown, self._cap = uid, shown, cap
        self._found: set[tuple[int, str]] = set()
        self.entries: list[str] = []
        self.floor = 0
        share = max(LEAST_LOOK, FIRST_READ // max(1, len(lists)))
        size = max(min(share, max(FIRST_LOOK, page + 1)), 2 * cap // max(1, len(shown)))
        size = min(size, max(cap, page + 1))
        self._asked = [(source, below(before), size) for source in lists]

    @property
    def commands(self) -> list[Command]:
        """What is to be read next."""
        return [
            ("ZRANGE", name, top, "-inf", "BYSCORE", "REV", "LIMIT", 0, size, "WITHSCORES")
            for (_, name), top, size in self._asked
        ]

    def read(self, replies: Sequence[Any]) -> None:
        """Takes the replies."""
        full: dict[Source, int] = {}
        for (source, _, size), page in zip(self._asked, replies, strict=True):
            self._found.update(_entries(self._uid, source, page, self._shown))
            if len(page) == 2 * size:
                full[source] = int(page[-1])
        newest = sorted(self._found, reverse=True)
        left_out = newest[self._cap - 1][0] if len(newest) > self._cap else 0
        self.floor = max(left_out, *(last for source, last in full.items() if not _of_replies(source)), 0)
        self.entries = [name for number, name in newest if number >= self.floor]
        deeper = {source: last for source, last in full.items() if last > left_out}
        replied = max(1, sum(map(_of_replies, deeper)))
        share = min(self._cap, REPLIES_LOOK * self._cap // replied)
        self._asked = [
            (source, below(last), share if _of_replies(source) else self._cap) for source, last in deeper.items()
        ]


def built(
    db: Db,
    config: Config,
    viewer: int | None,
    entries: Sequence[str],
    floor: int,
    position: str,
    also: Sequence[Command],
    home: bool = False,
) -> tuple[Timeline[Item], list[Any]]:
    """A page of entries that were gathered, newest first, complete down to `floor`, without what they quote; and the
    replies to `also`. Where much of it is hidden, or very many are followed, a page may be short, and leads on. One
    trip.
    """
    look = entries[: looked_at(config.page_size)]
    items, acts, between, replies = reading.fetch(db, config, viewer, look, home=home, also=also)
    found = once([item for item in items if item and admits(between, item)])
    rest = int(look[-1].partition(":")[0]) if len(look) < len(entries) else floor
    return timeline(found, config.page_size, position, acts, rest or None), replies


def _of_replies(source: Source) -> bool:
    return source[1] == keys.replied(source[0])


def _entries(uid: int, source: Source, page: Sequence[str], shown: Collection[int]) -> Iterator[tuple[int, str]]:
    """The entries that a part of an author's list (`id`, or `id:to` where it answers another, or boosts, with their
    scores) makes in a timeline, with their ids. In their author's own home replies are like posts.
    """
    author, listed = source
    if listed == keys.boosts(author):
        yield from ((told.id, entry(told)) for told in newest_from(author, page))
        return
    for name in page[::2]:
        status_id, _, to = name.partition(":")
        if author == uid or not to:
            yield int(status_id), f"{status_id}:{author}"
        elif int(to) in shown:
            yield int(status_id), f"{status_id}:{author}:{to}"
