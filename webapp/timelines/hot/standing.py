"""The standing of a post among hot ones: its score, and the groups that it belongs to.

The score is the post's id, raised by so many seconds for each like and boost, up to HOT_DAYS. An id
is a time, so the score is one too: that at which a post without any reaction stands beside it.
The last bits of the id stay as they are, so scores differ from post to post as ids do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events.outbox import Event
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Read, read
from webapp.core.store.scripts import script
from webapp.core.text.entity_codec import unpack_entities
from webapp.core.text.parser import tag_names
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.timelines import keys as timeline_keys

READ_STANDING = script("timelines/hot/lua/read_standing.lua")
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


def read_standing(config: Config, event: Event, status_id: int, author: int) -> Read[Standing]:
    """Read the standing of a post. `author`: 0 if the event does not say it."""
    partition = partition_of(status_id)
    command = READ_STANDING(
        status=status_keys.status(status_id),
        likers=interaction_keys.likers(status_id),
        boosters=interaction_keys.boosters(status_id),
        suspended=account_keys.suspended_members(partition),
        user_prefix=account_keys.user.prefix(partition),
        index_prefix=timeline_keys.tag_index.prefix(partition),
        id=status_id,
        author=author or "",
        **event.fence_arguments(status_id),
    )

    def parse(reply: Sequence[Any]) -> Standing:
        found, kind, likes, boosts, language, entities, members = reply
        indexed = frozenset(member.partition(":")[2] for member in members)
        if not kind:
            return Standing(status_id, int(found or 0), former_tags=indexed)
        tags = indexed & frozenset(tag_names(unpack_entities(entities)))
        return Standing(
            status_id,
            int(found),
            hot_score(config, status_id, likes, boosts),
            kind == ANSWERS_ANOTHER,
            primary_language(language),
            tags,
            indexed - tags,
        )

    return read(command, parse)
