"""Build another index beside the one that is read, then switch.

While a generation is being built, projections write both. The rebuild adds only documents that they
have not written. Documents that changed between its read and its write are read again.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.errors import Conflict
from webapp.core.store import Command, Db, Site, collect, script
from webapp.search import keys
from webapp.statuses import Entry, Status, entries_of, keys as status_keys, statuses
from webapp.statuses.interactions import keys as bookmark_keys
from webapp.statuses.lookup import pages_of

from .counts import ranking_counts
from .documents import Document, is_searchable, status_document
from .layout import LAYOUT_DELAY_SECONDS, Layout, forget_layout, read_layout
from .members import member_documents
from .store import collection_limit, shard_values

REBUILD_DOCUMENT = script("search/index/lua/rebuild_document.lua")
SWITCH_GENERATION = script("search/index/lua/switch_generation.lua")
REMOVE_GENERATION = script("search/index/lua/remove_generation.lua")
BATCH = 200  # documents of one trip


@dataclass(frozen=True, slots=True)
class Rebuild(Site):
    """A rebuild of the whole index: the generation that it makes."""

    building: int

    def add_members(self, uids: Sequence[int]) -> None:
        """Add members, and all that they wrote. Safe to repeat. Raises Conflict if it has ended."""
        found = self.db.read(member_documents(uids))
        self.db.trip_all(
            self._command(document, keys.PEOPLE, f"followers {followers}")
            for document, followers in found
            if document
        )
        for uid in uids:
            for list_key in status_keys.authored_lists(uid):
                for ids in pages_of(self.db, list_key, BATCH):
                    self._add_statuses([(status_id, uid) for status_id in ids])
            for ids in pages_of(self.db, bookmark_keys.bookmarks(uid), BATCH):
                self._add_bookmarks(uid, ids)

    def _add_statuses(self, entries: Sequence[Entry]) -> None:
        found, counts = self.db.fetch(
            statuses(entries), collect(ranking_counts(*entry) for entry in entries)
        )
        self.db.trip_all(
            self._command(status_document(status), _collection(status), numbers)
            for status, numbers in zip(found, map(_format, counts), strict=True)
            if status
        )
        present = self.db.read(statuses(entries))
        self.db.trip_all(
            self._removal(before.id, _collection(before), before.author.uid)
            for before, now in zip(found, present, strict=True)
            if before and (now is None or _collection(now) != _collection(before))
        )

    def _add_bookmarks(self, uid: int, ids: Sequence[int]) -> None:
        self.db.trip_all(("ZADD", keys.bookmarkers(one), uid, uid) for one in ids)
        entries = self.db.read(entries_of(ids))
        collection = keys.bookmarked(uid)
        found = [status for status in self.db.read(statuses(entries)) if status]
        documents = map(status_document, found)
        self.db.trip_all(self._command(one, collection, "", uid) for one in documents)
        bookmarks = bookmark_keys.bookmarks(uid)
        scores = self.db.trip_all(("ZSCORE", bookmarks, status.id) for status in found)
        present = self.db.read(statuses([(one.id, one.author.uid) for one in found]))
        ended = [
            one.id
            for one, score, now in zip(found, scores, present, strict=True)
            if score is None or now is None
        ]
        gone = set(ids).difference(status.id for status in found).union(ended)
        self.db.trip(
            *(self._removal(one, collection, uid) for one in ended),
            *(("ZREM", keys.bookmarkers(one), uid) for one in gone),
        )

    def _command(
        self, document: Document, collection: str, numbers: str, owner: int = 0
    ) -> Command:
        return REBUILD_DOCUMENT(
            building=self.building,
            id=document.id,
            collection=collection,
            limit=collection_limit(self.config, collection),
            record=document.record,
            numbers=numbers,
            terms=" ".join(document.terms),
            **shard_values(self.config, owner or document.author),
        )

    def _removal(self, status_id: int, collection: str, owner: int) -> Command:
        return REBUILD_DOCUMENT(
            building=self.building,
            id=status_id,
            collection=collection,
            limit=0,
            record="",
            numbers="",
            terms="",
            **shard_values(self.config, owner),
        )


def begin(site: Site) -> Rebuild:
    """Begin a rebuild. It ends any other. Leftovers of interrupted ones are removed.

    Six trips, and removals. Waits until all processes know of another number of shards.
    """
    shards = site.config.search_shards
    layout = site.db.read(read_layout(site.config))
    site.db.run(("HSETNX", keys.search_layout(), "current", layout.current))
    for left in {layout.building, layout.former} - {0, shards, layout.current}:
        remove_layout(site.db, left)
    _change_layout(site.db, Layout(layout.current, 0 if shards == layout.current else shards))
    every = [keys.generation(shard, shards) for shard in range(shards)]
    rows = site.db.trip_all(("HMGET", key, "current", "building", "former") for key in every)
    newest = max(int(number or 1) for row in rows for number in row)
    site.db.trip_all(("HSET", key, "building", newest + 1) for key in every)
    for left in {int(number) for row in rows for number in row[1:] if number}:
        remove_generation(site, left)
    site.db.trip_all(("HDEL", key, "former") for key in every)
    return Rebuild(site.db, site.config, newest + 1)


def finish(rebuild: Rebuild) -> None:
    """Let queries read the new index, and remove the old one. Raises Conflict."""
    site = rebuild
    shards = site.config.search_shards
    every = [keys.generation(shard, shards) for shard in range(shards)]
    former = site.db.trip_all(
        SWITCH_GENERATION(shard=shard, shards=shards, building=rebuild.building)
        for shard in range(shards)
    )
    layout = site.db.read(read_layout(site.config))
    if layout.current != site.config.search_shards:
        _change_layout(site.db, Layout(site.config.search_shards, 0, layout.current))
        remove_layout(site.db, layout.current)
        _change_layout(site.db, Layout(site.config.search_shards))
    for number in {int(one) for one in former} - {rebuild.building}:
        remove_generation(rebuild, number)
    site.db.trip_all(("HDEL", key, "former") for key in every)


def _change_layout(db: Db, layout: Layout) -> None:
    """Store the layouts, and wait until all processes know of another number of shards."""
    key = keys.search_layout()
    values = {"current": layout.current, "building": layout.building, "former": layout.former}
    db.run(("HSET", key, *(word for pair in values.items() for word in pair)))
    forget_layout(db)
    if layout.building or layout.former:
        time.sleep(LAYOUT_DELAY_SECONDS)


def continue_with(site: Site, uids: Sequence[int]) -> None:
    """Add members to the rebuild that has begun. Raises Conflict if there is none."""
    _begun(site).add_members(uids)


def finish_begun(site: Site) -> None:
    """Finish the rebuild that has begun. Raises Conflict if there is none."""
    finish(_begun(site))


def _begun(site: Site) -> Rebuild:
    building = site.db.run(("HGET", keys.generation(0, site.config.search_shards), "building"))
    if not building:
        raise Conflict("rebuild_ended")
    return Rebuild(site.db, site.config, int(building))


def remove_generation(site: Site, number: int) -> None:
    """Remove all documents of a generation, some keys at a time."""
    for shard in range(site.config.search_shards):
        _remove(site.db, number, shard, site.config.search_shards)


def remove_layout(db: Db, shards: int) -> None:
    """Remove the whole index that is spread over another number of shards, some keys at a time."""
    for shard in range(shards):
        _remove(db, "", shard, shards)


def _remove(db: Db, number: int | str, shard: int, shards: int) -> None:
    cursor = ""
    while cursor != "0":
        command = REMOVE_GENERATION(number=number, cursor=cursor or "0", shard=shard, shards=shards)
        cursor = db.run(command)


def _collection(status: Status) -> str:
    return keys.POSTS if is_searchable(status) else keys.own_posts(status.author.uid)


def _format(counts: dict[str, int]) -> str:
    return " ".join(f"{name} {value}" for name, value in counts.items())
