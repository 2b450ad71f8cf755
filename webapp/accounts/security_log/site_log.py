"""Reading the operator's security log: that of all members, merged from the partitions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask_babel import lazy_gettext as _l

from webapp.accounts.member import datetime_from_ms
from webapp.core.store import PARTITIONS, Db, to_dict
from webapp.core.web import Page

from . import keys

SLICE = 100  # entries of one stream that a page reads
ROLE_ACTS = ("promote", "demote")
KINDS = {
    "failed": _l("Failed log-ins"),
    "log-ins": _l("Log-ins"),
    "passwords": _l("Passwords, usernames and addresses"),
    "factors": _l("Two-step login and passkeys"),
    "tokens": _l("Tokens and apps"),
    "roles": _l("Roles and rights"),
    "moderation": _l("Moderation"),
}
KIND_OF = {
    "failed": "failed",
    "signed_in": "log-ins",
    **dict.fromkeys(("password", "recovered", "renamed", "address"), "passwords"),
    **dict.fromkeys(("token", "feed", "app", "allowed", "revoked"), "tokens"),
    **dict.fromkeys(("granted", "withdrawn"), "roles"),
    **dict.fromkeys(("act", "undo", "keep"), "moderation"),
}


@dataclass(frozen=True, slots=True)
class SiteEntry:
    """What happened. `uid`: to whom, 0 for a name that nobody has. `what`: a right or an act.

    `by`: the uid of the moderator, 0 for none. `count`: how often in a row.
    """

    id: str  # of the entry in its stream: unix ms and a number
    uid: int
    kind: str
    network: str
    what: str
    by: int
    count: int

    @property
    def ms(self) -> int:
        """Return when it happened, in unix ms."""
        return int(self.id.partition("-")[0])

    @property
    def at(self) -> datetime:
        """Return when it happened."""
        return datetime_from_ms(self.ms)

    @property
    def group(self) -> str:
        """Return the name in KINDS that it is found under."""
        return "roles" if self.what in ROLE_ACTS else KIND_OF.get(self.kind, "factors")


def page(db: Db, kind: str, uid: int | None, before: int | None, size: int) -> Page[SiteEntry]:
    """Return a page of the log, newest first. One trip.

    `kind`: a name in KINDS, "" for all. `uid`: of the only member, None for everybody. `before`:
    unix ms. A page may be short: then `next` continues.
    """
    found, horizon = _read(db, kind, uid, before)
    wanted = [one for one in found if kind in ("", one.group) and uid in (None, one.uid)]
    wanted = [one for one in wanted if one.ms >= horizon]
    wanted.sort(key=lambda one: one.ms, reverse=True)
    if len(wanted) <= size:
        return Page(tuple(wanted), horizon or None)
    last = wanted[size - 1].ms  # the next page begins below it
    return Page(tuple(one for one in wanted if one.ms >= last), last)


def _read(db: Db, kind: str, uid: int | None, before: int | None) -> tuple[list[SiteEntry], int]:
    """Read the newest entries below a time, and the time down to which they are complete."""
    entries, failures = keys.security_entries, keys.security_failures
    streams = {"": (entries, failures), "failed": (failures,)}.get(kind, (entries,))
    numbers = range(PARTITIONS) if uid is None else (uid,)
    end = "+" if before is None else before - 1
    replies = db.trip_all(
        ("XREVRANGE", stream(number), end, "-", "COUNT", SLICE)
        for stream in streams
        for number in numbers
    )
    parsed = [[_parse(*entry) for entry in reply] for reply in replies]
    horizon = max((one[-1].ms for one in parsed if len(one) == SLICE), default=0)
    return [entry for one in parsed for entry in one], horizon


def _parse(entry_id: str, flat: Sequence[Any]) -> SiteEntry:
    fields = to_dict(flat)
    return SiteEntry(
        entry_id,
        int(fields["uid"] or 0),
        fields["kind"],
        fields.get("network", ""),
        fields.get("what", ""),
        int(fields.get("by") or 0),
        int(fields.get("count") or 1),
    )
