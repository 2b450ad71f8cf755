"""Under which hashtags statuses are filed. Each of these is safe to run twice, and asks what is true by now, so that it
serves whatever has changed: that a status was posted or deleted, what it says, or whether its author is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.schema import PARTITION_TAGS, partition_tag
from webapp.core.store.scripts import script
from webapp.core.text.parser import tag_names
from webapp.pagecache.invalidation import invalidate
from webapp.statuses import keys as status_keys
from webapp.statuses.entity_codec import unpack_entities
from webapp.timelines import keys as timeline_keys
from webapp.timelines import page_invalidation

READ_TAGS = script("timelines/tags/lua/read_tags.lua")
PUBLISH = script("timelines/lua/publish.lua")
TAG_INDEX_MAX = 20_000  # entries of one member's list of what is filed; what goes above it leaves tags when they are read
BATCH = 200  # statuses brought up to the truth together


class TagIndexUpdate(NamedTuple):
    """A status that is to stand under the tags in `wanted`, and under none else of those in `had`."""

    event: Event
    status_id: int
    author: int
    indexed: set[str]
    wanted: set[str]

    def author_commands(self, names: Iterable[str], present: bool) -> list[Command]:
        """The commands that note under which of these names it is filed."""
        source, token = self.event.fence
        return [
            PUBLISH(
                timeline=timeline_keys.tag_index(self.author),
                fences=event_keys.fences(partition_tag(self.author)),
                source=source,
                token=token,
                entry=f"{self.status_id}:{name}",
                id=self.status_id if present else "",
                limit=TAG_INDEX_MAX,
            )
            for name in names
        ]

    def tag_commands(self, limit: int) -> list[Command]:
        """The commands that put it under its tags and take it from others."""
        source, token = self.event.fence
        return [
            PUBLISH(
                timeline=timeline_keys.hashtag_statuses(name),
                fences=event_keys.fences(PARTITION_TAGS[timeline_keys.hashtag_partition(name)]),
                source=source,
                token=token,
                entry=f"{self.status_id}:{self.author}",
                id=self.status_id if name in self.wanted else "",
                limit=limit,
            )
            for name in self.indexed | self.wanted
        ]


def index(context: Context, events: Sequence[Event]) -> None:
    """Statuses that were posted or deleted, or whose words have changed."""
    _reindex(
        context, [(event, int(event.data["id"]), int(event.data["author"])) for event in events]
    )


def reindex_author(context: Context, events: Sequence[Event]) -> None:
    """Members who are suspended, protected, back or gone: what they have tagged. What they follow goes with their
    account.
    """
    for event in events:
        uid = int(event.data["uid"])
        for ids in _id_batches(context, timeline_keys.tag_index(uid)):
            _reindex(context, [(event, status_id, uid) for status_id in ids])
        if event.type in ("restored", "unprotected"):
            for key in (status_keys.profile_statuses(uid), status_keys.profile_replies(uid)):
                for ids in _id_batches(context, key, context.config.tagged_max):
                    _reindex(context, [(event, status_id, uid) for status_id in ids])
        elif event.type == "removed":
            context.db.run(("UNLINK", timeline_keys.followed_tags(uid)))


def _reindex(context: Context, statuses: Sequence[tuple[Event, int, int]]) -> None:
    """Brings the tags of these statuses up to what they say. The author's list is written before the tags and emptied
    after them: whatever is filed is on it, however a worker dies; and pages are dropped before it forgets why.
    """
    replies = context.db.trip(*(_read_tags_command(*status) for status in statuses))
    updates = [
        TagIndexUpdate(
            *status,
            {entry.partition(":")[2] for entry in indexed},
            set(tag_names(unpack_entities(entities))),
        )
        for status, (entities, indexed) in zip(statuses, replies, strict=True)
    ]
    updates = [update for update in updates if update.indexed or update.wanted]
    if not updates:
        return
    context.db.trip(
        *(
            command
            for one in updates
            for command in one.author_commands(one.wanted - one.indexed, True)
        )
    )
    context.db.trip(
        *(command for one in updates for command in one.tag_commands(context.config.tagged_max))
    )
    names = set[str]().union(*(one.indexed | one.wanted for one in updates))
    any_removed = any(one.indexed - one.wanted for one in updates)
    invalidate(
        context.db,
        (
            path
            for name in names
            for path in (page_invalidation.tag_path(name), page_invalidation.tag_feed_path(name))
        ),
        hard=any_removed,
    )
    context.db.trip(
        *(
            command
            for one in updates
            for command in one.author_commands(one.indexed - one.wanted, False)
        )
    )


def _read_tags_command(event: Event, status_id: int, author: int) -> Command:
    source, token = event.fence
    return READ_TAGS(
        fences=event_keys.fences(partition_tag(author)),
        status=status_keys.status(status_id),
        author=account_keys.user(author),
        index=timeline_keys.tag_index(author),
        source=source,
        token=token,
        id=status_id,
    )


def _id_batches(context: Context, key: str, limit: int = TAG_INDEX_MAX) -> Iterator[list[int]]:
    """The ids in the scores of a list, newest first, in batches, each once."""
    bound = "+inf"
    while limit > 0:
        flat = context.db.run(
            ("ZRANGE", key, bound, "-inf", "BYSCORE", "REV", "LIMIT", 0, BATCH, "WITHSCORES")
        )
        if not flat:
            return
        ids = sorted({int(score) for score in flat[1::2]}, reverse=True)
        yield ids
        bound, limit = f"({ids[-1]}", limit - len(ids)
        context.heartbeat()
