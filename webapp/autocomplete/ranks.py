"""Ranks: how many follow a member or use a hashtag, by the number of digits.

An index has a sorted set for each rank. A search reads the highest first, so that it finds the
best known names without a look at all others that begin alike.
"""

from collections.abc import Callable, Sequence

from webapp.core.store import Read, constant, read, script

from . import keys

SEARCH = script("autocomplete/lua/search.lua")
RANKS = 8  # the last one: a million and more
FOUND_MAX = 40  # names that one search returns
NOWHERE = -1  # the rank of names in no index


def rank_of(count: int) -> int:
    """Return the rank of a number."""
    return min(len(str(count)), RANKS - 1) if count else 0


def rank_keys(index: Callable[[int, int], str], text: str) -> list[str]:
    """Return the keys of all ranks that may hold a folded word, or words that begin with it."""
    partition = keys.index_partition(text)
    return [index(partition, rank) for rank in range(RANKS)]


def search(index: Callable[[int, int], str], prefix: str) -> Read[Sequence[str]]:
    """Read up to FOUND_MAX names with this prefix, by rank; nothing if the prefix is empty.

    These are uids for `name_index`, and names for `tag_names`.
    """
    if not prefix:
        return constant([])
    return read(SEARCH(ranks=rank_keys(index, prefix), prefix=prefix, found_max=FOUND_MAX), list)
