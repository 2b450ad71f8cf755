"""Bans as the store holds them: change one, and parse all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.core.store.reads import to_dict
from webapp.core.store.scripts import script
from webapp.site_settings import Ban, BanList

from . import keys

CHANGE_BANS = script("core/settings/lua/change_bans.lua")
BANS_MAX = 2_000
LOGGED_MAX = 100  # changes that are logged in one go


def parse_bans(stored: Mapping[str, str]) -> BanList:
    """Parse the bans of the store, the newest first. One that cannot be used is left out."""
    bans = []
    for name, entry in stored.items():
        kind, _, value = name.partition(":")
        try:
            bans.append(Ban(kind, value, **orjson.loads(entry)))
        except (orjson.JSONDecodeError, TypeError) as error:
            log.warning("the stored ban %s is not used: %s", name, error)
    return BanList(tuple(sorted(bans, key=lambda ban: ban.at, reverse=True)))


def change_ban(db: Db, ban: Ban, is_kept: bool, entry: Mapping[str, Any], expected: str) -> None:
    """Add or replace a ban, or remove it unless `is_kept`. One trip.

    `entry`: of the log of moderation. `expected`: the version that was shown. Raises Conflict if
    another change came first, or BANS_MAX are stored.
    """
    fields = ("action", "note", "until", "by", "at")
    content = orjson.dumps({name: getattr(ban, name) for name in fields}) if is_kept else b""
    command = CHANGE_BANS(
        expected=expected, name=ban.name, ban=content, entry=orjson.dumps(entry), limit=BANS_MAX
    )
    db.run(command)


def unlogged(db: Db) -> dict[str, dict[str, Any]]:
    """Return changes of bans that the log of moderation does not have yet. One trip."""
    _cursor, flat = db.run(("HSCAN", keys.unlogged_bans(), 0, "COUNT", LOGGED_MAX))
    return {version: orjson.loads(entry) for version, entry in to_dict(flat).items()}


def mark_logged(db: Db, versions: list[str]) -> None:
    """Note that the log has changes of bans. One trip."""
    db.run(("HDEL", keys.unlogged_bans(), *versions))
