"""A link card, as its status stores it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from urllib.parse import urlsplit, urlunsplit

import orjson

from webapp.core.media.storage import LINK_PICTURE_DAYS, link_picture_day
from webapp.core.net.safe_http import parse_url
from webapp.core.text.parser import Entity, href


@dataclass(frozen=True, slots=True)
class LinkCard:
    """The card of the page at `url`. `picture`: the name of our thumbnail, "" for none."""

    url: str
    title: str
    description: str = ""
    picture: str = ""

    @property
    def host(self) -> str:
        """Return the host that the link leads to, without `www.`."""
        return (urlsplit(self.url).hostname or "").removeprefix("www.")

    def without_expired_picture(self, first_day: int) -> LinkCard:
        """Return the card, without its picture if that is from before a day (yyyymmdd)."""
        has_expired = self.picture and link_picture_day(self.picture) < first_day
        return replace(self, picture="") if has_expired else self


def pack_card(card: LinkCard | None) -> str:
    """Return a card as stored: JSON; "" for none."""
    if card is None:
        return ""
    return orjson.dumps((card.url, card.title, card.description, card.picture)).decode()


def unpack_card(stored: str | None) -> LinkCard | None:
    """Parse a stored card."""
    return LinkCard(*orjson.loads(stored)) if stored else None


def first_link(entities: Sequence[Entity]) -> str:
    """Return the first link of a text that a request can go to, normalised; "" for none."""
    for entity in entities:
        if entity.kind == "url" and (url := normalise(entity.text)):
            return url
    return ""


def normalise(written: str) -> str:
    """Return the address of a link, without a fragment; "" if no request can go there."""
    parts = parse_url(href(written))
    if parts is None:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path or "/", parts.query, ""))


def first_picture_day(today: date, days: int = LINK_PICTURE_DAYS) -> int:
    """Return the oldest day whose pictures are kept: yyyymmdd."""
    return int(f"{today - timedelta(days=days):%Y%m%d}")
