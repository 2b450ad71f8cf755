"""Compare the hashtags of a status with its index entries, and sync them with commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core.events.outbox import SYNC_ENTRY, Event
from webapp.core.store import Command, Read, read, script
from webapp.core.text.entity_codec import unpack_entities
from webapp.core.text.parser import tag_names
from webapp.statuses import Entry
from webapp.timelines import keys
from webapp.timelines.entries import format_status_entry
from webapp.timelines.hot import keys as hot_keys

READ_TAGS = script("timelines/tags/lua/read_tags.lua")
TAG_INDEX_MAX = 20_000  # entries of one member; older ones leave hashtags when these are read


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
        return [
            SYNC_ENTRY(
                self.event,
                entries=keys.tag_index(self.author),
                entry=f"{self.status_id}:{name}",
                score=self.status_id if present else "",
                limit=TAG_INDEX_MAX,
            )
            for name in names
        ]

    def tag_commands(self, limit: int) -> list[Command]:
        """Return the commands that add the status to its hashtags, and remove it from others.

        It leaves the hot ones of these with them: the index names where it is only until then.
        """
        entry = format_status_entry(self.status_id, self.author)
        left = self.indexed - self.wanted
        lists = [keys.hashtag_statuses(name) for name in left]
        lists += [hot_keys.hot_tagged(name) for name in left]
        return [
            *(SYNC_ENTRY(self.event, entries=entries, entry=entry) for entries in lists),
            *(
                SYNC_ENTRY(
                    self.event,
                    entries=keys.hashtag_statuses(name),
                    entry=entry,
                    score=self.status_id,
                    limit=limit,
                )
                for name in self.wanted
            ),
        ]


def tag_index_update(event: Event, entry: Entry) -> Read[TagIndexUpdate]:
    """Read under which hashtags a status belongs, and under which it is indexed."""
    status_id, author = entry
    command = READ_TAGS(event, author=author, id=status_id)

    def parse(reply: Sequence[Any]) -> TagIndexUpdate:
        entities, members = reply
        indexed = frozenset(member.partition(":")[2] for member in members)
        wanted = frozenset(tag_names(unpack_entities(entities)))
        return TagIndexUpdate(event, status_id, author, indexed, wanted)

    return read(command, parse)
