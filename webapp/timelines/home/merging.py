"""Merging a home's own entries with those under followed hashtags."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, replace

from webapp.core.store.ids import MAX_ID
from webapp.timelines.entries import id_of, poster_of
from webapp.timelines.pull.pulled_entries import TagEntries

from .stored_home import HomeState, StoredHome


@dataclass(frozen=True, slots=True)
class MergedEntries:
    """Entries of a home and of followed hashtags, newest first.

    `floor`: nothing may be merged in below this id, as the home is cut there; 0 if it is not.
    `complete_to`: entries below this id were not read; 0 if all were. `tag_only`: entries that the
    home does not have itself; `tag_only_authors`: their authors, without other entries here.
    """

    entries: Sequence[str]
    floor: int
    complete_to: int
    tag_only: Sequence[str] = ()
    tag_only_authors: frozenset[int] = frozenset()


def merge(
    state: HomeState,
    own: Sequence[str],
    tagged: TagEntries,
    size: int,
    last_id: int | None = None,
) -> MergedEntries:
    """Return the newest `size` entries of a home and its hashtags.

    `last_id`: the id of the home's last entry as it was read, if `own` lacks some of them.
    """
    last_id = last_id or (id_of(own[-1]) if own else MAX_ID)
    floor = last_id if state is HomeState.CAPPED else 0
    complete_to = max(tagged.complete_to, last_id if state is HomeState.MORE else 0)
    if not tagged.entries:
        return _cut(own, floor, complete_to, size, tagged.complete_to)
    own_ids = set(map(id_of, own))
    lower_bound = max(floor, complete_to)
    added = [
        entry
        for entry in tagged.entries
        if id_of(entry) not in own_ids and id_of(entry) >= lower_bound
    ]
    merged = sorted([*own, *added], key=id_of, reverse=True)
    own_posters = map(poster_of, own) if added else ()
    return replace(
        _cut(merged, floor, complete_to, size, tagged.complete_to),
        tag_only=added[:size],
        tag_only_authors=frozenset(map(poster_of, added)).difference(own_posters),
    )


def merge_without(
    home: StoredHome,
    tagged: TagEntries,
    size: int,
    deleted: Collection[str],
    excluded_authors: Set[int],
) -> MergedEntries:
    """Merge without entries that are gone, and without the entries of excluded authors."""

    def remaining(entries: Sequence[str]) -> list[str]:
        return [
            entry
            for entry in entries
            if entry not in deleted and poster_of(entry) not in excluded_authors
        ]

    merged = merge(
        home.state,
        remaining(home.entries),
        TagEntries(remaining(tagged.entries), tagged.complete_to),
        size,
        id_of(home.entries[-1]) if home.entries else None,
    )
    if deleted and home.entries:
        # A full home has room again: the next page may find entries below it.
        return replace(merged, complete_to=max(merged.complete_to, merged.floor))
    return merged


def _cut(
    entries: Sequence[str], floor: int, complete_to: int, size: int, tags_complete_to: int
) -> MergedEntries:
    """Return the first `size` entries, none of them where the hashtags are incomplete."""
    if tags_complete_to:
        entries = [entry for entry in entries if id_of(entry) >= complete_to]
    if len(entries) > size:
        entries = entries[:size]
        complete_to = id_of(entries[-1])
    return MergedEntries(entries, floor, complete_to)
