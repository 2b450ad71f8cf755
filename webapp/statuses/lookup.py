"""Reads of statuses by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from webapp.accounts import store as accounts
from webapp.core.store import Command, Db, Read, read

from . import keys
from .status import Status, StoredStatus, parse_status
from .values.visibility import Visibility

Entry = tuple[int, int]  # a status as lists name it: its id, its author's uid


def statuses(entries: Sequence[Entry]) -> Read[list[Status | None]]:
    """Read the statuses of entries, each in its place; None for one that is gone."""
    members_read = accounts.get_many({author for _, author in entries})

    def parse(replies: Sequence[Any]) -> list[Status | None]:
        members = members_read.parse(replies[len(entries) :])
        return [
            parse_status(status_id, members.get(author), fields)
            for (status_id, author), fields in zip(entries, replies, strict=False)
        ]

    commands = [_status_command(status_id) for status_id, _ in entries]
    return Read((*commands, *members_read.commands), parse)


def stored_status(status_id: int) -> Read[StoredStatus]:
    """Read the fields of a status."""
    return read(_status_command(status_id), lambda fields: StoredStatus(status_id, fields))


def entries_of(status_ids: Sequence[int]) -> Read[list[Entry]]:
    """Read the authors of statuses. Those that are gone are left out."""
    commands = tuple(("HGET", keys.status(status_id), "author") for status_id in status_ids)

    def parse(replies: Sequence[Any]) -> list[Entry]:
        pairs = zip(status_ids, replies, strict=True)
        return [(status_id, int(author)) for status_id, author in pairs if author]

    return Read(commands, parse)


def pages_of(db: Db, list_key: str, size: int) -> Iterator[list[int]]:
    """Yield the status ids of a list, newest first, `size` at a time. A trip for each."""
    bound = "+inf"
    while True:
        page = db.run(
            ("ZRANGE", list_key, bound, "-inf", "BYSCORE", "REV", "LIMIT", 0, size, "WITHSCORES")
        )
        if page:
            yield [int(entry.partition(":")[0]) for entry in page[::2]]
        if len(page) < 2 * size:
            return
        bound = f"({page[-1]}"


def open_entries_of(status_ids: Iterable[int]) -> Read[dict[int, int]]:
    """Read the authors of statuses. Those that are gone or restricted are left out."""
    each = list(status_ids)
    commands = tuple(("HMGET", keys.status(one), "author", "visibility") for one in each)

    def parse(replies: Sequence[Any]) -> dict[int, int]:
        return {
            one: int(author)
            for one, (author, visibility) in zip(each, replies, strict=True)
            if author and not Visibility(visibility or "").restricted
        }

    return Read(commands, parse)


def _status_command(status_id: int) -> Command:
    return ("HGETALL", keys.status(status_id))
