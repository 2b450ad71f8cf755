"""Write the statuses of a community."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import EPOCH_MS, PARTITIONS, partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.text.entity_codec import pack_entities
from webapp.core.text.parser import parse
from webapp.statuses import keys as status_keys
from webapp.timelines import keys as timeline_keys

from .community import Post
from .progress import BATCH, Progress

RAISE_LAST_ID = script("demo/lua/raise_last_id.lua")
STATUSES_PER_TRIP = BATCH // 2  # each takes two commands

Entry = tuple[int, int]  # a status id, and the uid of its author


def write_statuses(
    db: Db, posts: Sequence[Post], first_uid: int, progress: Progress
) -> list[Entry]:
    """Write statuses, and their entries in profiles. Return their entries, in order of time."""
    entries = _assign_ids(db, posts, first_uid)
    places = range(0, len(posts), STATUSES_PER_TRIP)
    batches = [range(start, min(start + STATUSES_PER_TRIP, len(posts))) for start in places]
    with progress("Statuses", batches) as steps:
        for batch in steps:
            commands: list[Command] = []
            for place in batch:
                commands += _status_commands(entries[place], posts[place].text)
            db.trip(*commands)
    return entries


def write_public_timeline(db: Db, config: Config, entries: Sequence[Entry]) -> None:
    """Add the newest statuses to the public timeline. New ids will be later. One trip."""
    newest = entries[-config.public_max :]
    scored = [part for status_id, uid in newest for part in (status_id, f"{status_id}:{uid}")]
    last_ids = {partition_of(status_id): status_id for status_id, _ in entries}
    commands: list[Command] = [
        RAISE_LAST_ID(last_id=status_keys.last_status_id(partition), status_id=status_id)
        for partition, status_id in last_ids.items()
    ]
    key = timeline_keys.public_timeline()
    if scored:
        commands.append(("ZADD", key, *scored))
    db.trip(*commands, ("ZREMRANGEBYRANK", key, 0, -(config.public_max + 1)))


def _status_commands(entry: Entry, text: str) -> list[Command]:
    status_id, author = entry
    parsed = parse(text)
    entities = pack_entities(parsed.entities)
    fields = ("author", author, "text", parsed.text, "entities", entities)
    return [
        ("HSET", status_keys.status(status_id), *fields),
        ("ZADD", status_keys.profile_statuses(author), status_id, status_id),
    ]


def _assign_ids(db: Db, posts: Sequence[Post], first_uid: int) -> list[Entry]:
    """Return unused ids, as the posting script makes them, with the authors' uids."""
    last_bases = dict.fromkeys(range(PARTITIONS), 0)
    entries = []
    for post in posts:
        author = first_uid + post.author
        partition = partition_of(author)
        base = max((post.at_ms - EPOCH_MS) * 64, last_bases[partition] + 1)
        last_bases[partition] = base
        entries.append((base * 64 + partition, author))
    if _any_exists(db, entries):
        # Another status of the partition is of the same millisecond. An earlier one is free.
        return _assign_ids(db, [replace(post, at_ms=post.at_ms - 1) for post in posts], first_uid)
    return entries


def _any_exists(db: Db, entries: Sequence[Entry]) -> bool:
    """Return True if any of the ids is in use. One trip for each BATCH of them."""
    keys = [status_keys.status(status_id) for status_id, _ in entries]
    batches = (keys[start : start + BATCH] for start in range(0, len(keys), BATCH))
    return any(any(db.trip(*(("EXISTS", key) for key in batch))) for batch in batches)
