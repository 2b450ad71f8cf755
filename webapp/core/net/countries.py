"""Find the country of an address, in a table that the process holds. No trip.

The operator's table comes first (`linnet load-countries`); without one, that of a package.
"""

from bisect import bisect_right
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from importlib.metadata import files

import orjson
from flask_babel import lazy_gettext as _l
from iptocc import country_code

from webapp.site_settings import CountryTable, SiteSettings

from .addresses import is_public
from .ip import parse_address

PACKAGE_LICENCE = _l("iptocc (MIT or Apache-2.0), of what the regional internet registries publish")
CODE_LETTERS = 2


def country_of(settings: SiteSettings, address: str) -> str:
    """Return the country of an address in two letters; "" if it is not known, or COUNTRIES off."""
    return _find(settings.country_table, address) if settings.countries else ""


def source(settings: SiteSettings) -> CountryTable:
    """Return the facts about the table in use."""
    own = settings.country_table
    return own if own.id else CountryTable(licence=PACKAGE_LICENCE, date=_package_date())


def age_days(table: CountryTable) -> int | None:
    """Return how old a table is; None if that is not known."""
    return (datetime.now(UTC).date() - date.fromisoformat(table.date)).days if table.date else None


@lru_cache(4_096)
def _find(table: CountryTable, address: str) -> str:
    parsed = parse_address(address)
    if parsed is None or not is_public(str(parsed)):
        return ""
    if not table.id:
        return country_code(str(parsed)) or ""
    starts, codes = table.parts[parsed.version]
    width = len(parsed.packed)
    place = bisect_right(
        range(len(starts) // width),
        parsed.packed,
        key=lambda index: starts[index * width : (index + 1) * width],
    )
    return codes[(place - 1) * CODE_LETTERS : place * CODE_LETTERS].decode().strip()


@cache
def _package_date() -> str:
    """Return the day on which the package was built, as its bill of materials says; else ""."""
    boms = [path for path in files("iptocc") or () if path.name.endswith(".cyclonedx.json")]
    return str(orjson.loads(boms[0].read_text())["metadata"]["timestamp"])[:10] if boms else ""
