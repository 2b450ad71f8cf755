"""Timelines that are not kept, or lack something: gathered from what their authors wrote, shown, and then kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.core.web.pagination import max_bound, overfetch
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.interactions.boosts import (
    Item,
    dedupe_boosts,
    format_entry,
    newest_boosts_from,
)
from webapp.timelines import hydration
from webapp.timelines.entries import visible_unasked
from webapp.timelines.timeline import Timeline, timeline_page

FIRST_ROUND_MIN, LIST_READ_MIN = (
    40,
    8,
)  # entries of each list the first round reads at least, and where there are very many
FIRST_ROUND_TOTAL = 100_000  # entries the first round is to read of all of them together
REPLIES_FACTOR = 10  # times as many entries as are wanted: what the second round reads of all lists of replies together
AuthorList = tuple[int, str]  # an author, and the key of one of their lists


class CandidateReader:
    """The newest `cap` entries below `before` that some lists of authors make in a member's timeline, newest first; of
    replies to others only those to members who are `shown` too. `commands` go into a trip, and their replies to `read`:
    so far it is to be enough for a `page` of so many, and once more for nearly all. After each `entries` is complete
    down to `floor` (0: there are no others); of replies, of which few may be shown, the newest count that was read.
    """

    def __init__(
        self,
        uid: int,
        lists: Sequence[AuthorList],
        visible_authors: Collection[int],
        limit: int,
        before: int | None,
        page_size: int,
    ) -> None:
        self._uid, self._visible_authors, self._limit = uid, visible_authors, limit
        self._candidates: set[tuple[int, str]] = set()
        self.entries: list[str] = []
        self.complete_to = 0
        share = max(LIST_READ_MIN, FIRST_ROUND_TOTAL // max(1, len(lists)))
        size = max(
            min(share, max(FIRST_ROUND_MIN, page_size + 1)),
            2 * limit // max(1, len(visible_authors)),
        )
        size = min(size, max(limit, page_size + 1))
        self._pending = [(source, max_bound(before), size) for source in lists]

    @property
    def commands(self) -> list[Command]:
        """What is to be read next."""
        return [
            ("ZRANGE", key, top, "-inf", "BYSCORE", "REV", "LIMIT", 0, size, "WITHSCORES")
            for (_, key), top, size in self._pending
        ]

    def accept(self, replies: Sequence[Any]) -> None:
        """Takes the replies."""
        unfinished: dict[AuthorList, int] = {}
        for (source, _, size), page in zip(self._pending, replies, strict=True):
            self._candidates.update(_home_entries(self._uid, source, page, self._visible_authors))
            if len(page) == 2 * size:
                unfinished[source] = int(page[-1])
        newest = sorted(self._candidates, reverse=True)
        cutoff = newest[self._limit - 1][0] if len(newest) > self._limit else 0
        self.complete_to = max(
            cutoff, *(last for source, last in unfinished.items() if not _is_reply_list(source)), 0
        )
        self.entries = [
            candidate for status_id, candidate in newest if status_id >= self.complete_to
        ]
        deeper = {source: last for source, last in unfinished.items() if last > cutoff}
        reply_list_count = max(1, sum(map(_is_reply_list, deeper)))
        share = min(self._limit, REPLIES_FACTOR * self._limit // reply_list_count)
        self._pending = [
            (source, max_bound(last), share if _is_reply_list(source) else self._limit)
            for source, last in deeper.items()
        ]


def page_from_candidates(
    db: Db,
    config: Config,
    viewer: int | None,
    entries: Sequence[str],
    complete_to: int,
    position: str,
    extra: Sequence[Command],
    for_home: bool = False,
) -> tuple[Timeline[Item], list[Any]]:
    """A page of entries that were gathered, newest first, complete down to `floor`, without what they quote; and the
    replies to `also`. Where much of it is hidden, or very many are followed, a page may be short, and leads on. One
    trip.
    """
    candidates = entries[: overfetch(config.page_size)]
    items, viewer_state, relationship, replies = hydration.hydrate(
        db, config, viewer, candidates, for_home=for_home, extra=extra
    )
    visible = dedupe_boosts(
        [item for item in items if item and visible_unasked(relationship, item)]
    )
    next_cursor = (
        int(candidates[-1].partition(":")[0]) if len(candidates) < len(entries) else complete_to
    )
    return timeline_page(
        visible, config.page_size, position, viewer_state, next_cursor or None
    ), replies


def _is_reply_list(source: AuthorList) -> bool:
    return source[1] == status_keys.profile_replies(source[0])


def _home_entries(
    uid: int, source: AuthorList, page: Sequence[str], visible_authors: Collection[int]
) -> Iterator[tuple[int, str]]:
    """The entries that a part of an author's list (`id`, or `id:to` where it answers another, or boosts, with their
    scores) makes in a timeline, with their ids. In their author's own home replies are like posts.
    """
    author, key = source
    if key == interaction_keys.member_boosts(author):
        yield from ((boost.id, format_entry(boost)) for boost in newest_boosts_from(author, page))
        return
    for member in page[::2]:
        status_id, _, to = member.partition(":")
        if author == uid or not to:
            yield int(status_id), f"{status_id}:{author}"
        elif int(to) in visible_authors:
            yield int(status_id), f"{status_id}:{author}:{to}"
