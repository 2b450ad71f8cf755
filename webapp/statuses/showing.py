"""Statuses as HTML: what is the same for all readers is a piece that is kept (pieces.py). So is what is counted of a
status with the buttons below it, another piece for each number and each look. What is one reader's own, such as what
the form holds that deletes, is put in between, made for each page; so is what a status quotes, of which it is looked up
each time whether this reader may see it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from functools import lru_cache, partial

from flask import current_app, g, request
from markupsafe import Markup

from .. import preferences
from ..app import config
from ..ids import first_id_at
from ..pages import OLDER, THIS_YEAR, TODAY
from ..pieces import kept
from .acts import NOBODYS, Acts, Card
from .boosts import Boost, Item, status_of
from .editing import editable_since
from .filters import Sieve
from .poll_showing import poll_parts
from .sieving import sieve
from .status import Status

TEMPLATE, CARD = "components/status.html", "components/card.html"
HIDDEN = Card(None)


def articles(items: Iterable[Item], acts: Acts = NOBODYS, link: bool = True, where: str = "") -> Markup:
    """Statuses and boosts one after the other, with what the reader did with them and is shown of what they quote.
    `link=False`: the large form of a status's own page. `where`: one of the places in which the reader's filters fold
    them up.
    """
    viewer = g.get("viewer")
    reader = viewer.uid if viewer else 0
    piece = partial(kept().made, preferences.language().code, TEMPLATE)
    editable, closing_own = editable_since(config()), ""
    days, parts, chosen = _since(datetime.now(UTC).date()), list[str](), sieve(where)
    for item in items:
        status = status_of(item)
        own, warned = reader == status.author.uid, chosen.warns(status) if chosen else ""
        if isinstance(item, Boost):
            parts.append(piece("boosted", item.by, item.id))
        if warned:
            parts.append(piece("folding", warned))
        parts.append(piece("opening", status, _form(status, days), own, link))
        if status.quote:
            parts.append(_card(acts.cards.get(status.id, HIDDEN), days, chosen))
            parts.append("</details>" if status.cw else "")
        if not link or status.place or status.edited:
            parts.append(piece("notes", status, link))
        if own and not closing_own:  # once a page: all of its forms are alike
            closing_own = _fields(link) + piece("closing_own")
        if own:
            parts += (piece("opening_own", status, status.id >= editable), closing_own)
        if status.poll:
            parts += poll_parts(status, status.poll, acts, reader, partial(_fields, link))
        parts.append(_counted(piece, status, acts, reader, link))
        parts.append("</article></details>\n" if warned else "</article>\n")
    return Markup("".join(parts))


def _card(card: Card, days: tuple[int, int], chosen: Sieve) -> Markup:
    """What the reader is shown of a quoted status: the same piece for all who are shown it, folded up where a filter
    finds it.
    """
    piece, status = kept(), card.status
    if status is None or card.muted:
        return piece(CARD, "muted" if status else "card", status)
    shown, words = piece(CARD, "card", status, _form(status, days)), chosen.warns(status) if chosen else ""
    return piece(TEMPLATE, "folding", words) + shown + Markup("</details>") if words else shown


def _counted(piece: Callable[..., Markup], status: Status, acts: Acts, reader: int, link: bool) -> Markup:
    """How many did something with it, and the reader's own buttons for that."""
    replies, quotes = status.replies, status.quotes
    likes, boosts = acts.likes(status.id, status.likes), acts.boosts(status.id, status.boosts)
    if reader:
        done = (status.id in acts.liked, status.id in acts.bookmarked, status.id in acts.boosted)
        below = piece("acts", status, replies, quotes, likes, boosts, *done, link, status.quotable_by(reader))
    else:
        below = piece("counts", replies, likes, boosts) if link and (replies or likes or boosts) else Markup()
    if link or not (likes or boosts or quotes):
        return below  # as it is: Markup looks anew through all that is put together
    return piece("acted", status, likes, boosts, quotes) + below


def _form(status: Status, days: tuple[int, int]) -> str:
    """How short the time of a status is said, by the smallest ids of this year and of today."""
    this_year, today = days
    return TODAY if status.id >= today else THIS_YEAR if status.id >= this_year else OLDER


def _fields(stay: bool) -> Markup:
    """What a form holds that deletes. `stay`: it comes back to this page, which outlives the status."""
    template = current_app.jinja_env.get_template(TEMPLATE)
    return Markup(template.module.fields(request.path if stay else ""))  # type: ignore[attr-defined]


@lru_cache(4)
def _since(day: date) -> tuple[int, int]:
    """The smallest ids of this day's year, and of the day."""
    return _first(date(day.year, 1, 1)), _first(day)


def _first(day: date) -> int:
    return first_id_at(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000))
