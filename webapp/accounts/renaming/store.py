"""Change a member's login.

The new login is claimed as at sign-up, then the member takes it in one script. The old one stays
claimed for NAME_KEPT_DAYS: addresses with it lead to the member, and nobody else can have it. A
crash between the two steps leaves a claim that anyone may take over after a minute.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from webapp.accounts import keys
from webapp.accounts.member import datetime_from_ms
from webapp.accounts.registration import RELEASE, claim_login
from webapp.core.bans.texts import check_texts
from webapp.core.errors import Refused
from webapp.core.store import Read, Site, read, script
from webapp.pagecache.member_versions import bump_versions

RENAME = script("accounts/renaming/lua/rename.lua")
PAUSE = timedelta(days=30)  # between two changes of a member


def rename(site: Site, uid: int, login: str, agent: str = "") -> None:
    """Give a member another login. `agent`: `Device.note`, for the security log.

    At most six trips. Raises Conflict if the login is taken or the member changed theirs lately,
    RefusedText, NotFound, Forbidden (suspended).
    """
    flagged = check_texts(site.config, login)
    claim = claim_login(site.db, login, uid)
    try:
        site.run(
            RENAME,
            uid=uid,
            login=login,
            claimed_at=claim.partition(":")[2],
            pause=PAUSE // timedelta(milliseconds=1),
            flagged=flagged,
            agent=agent,
        )
    except Refused as refusal:
        if not refusal.may_have_run:
            site.db.run(RELEASE(login=keys.login(login), claim=claim))
        raise
    bump_versions(site.db, [uid])


def next_rename_at(uid: int) -> Read[datetime | None]:
    """Read when a member may change their login again, None for now."""

    def parse(renamed: str | None) -> datetime | None:
        at = datetime_from_ms(renamed) + PAUSE if renamed else None
        return at if at and at > datetime.now(UTC) else None

    return read(("HGET", keys.user(uid), "renamed"), parse)
