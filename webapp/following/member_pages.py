"""Pages of lists of members: zsets of uids, cut by score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Db, Read, read
from webapp.core.web import Page, newest_below


@dataclass(frozen=True, slots=True)
class UidPage:
    """Uids and their scores, the highest first. `next` is the cursor of the page below, if any."""

    scores: dict[int, int]
    next: int | None

    @property
    def first(self) -> int | None:
        """Return the highest score, None without uids."""
        return next(iter(self.scores.values()), None)


def uid_page(key: str, before: int | None, size: int, above: str = "-inf") -> Read[UidPage]:
    """Read `size` uids of a zset with scores below the cursor `before` and over `above`."""
    command = newest_below(key, before, size + 1, above=above, scores=True)

    def parse(reply: Sequence[str]) -> UidPage:
        uids, scores = map(int, reply[::2]), map(int, reply[1::2])
        entries = list(zip(uids, scores, strict=True))
        next_cursor = entries[size - 1][1] if len(entries) > size else None
        return UidPage(dict(entries[:size]), next_cursor)

    return read(command, parse)


def member_page(
    db: Db,
    key: str,
    before: int | None,
    size: int,
    above: str = "-inf",
    remove_deleted: bool = False,
) -> Page[Member]:
    """Return a page of a zset's members, the highest scores first. Two trips.

    `above`: a lower bound of the scores. Deleted members are left out; the worker removes them
    from the list. With `remove_deleted` this does so: one more trip if there are any.
    """
    page = db.read(uid_page(key, before, size, above))
    members = db.read(accounts.get_many(page.scores))
    if remove_deleted and (deleted := page.scores.keys() - members.keys()):
        db.run(("ZREM", key, *deleted))
    return Page(tuple(members.values()), page.next, first=page.first)
