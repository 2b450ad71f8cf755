"""Statuses as HTML: what is the same for all readers is a piece that is kept (pieces.py). So is what is counted of a
status with the buttons below it, another piece for each number and each look. What is one reader's own, such as what
the form holds that deletes, is put in between, made for each page.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache, partial

from flask import current_app, g, request
from markupsafe import Markup

from .. import preferences
from ..app import config
from ..ids import first_id_at
from ..pages import OLDER, THIS_YEAR, TODAY
from ..pieces import kept
from .acts import NOBODYS, Acts
from .boosts import Boost, Item, status_of
from .editing import editable_since
from .poll_showing import poll_parts
from .sieving import sieve

TEMPLATE = "components/status.html"


def articles(items: Iterable[Item], acts: Acts = NOBODYS, link: bool = True, where: str = "") -> Markup:
    """Statuses and boosts one after the other, with what the reader did with them. `link=False`: the large form of a
    status's own page. `where`: one of the places in which the reader's filters fold them up.
    """
    viewer = g.get("viewer")
    reader = viewer.uid if viewer else 0
    piece = partial(kept().made, preferences.language().code, TEMPLATE)
    editable, closing_own = editable_since(config()), ""
    this_year, today = _since(datetime.now(UTC).date())
    parts: list[str] = []
    chosen = sieve(where)
    for item in items:
        status = status_of(item)
        own, warned = reader == status.author.uid, chosen.warns(status) if chosen else ""
        if isinstance(item, Boost):
            parts.append(piece("boosted", item.by, item.id))
        if warned:
            parts.append(piece("folding", warned))
        form = TODAY if status.id >= today else THIS_YEAR if status.id >= this_year else OLDER
        parts.append(piece("opening", status, form, own, own and status.id >= editable, link))
        if own and not closing_own:  # once a page: all of its forms are alike
            closing_own = _fields(link) + piece("closing_own")
        if own:
            parts.append(closing_own)
        if status.poll:
            parts += poll_parts(status, status.poll, acts, reader, partial(_fields, link))
        likes, boosts = acts.likes(status.id, status.likes), acts.boosts(status.id, status.boosts)
        if not link and (likes or boosts):
            parts.append(piece("acted", status, likes, boosts))
        if reader:
            done = (status.id in acts.liked, status.id in acts.bookmarked, status.id in acts.boosted)
            parts.append(piece("acts", status, status.replies, likes, boosts, *done, link))
        elif link and (status.replies or likes or boosts):
            parts.append(piece("counts", status.replies, likes, boosts))
        parts.append("</article></details>\n" if warned else "</article>\n")
    return Markup("".join(parts))


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
