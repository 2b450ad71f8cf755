"""Uses of items that can trend: by the author of a post, or by a member who boosts it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import SYNC_ENTRY, Event
from webapp.core.store import Command, Read, script
from webapp.core.text.entity_codec import unpack_entities
from webapp.statuses import keys as status_keys
from webapp.statuses.values.visibility import HIDING_FIELDS

from . import keys
from .items import DAY_MS, HOUR_MS, day_of, hour_of, items_of, ms_of

READ_SHARER = script("timelines/trends/lua/read_sharer.lua")
ADD_USE = script("timelines/trends/lua/add_use.lua")
REMOVE_USE = script("timelines/trends/lua/remove_use.lua")
INDEX_MAX = 2_000  # uses of one member that can be taken back
USES_MAX = 1_000  # uses of one item that are known one by one
CANDIDATES_MAX = 2_000  # items of one hour
HOUR_TTL_MS, DAY_TTL_MS, USE_TTL_MS = 25 * HOUR_MS, 10 * DAY_MS, 2 * DAY_MS


@dataclass(frozen=True, slots=True)
class Use:
    """A member `uid` shares the status of an author with the post or boost `id`."""

    event: Event
    id: int
    uid: int
    status_id: int
    author: int

    @property
    def is_boost(self) -> bool:
        """Return True if it is somebody's boost."""
        return self.id != self.status_id


@dataclass(frozen=True, slots=True)
class UseUpdate:
    """A use that is to count for the items `wanted`, and is indexed under `indexed`."""

    use: Use
    lang: str
    indexed: frozenset[str]
    wanted: frozenset[str]

    def index_commands(self, items: Iterable[str], present: bool) -> list[Command]:
        """Return the commands that add or remove items in the member's own index."""
        use = self.use
        return [
            SYNC_ENTRY(
                use.event,
                entries=keys.trend_index(use.uid),
                entry=f"{use.id}:{use.status_id}:{use.author}:{item}",
                score=use.id if present else "",
                limit=INDEX_MAX,
            )
            for item in sorted(items)
        ]

    def add_command(self, item: str) -> Command:
        """Return the command that counts the use for an item."""
        use, hour, day = self.use, hour_of(self.use.id), day_of(self.use.id)
        return ADD_USE(
            use.event,
            item=item,
            hour=hour,
            day=day,
            uid=use.uid,
            entry=f"{use.status_id}:{use.uid}:{self.lang}",
            id=use.id,
            network=use.event.data.get("network", ""),
            limit=USES_MAX,
            hour_ends=(hour * HOUR_MS + HOUR_TTL_MS) // 1_000,
            day_ends=(day * DAY_MS + DAY_TTL_MS) // 1_000,
            use_ends=(day * DAY_MS + USE_TTL_MS) // 1_000,
        )

    def remove_command(self, item: str) -> Command:
        """Return the command that takes the use out of an item; with a post go its boosts."""
        use = self.use
        return REMOVE_USE(
            use.event,
            item=item,
            status=use.status_id,
            uid=use.uid if use.is_boost else "",
            limit=USES_MAX,
        )


def use_update(use: Use, member_hours: int) -> Read[UseUpdate]:
    """Read for which items a use is to count, and under which it is indexed.

    `member_hours`: how old the account must have been. Boosts of one's own post count for nothing.
    """
    sharer = READ_SHARER(
        use.event,
        uid=use.uid,
        boosted=f"{use.status_id}:{use.author}",
        id=use.id,
        joined_by=ms_of(use.id) - member_hours * HOUR_MS,
    )
    status = ("HMGET", status_keys.status(use.status_id), "entities", "visibility", "lang")
    author = ("HMGET", account_keys.user(use.author), *HIDING_FIELDS, "login")

    def parse(replies: Sequence[Any]) -> UseUpdate:
        (is_sharer, is_boosted, indexed), (entities, visibility, lang), account = replies
        *hiding, login = account
        counts = is_sharer and login and not (any(hiding) or visibility)
        is_void = use.is_boost and (not is_boosted or use.uid == use.author)
        if not counts or entities is None or is_void:
            entities = "[]"
        return UseUpdate(
            use,
            (lang or "").partition("-")[0],
            frozenset(entry.split(":", 3)[3] for entry in indexed),
            frozenset(items_of(unpack_entities(entities))),
        )

    return Read((sharer, status, author), parse)


def candidate_commands(hour: int, counts: dict[str, int]) -> list[Command]:
    """Return the commands that make items, with their members within an hour, candidates."""
    key = keys.trend_candidates(hour)
    pairs = [part for item, members in sorted(counts.items()) for part in (members, item)]
    return [
        ("ZADD", key, *pairs),
        ("ZREMRANGEBYRANK", key, 0, -(CANDIDATES_MAX + 1)),
        ("EXPIREAT", key, (hour * HOUR_MS + HOUR_TTL_MS) // 1_000),
    ]
