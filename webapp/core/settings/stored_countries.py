"""Tables of countries as the store holds them. Processes read the one in use with the settings."""

from __future__ import annotations

import secrets
import zlib
from collections.abc import Sequence
from datetime import date

from webapp.core.store.client import Db
from webapp.core.store.reads import Read, constant, read
from webapp.core.store.scripts import script
from webapp.core.store.servers.exchange import RawReply
from webapp.site_settings import NO_TABLE, CountryParts, CountryTable

from . import keys

USE = script("core/settings/lua/use_countries.lua")
UNUSED_SECONDS = 3_600  # that a table is kept which no process uses yet
VERSIONS = (4, 6)
FIELDS = ("licence", "date", *(f"{one}{part}" for one in VERSIONS for part in ("", ":codes")))


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
