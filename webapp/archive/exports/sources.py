"""Readers of a member's data for the archive, a bounded slice at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.core.store import Site, to_dict
from webapp.core.store.schema import Hash, MemberKey, Stream
from webapp.statuses import entries_of
from webapp.timelines.page_invalidation.paths import profile_path, status_path

SLICE = 500  # rows that one slice reads
Row = dict[str, Any]
Scored = list[tuple[str, int]]  # members of a sorted set, with their scores


@dataclass(frozen=True, slots=True)
class Owner:
    """The member whose data is read. `site_url`: without a slash at its end."""

    site: Site
    uid: int
    site_url: str

    def link(self, path: str) -> str:
        """Return the address of a page."""
        return self.site_url + path

    def account(self, member: Member) -> Row:
        """Return the columns of a member: account, name and address."""
        link = self.link(profile_path(member.login))
        return {"account": f"@{member.login}", "name": member.name, "url": link}


@dataclass(frozen=True, slots=True)
class Slice:
    """Rows, and the cursor of the next slice, None at the end."""

    rows: list[Row]
    next: str | None = None


Reader = Callable[[Owner, str], Slice]  # of the slice at a cursor, "" for the first


def time_of_ms(ms: float) -> str:
    """Return a time of unix ms as ISO 8601, in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds")


def time_of_us(us: float) -> str:
    """Return a time of unix µs as ISO 8601, in UTC."""
    return time_of_ms(us / 1000)


def scored_page(owner: Owner, key: MemberKey, cursor: str) -> tuple[Scored, str | None]:
    """Return entries of a sorted set, newest first, and the next cursor. One trip."""
    first = f"({cursor}" if cursor else "+inf"
    bounds = (first, "-inf", "BYSCORE", "REV", "LIMIT", 0, SLICE, "WITHSCORES")
    reply = owner.site.db.run(("ZRANGE", key(owner.uid), *bounds))
    found = [(name, int(float(score))) for name, score in zip(reply[::2], reply[1::2], strict=True)]
    return found, reply[-1] if len(found) == SLICE else None


def people(key: MemberKey, time_of: Callable[[float], str] = time_of_ms) -> Reader:
    """Return the reader of a sorted set of uids. Deleted accounts are left out. Two trips."""

    def read_slice(owner: Owner, cursor: str) -> Slice:
        found, following = scored_page(owner, key, cursor)
        members = owner.site.db.read(accounts.get_many(int(uid) for uid, _ in found))
        rows = [
            {**owner.account(members[int(uid)]), "since": time_of(score)}
            for uid, score in found
            if int(uid) in members
        ]
        return Slice(rows, following)

    return read_slice


def posts_of_others(
    key: MemberKey, id_of: Callable[[str, int], int], time_of: Callable[[str, int], str]
) -> Reader:
    """Return the reader of a sorted set of posts: where each is, and whose. Three trips.

    `id_of` and `time_of` get an entry and its score. Deleted posts are left out.
    """

    def read_slice(owner: Owner, cursor: str) -> Slice:
        found, following = scored_page(owner, key, cursor)
        times = {id_of(*entry): time_of(*entry) for entry in found}
        links = links_of(owner, times)
        rows = [{"url": links[one], "at": at} for one, at in times.items() if one in links]
        return Slice(rows, following)

    return read_slice


def links_of(owner: Owner, status_ids: Iterable[int]) -> dict[int, str]:
    """Return the addresses of posts, without those that are deleted. Two trips."""
    entries = owner.site.db.read(entries_of(list(status_ids)))
    members = owner.site.db.read(accounts.get_many(author for _, author in entries))
    return {
        status_id: owner.link(status_path(members[author].login, status_id))
        for status_id, author in entries
        if author in members
    }


def raw(noun: str) -> Reader:
    """Return the reader of a private key as it is stored: of a hash, a sorted set or a stream.

    A key of an optional system that is not installed has no rows. One trip.
    """

    def read_slice(owner: Owner, cursor: str) -> Slice:
        key = next((one for one in MemberKey.every_private if one.noun == noun), None)
        if key is None:
            return Slice([])
        if isinstance(key.type, Hash):
            fields = to_dict(owner.site.db.run(("HGETALL", key(owner.uid))))
            return Slice([{"item": name, "value": value} for name, value in fields.items()])
        if isinstance(key.type, Stream):
            return _stream_slice(owner, key, cursor)
        start = int(cursor or 0)
        bounds = (start, start + SLICE - 1, "WITHSCORES")
        reply = owner.site.db.run(("ZRANGE", key(owner.uid), *bounds))
        pairs = zip(reply[::2], reply[1::2], strict=True)
        rows = [{"item": item, "value": value} for item, value in pairs]
        return Slice(rows, str(start + SLICE) if len(rows) == SLICE else None)

    return read_slice


def whole(read_rows: Callable[[Owner], Sequence[Mapping[str, Any]]]) -> Reader:
    """Return the reader of something small, in one slice."""
    return lambda owner, cursor: Slice([dict(row) for row in read_rows(owner)])


def _stream_slice(owner: Owner, key: MemberKey, cursor: str) -> Slice:
    """Read entries of a stream, oldest first. One trip."""
    first = f"({cursor}" if cursor else "-"
    entries = owner.site.db.run(("XRANGE", key(owner.uid), first, "+", "COUNT", SLICE))
    rows = [{"id": entry_id, **to_dict(fields)} for entry_id, fields in entries]
    return Slice(rows, entries[-1][0] if len(entries) == SLICE else None)
