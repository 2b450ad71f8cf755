"""How briefly a list writes when something was posted."""

from datetime import UTC, date, datetime
from functools import lru_cache

from webapp.core.i18n.formatting import OLDER_STYLE, THIS_YEAR_STYLE, TODAY_STYLE
from webapp.core.store import first_id_at


def time_style(item_id: int, boundaries: tuple[int, int]) -> str:
    """Return the style of an id's time: today it shows the hour, else the day, or its year too.

    `boundaries`: see `day_boundaries`.
    """
    this_year, today = boundaries
    if item_id >= today:
        return TODAY_STYLE
    return THIS_YEAR_STYLE if item_id >= this_year else OLDER_STYLE


@lru_cache(4)
def day_boundaries(day: date) -> tuple[int, int]:
    """Return the smallest ids of a day's year, and of the day (UTC)."""
    return _first_id_of(date(day.year, 1, 1)), _first_id_of(day)


def _first_id_of(day: date) -> int:
    return first_id_at(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000))
