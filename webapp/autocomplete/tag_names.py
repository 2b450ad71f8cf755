"""The index of hashtags. `timelines/tags` calls it once a hashtag's statuses have changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from webapp.core.store.client import Db
from webapp.core.store.reads import Read, collect
from webapp.core.store.scripts import script
from webapp.timelines import keys as timeline_keys

from . import keys
from .ranks import NOWHERE, rank_keys, rank_of

PLACE_TAG = script("autocomplete/lua/place_tag.lua")
TRIES = 5  # then another worker, which changes the same hashtags, corrects what it finds


def sync_tag_names(db: Db, names: Iterable[str]) -> None:
    """Bring the index of hashtags up to date with how many statuses these have.

    Several workers may do this at once. Each looks again after it has written, so the last one
    leaves what is true. One trip if nothing changes, two more for each try.
    """
    left = sorted(set(names))
    for _ in range(TRIES):
        ranks = db.read(collect(map(_ranks, left)))
        wrong = {
            name: wanted
            for name, (wanted, found) in zip(left, ranks, strict=True)
            if found != ([] if wanted == NOWHERE else [wanted])
        }
        if not wrong:
            return
        db.trip(
            *(
                PLACE_TAG(ranks=rank_keys(keys.tag_names, name), rank=rank, name=name)
                for name, rank in wrong.items()
            )
        )
        left = list(wrong)


def _ranks(name: str) -> Read[tuple[int, list[int]]]:
    """Read the rank that a hashtag should have, and those that it has."""
    indexes = rank_keys(keys.tag_names, name)
    commands = (
        ("ZCARD", timeline_keys.hashtag_statuses(name)),
        *(("ZSCORE", index, name) for index in indexes),
    )

    def parse(replies: Sequence[Any]) -> tuple[int, list[int]]:
        count, *scores = replies
        found = [rank for rank, score in enumerate(scores) if score is not None]
        return rank_of(count) if count else NOWHERE, found

    return Read(commands, parse)
