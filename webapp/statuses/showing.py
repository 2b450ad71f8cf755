"""Statuses as HTML: what is the same for all readers is a piece that is kept (pieces.py). So is what is counted of a
status with the buttons below it, another piece for each number and each look. What is one reader's own, such as what
the form holds that deletes, is put in between, made for each page; so is what a status quotes, of which it is looked up
each time whether this reader may see it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from functools import cache, lru_cache, partial
from typing import NamedTuple

from flask import current_app, g, request
from markupsafe import Markup

from .. import preferences
from ..app import config
from ..ids import first_id_at
from ..pages import OLDER, THIS_YEAR, TODAY
from ..pieces import kept
from .acts import NOBODYS, Acts, Card
from .boosts import Boost, Item
from .editing import editable_since
from .filters import Sieve
from .poll_showing import poll_parts
from .sieving import sieve
from .status import Status

TEMPLATE, CARD = "components/status.html", "components/card.html"
Look = tuple[int, int, int, int, bool, bool, bool]  # replies, quotes, likes, boosts; liked, bookmarked, boosted


class Page(NamedTuple):
    """What all statuses of a page are shown with. `piece`: of TEMPLATE, in its language; `fields`: what a form of the
    reader's own holds, made once a page.
    """

    piece: Callable[..., Markup]
    fields: Callable[[], Markup]
    acts: Acts
    reader: int
    link: bool
    days: tuple[int, int]
    chosen: Sieve


def articles(items: Iterable[Item], acts: Acts = NOBODYS, link: bool = True, where: str = "") -> Markup:
    """Statuses and boosts one after the other, with what the reader did with them and is shown of what they quote.
    `link=False`: the large form of a status's own page. `where`: one of the places in which the reader's filters fold
    them up.
    """
    return Markup(b"".join(article_parts(items, acts, link, where)).decode())


def article_parts(items: Iterable[Item], acts: Acts = NOBODYS, link: bool = True, where: str = "") -> list[bytes]:
    """The same in parts, as they are sent."""
    viewer, language, pieces = g.get("viewer"), preferences.language().code, kept()
    reader, days, chosen = viewer.uid if viewer else 0, _since(datetime.now(UTC).date()), sieve(where)
    tools = partial(pieces.made, language, TEMPLATE), cache(partial(_fields, link))
    page, parts = Page(*tools, acts, reader, link, days, chosen), list[bytes]()
    member, touched, filtered = reader > 0, acts.touched(), bool(chosen)
    for item in items:
        status = item if isinstance(item, Status) else item.status
        warned = chosen.warns(status) if filtered else ""
        if isinstance(item, Boost):
            parts.append(page.piece("boosted", item.by, item.id).encode())
        if warned:
            parts.append(page.piece("folding", warned).encode())
        form, look = _form(status, days), _look(status, acts, touched)
        if reader == status.author.uid or status.quote or status.poll:
            parts.append("".join(_parts(page, status, form, look)).encode())
        else:  # nothing of one reader is in it
            key = (language, status, form, link, member, *look)
            parts.append(pieces.whole(key, _parts, page, status, form, look))
        if warned:
            parts.append(b"</details>\n")
    return parts


def _parts(page: Page, status: Status, form: str, look: Look) -> Iterator[str]:
    """A status. But for its author, and where it quotes or asks a poll, it is made of the status, its form and look,
    whether it is linked, and whether a member reads it.
    """
    piece, acts, own, link = page.piece, page.acts, page.reader == status.author.uid, page.link
    yield piece("opening", status, form, own, link)
    if status.quote:
        card = acts.cards.get(status.id)
        yield _card(card, page.days, page.chosen) if card else kept()(CARD, "unread", status)
        yield "</details>" if status.cw else ""
    if not link or status.place or status.edited:
        yield piece("notes", status, link)
    if own:
        yield piece("opening_own", status, status.id >= editable_since(config()))
        yield page.fields()
        yield piece("closing_own")
    if status.poll:
        yield from poll_parts(status, status.poll, acts, page.reader, page.fields)
    yield from _counted(page, status, look)
    yield "</article>\n"


def _card(card: Card, days: tuple[int, int], chosen: Sieve) -> Markup:
    """What the reader is shown of a quoted status: the same piece for all who are shown it, folded up where a filter
    finds it.
    """
    piece, status = kept(), card.status
    if status is None or card.muted:
        return piece(CARD, "muted" if status else "card", status)
    shown, words = piece(CARD, "card", status, _form(status, days)), chosen.warns(status) if chosen else ""
    return piece(TEMPLATE, "folding", words) + shown + Markup("</details>") if words else shown


def _counted(page: Page, status: Status, look: Look) -> Iterator[Markup]:
    """How many did something with it, and the reader's own buttons for that."""
    replies, quotes, likes, boosts, *_ = look
    if not page.link and (page.reader or likes or boosts or quotes):  # a first like shows the way at once (acts.js)
        yield page.piece("acted", status, likes, boosts, quotes)
    if page.reader:
        yield page.piece("acts", status, *look, page.link, status.quotable_by(page.reader))
    elif page.link and (replies or likes or boosts):
        yield page.piece("counts", replies, likes, boosts)


def _look(status: Status, acts: Acts, touched: frozenset[int]) -> Look:
    """What is counted of a status, and what the reader did with it: nothing unless it is `touched`."""
    number = status.id
    if number not in touched:
        return status.replies, status.quotes, status.likes, status.boosts, False, False, False
    counts = (status.replies, status.quotes, acts.likes(number, status.likes), acts.boosts(number, status.boosts))
    return *counts, number in acts.liked, number in acts.bookmarked, number in acts.boosted


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
