"""Find members by name, role and state, and read what the page of members says about each.

Uids are dense, so the list of all members is a walk down from the last uid.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from webapp.accounts import keys as account_keys, store as accounts
from webapp.accounts.member import Member, datetime_from_seconds
from webapp.accounts.passkeys.keys import passkeys
from webapp.autocomplete import keys as name_keys
from webapp.autocomplete.ranks import search
from webapp.autocomplete.words import name_prefixes
from webapp.core.store import Db, Read, collect, constant, gather, read
from webapp.core.web import Page, overfetch, paginate
from webapp.reports import keys as report_keys
from webapp.statuses import keys as status_keys

STAFF = ("admin", "moderator")
ROLES = (*STAFF, "bot")
STATES = ("active", "waiting", "limited", "suspended")
SCANNED_MAX = 5_000  # uids that a page with a role or a state looks through
Details = tuple[datetime | None, int, int]  # last seen, posts, reports
MARKS = ("login", "bot", "rights", "waiting", "suspended", "limited")


@dataclass(frozen=True, slots=True)
class Marks:
    """The role and the states of an account. `role`: one of ROLES, "" for everybody else."""

    role: str
    states: Collection[str]


@dataclass(frozen=True, slots=True)
class ListedMember:
    """A member on the page. `last_seen`: None if nobody knows."""

    member: Member
    marks: Marks
    last_seen: datetime | None
    posts: int
    reports: int


def candidates(typed: str, before: int | None) -> Read[Sequence[int]]:
    """Read the uids to look through, after a cursor: those that a name may mean, else all.

    Names are found by the index of completion, and by the whole username.
    """
    prefixes = name_prefixes(typed)
    if typed and not prefixes:
        return constant(())
    if prefixes == ("",):
        last = read(("GET", account_keys.last_uid()), lambda uid: int(uid or 0))
        return last.map(lambda uid: range(uid if before is None else min(uid, before - 1), 0, -1))
    longest = max(prefixes, key=len)
    found = gather(accounts.claimed_uid(longest), search(name_keys.name_index, longest))
    return found.map(lambda both: _distinct(both[0] or 0, both[1], before))


def page_of(db: Db, uids: Sequence[int], role: str, state: str, size: int) -> Page[ListedMember]:
    """Return the members among `uids` with a role and a state ("": any), in that order.

    A page looks through SCANNED_MAX uids at most. It may be short; `next` then continues.
    Two trips.
    """
    scanned = uids[: SCANNED_MAX if role or state else overfetch(size)]
    marks = db.read(_marks(scanned))
    chosen = [
        uid
        for uid, one in marks.items()
        if role in ("", one.role) and (not state or state in one.states)
    ][: size + 1]
    rows = db.read(_rows(chosen, marks))
    more = scanned[-1] if len(uids) > len(scanned) else None
    return paginate([(row.member.uid, row) for row in rows], size, more)


def staff_without_factor(db: Db) -> list[str]:
    """Return the logins of the moderators and admins who log in with their password alone.

    Two trips for each SCANNED_MAX members.
    """
    found: list[str] = []
    last = int(db.run(("GET", account_keys.last_uid())) or 0)
    for first in range(1, last + 1, SCANNED_MAX):
        marks = db.read(_marks(range(first, min(first + SCANNED_MAX, last + 1))))
        staff = [uid for uid, one in marks.items() if one.role in STAFF]
        rows = db.trip(
            *(("HMGET", account_keys.user(uid), "login", "second_step") for uid in staff),
            *(("EXISTS", passkeys(uid)) for uid in staff),
        )
        pairs = zip(rows[: len(staff)], rows[len(staff) :], strict=True)
        found += [login for (login, has_app), has_key in pairs if not has_app and not has_key]
    return found


def _distinct(exact: int, found: Iterable[str], after: int | None) -> list[int]:
    uids = [uid for uid in dict.fromkeys((exact, *map(int, found))) if uid]
    return uids[uids.index(after) + 1 :] if after in uids else [] if after else uids


def _marks(uids: Sequence[int]) -> Read[dict[int, Marks]]:
    """Read the marks of accounts. Those that are deleted are left out."""

    def parse(replies: Sequence[Sequence[str | None]]) -> dict[int, Marks]:
        pairs = zip(uids, replies, strict=True)
        return {uid: _parse_marks(fields) for uid, fields in pairs if fields[0]}

    return Read(tuple(("HMGET", account_keys.user(uid), *MARKS) for uid in uids), parse)


def _parse_marks(fields: Sequence[str | None]) -> Marks:
    _login, bot, rights, waiting, suspended, limited = fields
    granted = (rights or "").split()
    role = next((one for one in STAFF if one in granted), "bot" if bot else "")
    marks = {"waiting": waiting, "suspended": suspended and not waiting, "limited": limited}
    return Marks(role, [name for name, value in marks.items() if value] or ["active"])


def _rows(uids: Sequence[int], marks: Mapping[int, Marks]) -> Read[list[ListedMember]]:
    details = collect(map(_details, uids))

    def build(both: tuple[dict[int, Member], list[Details]]) -> list[ListedMember]:
        members, numbers = both
        pairs = zip(uids, numbers, strict=True)
        return [
            ListedMember(members[uid], marks[uid], *one) for uid, one in pairs if uid in members
        ]

    return gather(accounts.get_many(uids), details).map(build)


def _details(uid: int) -> Read[Details]:
    """Read when a member was last seen, and their numbers of posts and of reports about them."""
    newest = ("ZRANGE", account_keys.member_sessions(uid), 0, 0, "REV", "WITHSCORES")
    lists = (status_keys.profile_statuses(uid), status_keys.profile_replies(uid))
    return gather(
        read(newest, lambda entry: datetime_from_seconds(entry[1]) if entry else None),
        collect(read(("ZCARD", one), int) for one in lists).map(sum),
        read(("ZCARD", report_keys.report_queue(f"about.{uid}")), int),
    )
