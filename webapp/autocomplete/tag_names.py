"""The index of hashtags: finding names in it, and keeping it up to date.

`timelines/tags` updates it once a hashtag's statuses have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from webapp.core.store import PARTITIONS, Read, Steps, ask, collect, constant, gather, read, script
from webapp.timelines import keys as timeline_keys

from . import keys
from .ranks import NOWHERE, RANKS, rank_keys, rank_of, search

PLACE_TAG = script("autocomplete/lua/place_tag.lua")
READ_TAG_RANKS = script("autocomplete/lua/read_tag_ranks.lua")
FIND_WITHIN = script("autocomplete/lua/find_within.lua")
SCAN_MAX = 300  # names of each partition that are searched for words within them
FOUND_WITHIN_MAX = 10  # of each partition
TRIES = 5  # then another worker, which changes the same hashtags, corrects them
Ranks = Mapping[str, tuple[int, list[int]]]  # of hashtags: that which is wanted, those there are


def find_tags(words: Sequence[str]) -> Read[list[str]]:
    """Read hashtags that begin with or contain all of some folded words.

    Those that begin so are found in the whole index, others among the most used names.
    """
    if not words:
        return constant([])
    prefixes = dict.fromkeys(("".join(words), *words))
    beginning = collect(search(keys.tag_names, prefix) for prefix in prefixes)
    within = collect(_find_within(partition, words) for partition in range(PARTITIONS))

    def join(found: tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]) -> list[str]:
        names = dict.fromkeys(name for part in (*found[0], *found[1]) for name in part)
        return [name for name in names if all(word in name for word in words)]

    return gather(beginning, within).map(join)


def _find_within(partition: int, words: Sequence[str]) -> Read[Sequence[str]]:
    ranks = [keys.tag_names(partition, rank) for rank in range(RANKS)]
    command = FIND_WITHIN(
        ranks=ranks, scan_max=SCAN_MAX, found_max=FOUND_WITHIN_MAX, words=list(words)
    )
    return read(command, list)


def sync_tag_names_in_steps(found: Ranks) -> Steps[None]:
    """Bring the index of hashtags up to date. `found`: as read after their statuses changed.

    Several workers may do this at once. Each reads again after it has written, so the last one
    leaves the true state. No trip if nothing changes, two for each try.
    """
    for _ in range(TRIES):
        wrong = {
            name: wanted
            for name, (wanted, ranks) in found.items()
            if ranks != ([] if wanted == NOWHERE else [wanted])
        }
        if not wrong:
            return
        yield [
            PLACE_TAG(ranks=rank_keys(keys.tag_names, name), rank=rank, name=name)
            for name, rank in wrong.items()
        ]
        found = yield from ask(read_ranks(wrong))


def read_ranks(names: Iterable[str]) -> Read[Ranks]:
    """Read for each hashtag the rank that it should have, and those that it has."""
    each = sorted(set(names))
    return collect(map(_ranks, each)).map(lambda found: dict(zip(each, found, strict=True)))


def _ranks(name: str) -> Read[tuple[int, list[int]]]:
    def parse(replies: Sequence[Any]) -> tuple[int, list[int]]:
        count, ranks = replies
        return rank_of(count) if count else NOWHERE, ranks

    commands = (
        ("ZCARD", timeline_keys.hashtag_statuses(name)),
        READ_TAG_RANKS(ranks=rank_keys(keys.tag_names, name), name=name),
    )
    return Read(commands, parse)
