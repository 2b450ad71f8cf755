"""Reading timelines: home, public and profile. Each page is a fixed number of trips, whatever it shows."""

from __future__ import annotations

from collections.abc import Sequence

from .. import keys
from ..accounts.store import Member, find_uid
from ..config import Config
from ..db import Db
from ..errors import NotFound
from ..following.store import Profile, Relation, profile_commands, profile_from, relation, relation_commands
from ..ids import MAX_ID, partition_of
from ..paging import Page, below, cut
from ..scripts import script
from ..statuses.store import Entry, Status, hydrate, hydration, page_command, page_from
from .merged import Merged
from .rebuild import rebuild

HOME = script("timelines/home.lua")
PASSES_MAX = 6  # a rebuild, a look at all that is left, and what happens meanwhile
REBUILDS_MAX = 3  # of these passes; then what is there is shown


def home(db: Db, config: Config, uid: int, before: int | None = None) -> Page[Status]:
    """A page of a member's home timeline, newest first: two trips, and two more each time something in it proves to be
    gone or missing. Never short while more exist, never a status that is deleted or whose author is not followed (any
    more).
    """
    size = config.page_size
    want, gone, found = size + 1, list[str](), list[Status]()
    names = [keys.home(uid), keys.following(uid), keys.active(partition_of(uid)), keys.pulled(partition_of(uid))]
    for attempt in range(PASSES_MAX):
        state, entries, pulled = db.run(HOME(names, uid, below(before), want, config.home_max, *gone))
        if state in ("absent", "cut") and attempt < REBUILDS_MAX:
            rebuild(db, config, uid)
            continue
        merged = Merged(db, config, [int(author) for author in pulled], before, size + 1)
        found, gone = _read(db, entries, merged, state)
        if not gone:
            break
        want = config.home_max + config.home_slack
    return cut([(status.id, status) for status in found], size)


def public(db: Db, config: Config, before: int | None = None) -> Page[Status]:
    """A page of the public timeline, newest first; as `home`."""
    size = config.page_size
    want, found = size + 1, list[Status]()
    for _ in range(PASSES_MAX):
        entries = db.run(("ZRANGE", keys.public(), below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, want))
        statuses = hydrate(db, [parse_entry(entry) for entry in entries])
        found = [status for status in statuses if status]
        gone = [entry for entry, status in zip(entries, statuses, strict=True) if status is None]
        if not gone:
            break
        db.run(("ZREM", keys.public(), *gone))
        want = config.public_max
    return cut([(status.id, status) for status in found], size)


def profile(
    db: Db, config: Config, login: str, viewer: Member | None, before: int | None = None
) -> tuple[Profile, Relation | None, Page[Status]]:
    """A member's profile with a page of their statuses and, for another member who looks, their relation. At most four
    trips. Raises NotFound.
    """
    uid = find_uid(db, login)
    related = viewer is not None and viewer.uid != uid
    commands = [page_command(uid, before, config.page_size + 1), *profile_commands(uid)]
    if viewer and related:
        commands += relation_commands(viewer.uid, uid, config.familiar_sample)
    statuses, *replies = db.trip(*commands)
    shown = profile_from(uid, replies[:4])
    if shown is None:
        raise NotFound("no_member")
    page = cut([(status.id, status) for status in page_from(shown.member, statuses)], config.page_size)
    return shown, relation(db, uid, replies[4:]) if related else None, page


def parse_entry(entry: str) -> Entry:
    """(status id, author's uid) of a timeline's member `id:author`."""
    status_id, _, author = entry.partition(":")
    return int(status_id), int(author)


def _read(db: Db, entries: Sequence[str], merged: Merged, state: str) -> tuple[list[Status], list[str]]:
    """The statuses of a home's entries together with those merged at read time, newest first, and the entries that are
    gone.
    """
    pairs = [parse_entry(entry) for entry in entries]
    commands, read = hydration(pairs)
    replies = db.trip(*commands, *merged.commands)
    statuses = read(replies[: len(commands)])
    gone = [entry for entry, status in zip(entries, statuses, strict=True) if status is None]
    found = {status.id: status for status in statuses if status}
    # A home that was cut says nothing below its last entry, so nothing is merged there either.
    floor = (pairs[-1][0] if pairs else MAX_ID) if state == "capped" else 0
    found |= {status.id: status for status in merged.read(replies[len(commands) :]) if status.id >= floor}
    return sorted(found.values(), key=lambda status: -status.id), gone
