"""Projections: the index of members' names.

They compare the recorded entries of a member with the present state, so that any event may ask for
it. All events about a member are in the member's own partition, and one group takes them: no two
workers sync the same member.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Command, Read, collect, partition_of, script
from webapp.core.store.schema import partition_tag
from webapp.following import keys as following_keys

from . import keys
from .ranks import NOWHERE, rank_keys, rank_of
from .words import words_of

PLACE = script("autocomplete/lua/place.lua")
RECORD_NAMES = script("autocomplete/lua/record_names.lua")
FIELDS = ("login", "name", "suspended", "hidden_from_search", "limited")
CHANGING = "?"  # the rank in a record, while the index is being changed


@dataclass(frozen=True, slots=True)
class NameUpdate:
    """A member's entries in the index, as they are and as they should be. No words: nowhere."""

    event: Event
    uid: int
    recorded_rank: str
    recorded: frozenset[str]
    rank: int
    wanted: frozenset[str]

    @property
    def is_due(self) -> bool:
        """Return True if the index is to be changed."""
        if self.recorded != self.wanted:
            return True
        return bool(self.wanted) and self.recorded_rank != str(self.rank)

    def record_command(self, rank: str, words: frozenset[str]) -> Command:
        """Return the command that records the member's entries."""
        return RECORD_NAMES(
            self.event, uid=self.uid, record=" ".join([rank, *sorted(words)]) if words else ""
        )

    def place_commands(self) -> list[Command]:
        """Return the commands that bring the index up to date."""
        placed = self._place_commands(self.rank, self.wanted)
        return placed + self._place_commands(NOWHERE, self.recorded - self.wanted)

    def _place_commands(self, rank: int, words: frozenset[str]) -> list[Command]:
        by_partition = defaultdict[int, list[str]](list)
        for word in sorted(words):
            by_partition[keys.index_partition(word)].append(word)
        return [
            PLACE(
                self.event,
                tag=partition_tag(partition),
                ranks=rank_keys(keys.name_index, some[0]),
                rank=rank,
                entries=[f"{word} {self.uid}" for word in some],
            )
            for partition, some in by_partition.items()
        ]


def sync_names(context: Context, events: Sequence[Event]) -> None:
    """Bring the index of names up to date with the members of these events.

    The record names all words that may be in the index, however a worker dies.
    """
    by_uid = {event.number("uid"): event for event in events}
    updates = context.db.read(collect(_update(event, uid) for uid, event in by_uid.items()))
    due = [one for one in updates if one.is_due]
    if not due:
        return
    db = context.db
    db.trip_all(one.record_command(CHANGING, one.recorded | one.wanted) for one in due)
    db.trip_all(command for one in due for command in one.place_commands())
    db.trip_all(one.record_command(str(one.rank), one.wanted) for one in due)


def _update(event: Event, uid: int) -> Read[NameUpdate]:
    commands = (
        ("HMGET", account_keys.user(uid), *FIELDS),
        ("ZCARD", following_keys.followers(uid)),
        ("HGET", keys.indexed_names(partition_of(uid)), uid),
    )

    def parse(replies: Sequence[Any]) -> NameUpdate:
        fields, followers, record = replies
        rank, *recorded = (record or "").split(" ")
        wanted = _findable_words(*fields)
        return NameUpdate(event, uid, rank, frozenset(recorded), rank_of(followers), wanted)

    return Read(commands, parse)


def _findable_words(login: str | None, name: str | None, *hiding: str | None) -> frozenset[str]:
    """Return the words that a member is found by: none if they are not to be found."""
    if not login or any(hiding):
        return frozenset()
    return frozenset(words_of(login, name or ""))
