"""Items that can trend, and the hours and days in which they are counted."""

import re
from collections.abc import Sequence

from webapp.core.store.ids import EPOCH_MS
from webapp.core.text.parser import Entity, tag_name, tag_names
from webapp.statuses.values.card import first_link, normalise

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
HOURS_PER_DAY = 24
POST_ITEMS_MAX = 10  # items that one post counts for
URL_MAX = 500  # characters; a longer address does not trend
URL_PATTERN = re.compile(r"https?://\S+", re.IGNORECASE)


def items_of(entities: Sequence[Entity]) -> tuple[str, ...]:
    """Return the items of a text: its hashtags, folded, and its first link."""
    tags = [f"#{name}" for name in tag_names(entities)]
    url = first_link(entities)
    return tuple(([url] if 0 < len(url) <= URL_MAX else []) + tags)[:POST_ITEMS_MAX]


def parse_item(text: str) -> str | None:
    """Return the item that a form or an operator names; None if it cannot be one."""
    text = text.strip()
    if text.startswith("#"):
        name = tag_name(text[1:])
        return f"#{name}" if name else None
    url = normalise(text) if URL_PATTERN.fullmatch(text) else ""
    return url if 0 < len(url) <= URL_MAX else None


def is_tag(item: str) -> bool:
    """Return True for a hashtag, False for a link."""
    return item.startswith("#")


def hour_of(use_id: int) -> int:
    """Return the unix hour of a post or boost."""
    return ms_of(use_id) // HOUR_MS


def day_of(use_id: int) -> int:
    """Return the unix day of a post or boost, in UTC."""
    return ms_of(use_id) // DAY_MS


def ms_of(use_id: int) -> int:
    """Return when something was posted or boosted, in unix ms."""
    return (use_id >> 12) + EPOCH_MS
