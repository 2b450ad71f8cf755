"""Change bans, with an entry in the log of moderation.

The log lies in another partition. The script that changes a ban keeps the entry, and `log_changes`
moves it. If a process dies in between, whoever reads the log next does that.
"""

from webapp.accounts.member import Member
from webapp.core.errors import Forbidden
from webapp.core.settings import bans_and_countries
from webapp.core.settings.live import LiveSettings
from webapp.core.settings.store import refresh
from webapp.core.store import Db
from webapp.moderation import log
from webapp.moderation.acts import ADMIN
from webapp.site_settings import Ban

from .labels import ADDED, REMOVED


def save(db: Db, live: LiveSettings, by: Member, ban: Ban, expected: str) -> None:
    """Add a ban, or replace that of the same value. Four trips, and one for an entry of the log.

    `expected`: the version that was shown. Raises Forbidden for all but admins, Conflict if another
    change came first or there are too many.
    """
    _change(db, live, by, ban, True, expected)


def remove(db: Db, live: LiveSettings, by: Member, ban: Ban, expected: str) -> None:
    """Remove a ban. Trips and errors as `save`."""
    _change(db, live, by, ban, False, expected)


def log_changes(db: Db) -> None:
    """Write the changes of bans into the log that it does not have yet. Safe to repeat.

    One trip, and with changes another and one for each.
    """
    changes = bans_and_countries.unlogged(db)
    for version, entry in changes.items():
        log.write(db, f"ban.{version}", int(version) // 1000, entry)
    if changes:
        bans_and_countries.mark_logged(db, list(changes))


def entry_of(ban: Ban, kind: str, by_login: str) -> dict[str, object]:
    """Return the entry of the log for a change. `kind`: ADDED or REMOVED. `by_login`: who did."""
    return {
        "kind": kind,
        "about": f"{ban.kind}.{ban.action}",
        "login": "",
        "by_login": by_login,
        "why": "\n".join(filter(None, (ban.value, ban.note))),
        "post": 0,
    }


def _change(db: Db, live: LiveSettings, by: Member, ban: Ban, is_kept: bool, expected: str) -> None:
    if ADMIN not in by.rights:
        raise Forbidden("only_admins_change")
    entry = entry_of(ban, ADDED if is_kept else REMOVED, by.login)
    try:
        bans_and_countries.change_ban(db, ban, is_kept, entry, expected)
    finally:
        refresh(db, live)
    log_changes(db)
