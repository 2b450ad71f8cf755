"""The standing of a post among hot ones: its score, its language and its hashtags.

The score is the post's id, raised by HOT_LIKE_SECONDS for each like and HOT_BOOST_SECONDS for each
boost, by HOT_DAYS at most. An id is a time, so the score is the time at which a post without
reactions would rank the same. The last bits of the id stay as they are, so scores differ from post
to post as ids do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store import PARTITIONS, Read, collect, partition_of, read, script
from webapp.core.text.entity_codec import unpack_entities
from webapp.core.text.parser import tag_names
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.timelines import keys as timeline_keys

READ_STANDINGS = script("timelines/hot/lua/read_standings.lua")
DAY_SECONDS = 86_400
IDS_PER_SECOND = 1_000 << 12
ANSWERS_ANOTHER = 2  # as the script says it


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a post belongs among hot ones at the moment it was read.

    `author`: 0 if nothing is known of the post. `score`: None if it is not public. `language`: a
    primary subtag, "" if unknown. `tags`: the hashtags it is under; `former_tags`: those it leaves.
    """

    status_id: int
    author: int
    score: int | None = None
    answers_another: bool = False  # only hashtags show it then
    language: str = ""
    tags: frozenset[str] = frozenset()
    former_tags: frozenset[str] = field(default=frozenset(), compare=False)

    def instead_of(self, placed: Standing) -> Standing:
        """Return this standing, which also leaves the hashtags that it was placed under."""
        return replace(self, former_tags=self.former_tags | (placed.tags - self.tags))


def hot_score(config: Config, status_id: int, likes: int, boosts: int) -> int:
    """Return the score of a post with so many likes and boosts."""
    seconds = likes * config.hot_like_seconds + boosts * config.hot_boost_seconds
    return status_id + min(seconds, config.hot_days * DAY_SECONDS) * IDS_PER_SECOND


def primary_language(tag: str) -> str:
    """Return the primary subtag of a language tag: `zh` of `zh-Hant`."""
    return tag.partition("-")[0].lower()


def read_standings(
    context: Context, event: Event, authors: Mapping[int, int]
) -> Read[list[Standing]]:
    """Read the standings of posts. `authors`: by id; 0 if the event does not say it.

    One command on a single server, one for each partition on a Cluster.
    """
    is_single_server = context.db.is_single_server
    groups: dict[int, list[int]] = defaultdict(list)
    for status_id in authors:
        groups[event.partition if is_single_server else partition_of(status_id)].append(status_id)
    return collect(
        read(
            READ_STANDINGS(
                event,
                partition=partition,
                keys=[prefix for one in ids for prefix in _PREFIXES[partition_of(one)]],
                statuses=[part for one in ids for part in (one, authors[one])],
            ),
            partial(_standings, context.config, ids),
        )
        for partition, ids in groups.items()
    ).map(lambda lists: list(chain.from_iterable(lists)))


def _standings(
    config: Config, status_ids: list[int], replies: Sequence[Sequence[Any]]
) -> list[Standing]:
    return [_standing(config, *one) for one in zip(status_ids, replies, strict=True)]


def _standing(config: Config, status_id: int, reply: Sequence[Any]) -> Standing:
    found, kind, likes, boosts, language, entities, members = reply
    indexed = frozenset(member.partition(":")[2] for member in members)
    if not kind:
        return Standing(status_id, int(found or 0), former_tags=indexed)
    tags = indexed & frozenset(tag_names(unpack_entities(entities))) if indexed else indexed
    return Standing(
        status_id,
        int(found),
        hot_score(config, status_id, likes, boosts),
        kind == ANSWERS_ANOTHER,
        primary_language(language),
        tags,
        indexed - tags,
    )


_PREFIXES = [  # in the order that the script takes them
    tuple(
        key.prefix(partition)
        for key in (
            status_keys.status,
            interaction_keys.likers,
            interaction_keys.boosters,
            account_keys.user,
            timeline_keys.tag_index,
        )
    )
    for partition in range(PARTITIONS)
]
