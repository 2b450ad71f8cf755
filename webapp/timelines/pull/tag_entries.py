"""Entries under followed hashtags, and in the member's groups.

Homes read them, so nothing is pushed or retracted for these. A group is named `=` and its number,
which no hashtag begins with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile

from webapp.core.store.reads import Read, read
from webapp.core.web.pagination import max_bound
from webapp.statuses.visibility import keys as group_keys
from webapp.timelines import keys
from webapp.timelines.entries import id_of, poster_of


@dataclass(frozen=True, slots=True)
class TagEntries:
    """Entries of hashtags, each once, newest first, down to `complete_to` (0: all there are)."""

    entries: Sequence[str] = ()
    complete_to: int = 0


NO_TAG_ENTRIES = TagEntries()


def group_number(name: str) -> int:
    """Return the number of a group, 0 for a hashtag."""
    return int(name[1:]) if name.startswith("=") else 0


def tag_page(name: str, before: int | None, limit: int) -> Read[Sequence[str]]:
    """Read the newest `limit` entries of a hashtag (its folded name) below the cursor `before`.

    Or those of a group.
    """
    gid, newest = group_number(name), max_bound(before)
    key = group_keys.group_posts(gid) if gid else keys.hashtag_statuses(name)
    command = ("ZRANGE", key, newest, "-inf", "BYSCORE", "REV", "LIMIT", 0, limit)
    return read(command, tuple)


def combine_tags(pages: Iterable[Sequence[str]], limit: int, hidden: Set[int]) -> TagEntries:
    """Merge pages of several hashtags, each of at most `limit` entries, without hidden authors."""
    each = list(pages)
    if not each:
        return NO_TAG_ENTRIES
    complete_to = max((id_of(page[-1]) for page in each if len(page) == limit), default=0)
    entries = {
        entry for page in each for entry in takewhile(lambda one: id_of(one) >= complete_to, page)
    }
    visible = (entry for entry in entries if poster_of(entry) not in hidden)
    return TagEntries(sorted(visible, key=id_of, reverse=True), complete_to)
