"""Projections: the index of statuses under hashtags.

They compare the index with what is true now, so they serve whatever has changed, and are safe to
run twice: a status was posted, edited or deleted, or its author may not be shown any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command, Read, collect, read
from webapp.core.store.schema import PARTITION_TAGS, partition_tag
from webapp.core.store.scripts import script
from webapp.core.text.entity_codec import unpack_entities
from webapp.core.text.parser import tag_names
from webapp.pagecache.invalidation import invalidate
from webapp.statuses import keys as status_keys
from webapp.statuses.lookup import Entry
from webapp.timelines import keys
from webapp.timelines.entries import format_status_entry
from webapp.timelines.pages.paths import tag_feed_path, tag_path

READ_TAGS = script("timelines/tags/lua/read_tags.lua")
PUBLISH = script("timelines/lua/publish.lua")
TAG_INDEX_MAX = 20_000  # entries of one member; older ones leave hashtags when these are read
BATCH = 200  # statuses that are synced together


@dataclass(frozen=True, slots=True)
class TagIndexUpdate:
    """A status that belongs under the hashtags `wanted`, and under no others it is `indexed` by."""

    event: Event
    status_id: int
    author: int
    indexed: frozenset[str]
    wanted: frozenset[str]

    def author_commands(self, names: Iterable[str], present: bool) -> list[Command]:
        """Return the commands that add or remove these names in the author's own index."""
        source, token = self.event.fence
        return [
            PUBLISH(
                timeline=keys.tag_index(self.author),
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
        """Return the commands that add the status to its hashtags, and remove it from others."""
        source, token = self.event.fence
        return [
            PUBLISH(
                timeline=keys.hashtag_statuses(name),
                fences=event_keys.fences(PARTITION_TAGS[keys.hashtag_partition(name)]),
                source=source,
                token=token,
                entry=format_status_entry(self.status_id, self.author),
                id=self.status_id if name in self.wanted else "",
                limit=limit,
            )
            for name in self.indexed | self.wanted
        ]


def index(context: Context, events: Sequence[Event]) -> None:
    """Sync statuses that were posted, edited or deleted."""
    updates = [
        _tag_index_update(event, (int(event.data["id"]), int(event.data["author"])))
        for event in events
    ]
    _sync(context, updates)


def reindex_author(context: Context, events: Sequence[Event]) -> None:
    """Sync all statuses of members who were suspended, protected, restored or deleted.

    The hashtags they follow go with their account.
    """
    for event in events:
        uid = int(event.data["uid"])
        _sync_list(context, event, keys.tag_index(uid), TAG_INDEX_MAX)
        if event.type in ("restored", "unprotected"):
            for key in (status_keys.profile_statuses(uid), status_keys.profile_replies(uid)):
                _sync_list(context, event, key, context.config.tagged_max)
        elif event.type == "removed":
            context.db.run(("UNLINK", keys.followed_tags(uid)))


def _sync_list(context: Context, event: Event, key: str, limit: int) -> None:
    """Sync the newest `limit` statuses of a list of the event's member."""
    uid = int(event.data["uid"])
    for ids in _id_batches(context, key, limit):
        _sync(context, [_tag_index_update(event, (status_id, uid)) for status_id in ids])


def _id_batches(context: Context, key: str, limit: int) -> Iterator[list[int]]:
    """Yield the ids in the scores of a sorted set, newest first, each once. One trip a batch."""
    bound = "+inf"
    while limit > 0:
        range_args = (bound, "-inf", "BYSCORE", "REV", "LIMIT", 0, BATCH, "WITHSCORES")
        reply = context.db.run(("ZRANGE", key, *range_args))
        if not reply:
            return
        ids = sorted({int(score) for score in reply[1::2]}, reverse=True)
        yield ids
        bound, limit = f"({ids[-1]}", limit - len(ids)
        context.heartbeat()


def _tag_index_update(event: Event, entry: Entry) -> Read[TagIndexUpdate]:
    """Read under which hashtags a status belongs, and under which it is indexed."""
    status_id, author = entry
    source, token = event.fence
    command = READ_TAGS(
        fences=event_keys.fences(partition_tag(author)),
        status=status_keys.status(status_id),
        author=account_keys.user(author),
        index=keys.tag_index(author),
        source=source,
        token=token,
        id=status_id,
    )

    def parse(reply: Sequence[Any]) -> TagIndexUpdate:
        entities, members = reply
        indexed = frozenset(member.partition(":")[2] for member in members)
        wanted = frozenset(tag_names(unpack_entities(entities)))
        return TagIndexUpdate(event, status_id, author, indexed, wanted)

    return read(command, parse)


def _sync(context: Context, reads: Sequence[Read[TagIndexUpdate]]) -> None:
    """Bring hashtags up to what statuses say.

    An author's index is added to before the hashtags and removed from after them, so that it has
    everything that is under a hashtag, however a worker dies. Pages are invalidated before it
    forgets why.
    """
    updates = [one for one in context.db.read(collect(reads)) if one.indexed or one.wanted]
    if not updates:
        return
    db, tagged_max = context.db, context.config.tagged_max
    db.trip(*_flat(one.author_commands(one.wanted - one.indexed, True) for one in updates))
    db.trip(*_flat(one.tag_commands(tagged_max) for one in updates))
    names = frozenset[str]().union(*(one.indexed | one.wanted for one in updates))
    paths = [path(name) for name in names for path in (tag_path, tag_feed_path)]
    invalidate(db, paths, hard=any(one.indexed - one.wanted for one in updates))
    db.trip(*_flat(one.author_commands(one.indexed - one.wanted, False) for one in updates))


def _flat(groups: Iterable[list[Command]]) -> Iterator[Command]:
    return chain.from_iterable(groups)
