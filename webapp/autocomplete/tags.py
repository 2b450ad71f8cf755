"""Hashtags to suggest for the text after a `#`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.store.reads import Read, collect, constant, gather, read
from webapp.timelines import keys as timeline_keys

from . import keys
from .ranks import search
from .words import tag_prefix

OWN_MAX = 100  # hashtags that a member used, and as many that they follow
SHOWN_MAX = 8


@dataclass(frozen=True, slots=True)
class TagSearch:
    """The hashtags that match a prefix: the member's own, the most recent first, and others."""

    own: Sequence[str]
    found: Sequence[str]


def search_tags(uid: int | None, typed: str) -> Read[TagSearch]:
    """Read which hashtags match the text that a member typed after a `#`."""
    prefix = tag_prefix(typed)
    if uid is None or prefix is None:
        return constant(TagSearch((), ()))
    own = [
        read(("ZRANGE", key, 0, OWN_MAX - 1, "REV"), list)
        for key in (keys.recent_tags(uid), timeline_keys.followed_tags(uid))
    ]

    def matching(found: tuple[list[list[str]], Sequence[str]]) -> TagSearch:
        used, followed = found[0]
        names = dict.fromkeys([*used, *followed])
        return TagSearch([name for name in names if name.startswith(prefix)], found[1])

    return gather(collect(own), search(keys.tag_names, prefix)).map(matching)


def suggest_tags(found: TagSearch) -> Read[list[str]]:
    """Read the hashtags to suggest: the member's own, then others with public posts, by these."""

    def choose(counts: list[int]) -> list[str]:
        count_of = dict(zip(found.found, counts, strict=True))
        used = [name for name in found.found if count_of[name]]
        ranked = sorted(used, key=lambda name: (-count_of[name], name))
        return list(dict.fromkeys([*found.own, *ranked]))[:SHOWN_MAX]

    counts = (read(("ZCARD", timeline_keys.hashtag_statuses(name)), int) for name in found.found)
    return collect(counts).map(choose)
