"""The operators of queries and their meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import regex

from webapp.core.store import first_id_at
from webapp.core.store.ids import MAX_ID
from webapp.core.text.parser import TAG_MAX

from .plan import Clause, fact, link_address

HOST = regex.compile(r"(?:https?://)?(?:www\.)?([^\s/?#:{}]+)", regex.IGNORECASE)


class BadValue(ValueError):
    """An operator's value that it cannot use."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The ids and numbers that operators allow: see `Plan`."""

    oldest: int = 0
    newest: int = MAX_ID
    minimums: tuple[tuple[str, int], ...] = ()


Operator = Callable[[str, Bounds], Clause | Bounds]


def _login(name: str) -> Operator:
    def clause(value: str, _: Bounds) -> Clause:
        login = value.removeprefix("@").lower()
        if not regex.fullmatch(r"\w+", login):
            raise BadValue(value)
        return fact(f"{name}={login}")

    return clause


def choice(name: str, *choices: str) -> Operator:
    """Return the operator of this name that takes one of these values."""

    def clause(value: str, _: Bounds) -> Clause:
        chosen = CHOICE_NAMES.get(value.lower(), value.lower())
        if chosen not in choices:
            raise BadValue(value)
        return fact(f"{name}={chosen}")

    return clause


def _language(value: str, _: Bounds) -> Clause:
    code = value.lower().partition("-")[0]
    if not regex.fullmatch(r"[a-z]{2,3}", code):
        raise BadValue(value)
    return fact(f"lang={code}")


def _url(value: str, _: Bounds) -> Clause:
    match = HOST.match(value)
    if not match or len(match[1]) > TAG_MAX or not link_address(value):
        raise BadValue(value)
    return fact(f"url={link_address(value)}")


def _since(value: str, bounds: Bounds) -> Bounds:
    return replace(bounds, oldest=max(bounds.oldest, first_id_at(_day_ms(value))))


def _until(value: str, bounds: Bounds) -> Bounds:
    return replace(bounds, newest=min(bounds.newest, max(first_id_at(_day_ms(value)) - 1, 0)))


def _minimum(name: str) -> Operator:
    def bounds_with(value: str, bounds: Bounds) -> Bounds:
        if not regex.fullmatch(r"[0-9]{1,9}", value):
            raise BadValue(value)
        return replace(bounds, minimums=(*bounds.minimums, (name, int(value))))

    return bounds_with


def _day_ms(value: str) -> int:
    """Return the beginning of a day in UTC, in unix ms. Raises BadValue."""
    try:
        day = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise BadValue(value) from None
    return int(day.timestamp() * 1000)


CHOICE_NAMES: Final = {
    **{"image": "media", "images": "media", "picture": "media", "pictures": "media"},
    **{"links": "link", "polls": "poll", "replies": "reply", "quotes": "quote"},
}
OPERATORS: Final[dict[str, Operator]] = {
    "from": _login("from"),
    "to": _login("to"),
    "mentions": _login("mentions"),
    "has": choice("has", "media", "link", "poll"),
    "is": choice("is", "reply", "quote"),
    "lang": _language,
    "url": _url,
    "since": _since,
    "until": _until,
    "min_likes": _minimum("likes"),
    "min_boosts": _minimum("boosts"),
}
