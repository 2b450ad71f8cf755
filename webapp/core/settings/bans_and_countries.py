"""Bans and tables of countries as the store holds them: read and change them."""

from __future__ import annotations

import secrets
import zlib
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import orjson

from webapp.core.logs import log
from webapp.core.store import Db, Read, constant, read, script, to_dict
from webapp.core.store.servers.exchange import RawReply
from webapp.site_settings import NO_TABLE, Ban, BanList, CountryParts, CountryTable

from . import keys

CHANGE_BANS = script("core/settings/lua/change_bans.lua")
BANS_MAX = 2_000
LOGGED_MAX = 100  # changes that are logged in one go
USE = script("core/settings/lua/use_countries.lua")
UNUSED_SECONDS = 3_600  # that a table is kept which no process uses yet
VERSIONS = (4, 6)
FIELDS = ("licence", "date", *(f"{one}{part}" for one in VERSIONS for part in ("", ":codes")))


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


def country_table(id: str) -> Read[CountryTable]:
    """Read a table. One that is gone has no ranges: another has taken its place meanwhile."""
    if not id:
        return constant(NO_TABLE)

    def parse(fields: Sequence[bytes | None]) -> CountryTable:
        licence, day, *arrays = (field or b"" for field in fields)
        unpacked = [zlib.decompress(array) if array else b"" for array in arrays]
        pairs = zip(unpacked[::2], unpacked[1::2], strict=True)
        return CountryTable(
            id, licence.decode(), day.decode(), dict(zip(VERSIONS, pairs, strict=True))
        )

    return read(RawReply(("HMGET", keys.country_table(id), *FIELDS)), parse)


def use_table(db: Db, parts: CountryParts, licence: str, day: date) -> bool:
    """Store a table, then let every process use it. Two trips.

    Return False if the store was too slow, so that the table has expired.
    """
    id = secrets.token_hex(8)
    arrays = [zlib.compress(array) for version in VERSIONS for array in parts[version]]
    values = (licence, day.isoformat(), *arrays)
    pairs = (part for pair in zip(FIELDS, values, strict=True) for part in pair)
    key = keys.country_table(id)
    db.trip(("HSET", key, *pairs), ("EXPIRE", key, UNUSED_SECONDS))
    return bool(db.run(USE(id=id)))


def use_no_table(db: Db) -> None:
    """Let every process use the table of the package again. One trip."""
    db.run(USE(id=""))
