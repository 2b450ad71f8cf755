"""Read, change and watch the settings that the store holds."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from webapp.core.errors import Unavailable
from webapp.core.logs import log
from webapp.core.store import Db, Read, read, script, to_dict
from webapp.core.store.pubsub import Subscription

from . import keys
from .bans_and_countries import country_table
from .live import LiveSettings

CHANGE = script("core/settings/lua/change.lua")
READ_CHANGED = script("core/settings/lua/read_changed.lua")
CHANNEL = "settings"  # messages: the version
HISTORY_MAX = 1_000
SHOWN_MAX = 50  # changes on a page
WAIT_SECONDS = 0.9  # for a message, before the store is asked


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A change of one setting. A value is None where the environment's applied."""

    id: str  # of the entry in the history
    name: str
    before: str | None
    after: str | None
    by: str  # username, "" for the command line
    reason: str
    at: datetime


def refresh(db: Db, live: LiveSettings) -> None:
    """Learn what was changed since the last time. One trip, two with a new table of countries.

    Raises Unavailable.
    """
    reply = db.run(READ_CHANGED(known=live.version))
    if reply:
        version, stored, bans, table_id = reply
        table = live.newest.country_table
        if table.id != table_id:
            table = db.read(country_table(table_id))
        live.apply(version, to_dict(stored), to_dict(bans), table)


def change(
    db: Db,
    live: LiveSettings,
    values: Mapping[str, str | None],
    by: str = "",
    reason: str = "",
    expected: str = "",
) -> None:
    """Change settings, or set them back to the environment's (None), and use them. Two trips.

    `expected`: the version that was shown, "" to change any. Raises Conflict if one of the settings
    was changed after it; those in use are then the others'.
    """
    pairs = [
        text
        for name, value in values.items()
        for text in (name, "" if value is None else f"={value}")
    ]
    command = CHANGE(
        expected=expected, by=by, reason=reason, history_max=HISTORY_MAX, changes=pairs
    )
    try:
        db.run(command)
    finally:
        refresh(db, live)


def history() -> Read[list[SettingChange]]:
    """Read the last changes, the newest first."""
    command = ("XREVRANGE", keys.settings_history(), "+", "-", "COUNT", SHOWN_MAX)
    return read(command, lambda reply: [_parse(*entry) for entry in reply])


def one_change(id: str) -> Read[SettingChange | None]:
    """Read one change of the history, None if it is gone."""
    command = ("XRANGE", keys.settings_history(), id, id)
    return read(command, lambda reply: _parse(*reply[0]) if reply else None)


def _parse(id: str, flat: Sequence[Any]) -> SettingChange:
    fields = to_dict(flat)
    return SettingChange(
        id,
        fields["name"],
        _value(fields["before"]),
        _value(fields["after"]),
        fields["by"],
        fields["reason"],
        datetime.fromtimestamp(int(id.partition("-")[0]) / 1000, UTC),
    )


def _value(text: str) -> str | None:
    """Return a value of the history: it begins with `=`, unless it is the environment's."""
    return text[1:] if text else None


def watch(db: Db, live: LiveSettings) -> None:
    """Watch the settings in a thread: at once by messages, within a second without them.

    It lives as long as the process. While the store is down, the last known values stay.
    """
    subscription = Subscription(db, CHANNEL)
    thread = threading.Thread(
        target=_watch, args=(db, live, subscription), name="settings", daemon=True
    )
    thread.start()


def _watch(db: Db, live: LiveSettings, subscription: Subscription) -> None:
    while True:
        try:
            subscription.wait(WAIT_SECONDS)
            refresh(db, live)
        except Unavailable:
            time.sleep(WAIT_SECONDS)
        except Exception:  # the thread must go on: without it, changes would not be seen
            log.warning("changed settings were not read", exc_info=True)
            subscription.close()
            time.sleep(WAIT_SECONDS)
