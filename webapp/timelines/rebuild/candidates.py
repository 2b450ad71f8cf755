"""Candidates for a timeline that is rebuilt: the newest entries of its authors' own lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from webapp.core.store import Read
from webapp.core.web import newest_below
from webapp.statuses import keys as status_keys
from webapp.statuses.boost_refs import format_entry, ref_from_zset
from webapp.statuses.interactions import keys as interaction_keys
from webapp.timelines.entries import format_status_entry

FIRST_ROUND_MIN = 40  # entries of each list that the first round reads at least
LIST_READ_MIN = 8  # the same if there are very many lists
FIRST_ROUND_TOTAL = 100_000  # entries of all lists together that the first round may read
REPLIES_FACTOR = 10  # entries of all lists of replies together in the second round, in limits


class AuthorList(NamedTuple):
    """A list of one author's statuses or boosts, by its key."""

    author: int
    key: str

    @property
    def has_replies(self) -> bool:
        """Return True for the list of the author's replies to others."""
        return self.key == status_keys.profile_replies(self.author)


class Slice(NamedTuple):
    """A part of a list that is to be read: `size` entries below `before`."""

    source: AuthorList
    before: int | None
    size: int


@dataclass(frozen=True, slots=True)
class RebuiltTimeline:
    """The timeline of a member that is rebuilt, of at most `limit` entries.

    It shows replies only to `authors`.
    """

    uid: int
    authors: Collection[int]
    limit: int


@dataclass(frozen=True, slots=True)
class Candidates:
    """Entries that belong on a timeline, newest first, complete down to `complete_to` (0: all).

    Of replies, few of which may belong there, as many as were read. `scored`: all entries read so
    far, with their ids. `pending`: the reads of a second round that completes nearly all.
    """

    target: RebuiltTimeline
    entries: Sequence[str]
    complete_to: int
    scored: frozenset[tuple[int, str]]
    pending: tuple[Slice, ...]


def first_candidates(
    target: RebuiltTimeline, lists: Sequence[AuthorList], before: int | None, page_size: int
) -> Read[Candidates]:
    """Read enough of each list for a page of `page_size` entries below `before`."""
    limit = target.limit
    share = max(LIST_READ_MIN, FIRST_ROUND_TOTAL // max(1, len(lists)))
    size = min(share, max(FIRST_ROUND_MIN, page_size + 1))
    size = max(size, 2 * limit // max(1, len(target.authors)))
    size = min(size, max(limit, page_size + 1))
    return _read(target, frozenset(), [Slice(source, before, size) for source in lists])


def more_candidates(found: Candidates) -> Read[Candidates]:
    """Read the pending slices too."""
    return _read(found.target, found.scored, found.pending)


def _read(
    target: RebuiltTimeline, scored: frozenset[tuple[int, str]], slices: Sequence[Slice]
) -> Read[Candidates]:
    def parse(replies: Sequence[Any]) -> Candidates:
        entries = set(scored)
        unfinished: dict[AuthorList, int] = {}
        for (source, _, size), reply in zip(slices, replies, strict=True):
            entries.update(_entries(target, source, reply))
            if len(reply) == 2 * size:
                unfinished[source] = int(reply[-1])
        return _candidates(target, frozenset(entries), unfinished)

    commands = (
        newest_below(source.key, before, size, scores=True) for source, before, size in slices
    )
    return Read(tuple(commands), parse)


def _candidates(
    target: RebuiltTimeline,
    scored: frozenset[tuple[int, str]],
    unfinished: Mapping[AuthorList, int],
) -> Candidates:
    """Sort entries. `unfinished`: the lists that go on, each with the last id that was read."""
    newest = sorted(scored, reverse=True)
    cutoff = newest[target.limit - 1][0] if len(newest) > target.limit else 0
    ends = [last for source, last in unfinished.items() if not source.has_replies]
    complete_to = max(cutoff, *ends, 0)
    return Candidates(
        target,
        [entry for entry_id, entry in newest if entry_id >= complete_to],
        complete_to,
        scored,
        _next_slices(target, {one: last for one, last in unfinished.items() if last > cutoff}),
    )


def _next_slices(
    target: RebuiltTimeline, unfinished: Mapping[AuthorList, int]
) -> tuple[Slice, ...]:
    reply_lists = sum(source.has_replies for source in unfinished)
    reply_share = min(target.limit, REPLIES_FACTOR * target.limit // max(1, reply_lists))
    return tuple(
        Slice(source, last, reply_share if source.has_replies else target.limit)
        for source, last in unfinished.items()
    )


def _entries(
    target: RebuiltTimeline, source: AuthorList, reply: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """Yield the timeline's entries, with their ids, of a slice read with its scores.

    Members of a list are `id`, or `id:reply_to`. In their author's own home replies are posts.
    """
    author = source.author
    if source.key == interaction_keys.member_boosts(author):
        for member, score in zip(reply[::2], reply[1::2], strict=True):
            yield int(score), format_entry(ref_from_zset(author, member, score))
        return
    for member in reply[::2]:
        status_id, _, reply_to = member.partition(":")
        if author == target.uid or not reply_to:
            yield int(status_id), format_status_entry(status_id, author)
        elif int(reply_to) in target.authors:
            yield int(status_id), format_status_entry(status_id, author, reply_to)
