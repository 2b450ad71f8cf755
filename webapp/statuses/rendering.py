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

from webapp.core.i18n import preferences
from webapp.core.i18n.formatting import OLDER_STYLE, THIS_YEAR_STYLE, TODAY_STYLE
from webapp.core.rendering.fragments import fragments
from webapp.core.store.ids import first_id_at
from webapp.core.web.context import config

from .edits.editing import min_editable_id
from .filters.apply import filters_for
from .filters.store import FilterSet
from .interactions.boosts import Boost, Item
from .interactions.viewer_state import EMPTY_STATE, QuoteCard, ViewerState
from .polls.rendering import render_poll
from .status import Status

TEMPLATE, CARD_TEMPLATE = "statuses/status.html", "statuses/card.html"
CountsAndFlags = tuple[
    int, int, int, int, bool, bool, bool
]  # replies, quotes, likes, boosts; liked, bookmarked, boosted


class RenderContext(NamedTuple):
    """What all statuses of a page are shown with. `fragment`: of TEMPLATE, in its language; `form_fields`: what a form of the
    reader's own holds, made once a page.
    """

    fragment: Callable[..., Markup]
    form_fields: Callable[[], Markup]
    viewer_state: ViewerState
    viewer_uid: int
    link: bool
    day_boundaries: tuple[int, int]
    filter_set: FilterSet


def render_statuses(
    items: Iterable[Item],
    state: ViewerState = EMPTY_STATE,
    link: bool = True,
    filter_context: str = "",
) -> Markup:
    """Statuses and boosts one after the other, with what the reader did with them and is shown of what they quote.
    `link=False`: the large form of a status's own page. `filter_context`: one of the places in which the reader's filters fold
    them up.
    """
    return Markup(b"".join(render_chunks(items, state, link, filter_context)).decode())


def render_chunks(
    items: Iterable[Item],
    state: ViewerState = EMPTY_STATE,
    link: bool = True,
    filter_context: str = "",
) -> list[bytes]:
    """The same in parts, as they are sent."""
    viewer, language, fragment_cache = g.get("viewer"), preferences.language().code, fragments()
    viewer_uid, day_boundaries, filter_set = (
        viewer.uid if viewer else 0,
        _day_boundaries(datetime.now(UTC).date()),
        filters_for(filter_context),
    )
    renderers = (
        partial(fragment_cache.get_or_render, language, TEMPLATE),
        cache(partial(_form_fields, link)),
    )
    context, chunks = (
        RenderContext(*renderers, state, viewer_uid, link, day_boundaries, filter_set),
        list[bytes](),
    )
    is_member, interacted, has_filters = viewer_uid > 0, state.interacted_ids(), bool(filter_set)
    for item in items:
        status = item if isinstance(item, Status) else item.status
        warning = filter_set.warning_for(status) if has_filters else ""
        if isinstance(item, Boost):
            chunks.append(context.fragment("boosted_by", item.booster, item.id).encode())
        if warning:
            chunks.append(context.fragment("filtered_wrapper", warning).encode())
        time_style, counts = (
            _time_style(status, day_boundaries),
            _counts_and_flags(status, state, interacted),
        )
        if viewer_uid == status.author.uid or status.quote or status.poll:
            chunks.append("".join(_status_fragments(context, status, time_style, counts)).encode())
        else:  # nothing of one reader is in it
            key = (language, status, time_style, link, is_member, *counts)
            chunks.append(
                fragment_cache.get_or_render_joined(
                    key, _status_fragments, context, status, time_style, counts
                )
            )
        if warning:
            chunks.append(b"</details>\n")
    return chunks


def _status_fragments(
    context: RenderContext, status: Status, time_style: str, counts: CountsAndFlags
) -> Iterator[str]:
    """A status. But for its author, and where it quotes or asks a poll, it is made of the status, its form and look,
    whether it is linked, and whether a member reads it.
    """
    fragment, state, is_own, link = (
        context.fragment,
        context.viewer_state,
        context.viewer_uid == status.author.uid,
        context.link,
    )
    yield fragment("status_header", status, time_style, is_own, link)
    if status.quote:
        card = state.quote_cards.get(status.id)
        yield (
            _render_quote_card(card, context.day_boundaries, context.filter_set)
            if card
            else fragments()(CARD_TEMPLATE, "unloaded_card", status)
        )
        yield "</details>" if status.cw else ""
    if not link or status.place or status.edited:
        yield fragment("status_details", status, link)
    if is_own:
        yield fragment("owner_menu_start", status, status.id >= min_editable_id(config()))
        yield context.form_fields()
        yield fragment("owner_menu_end")
    if status.poll:
        yield from render_poll(status, status.poll, state, context.viewer_uid, context.form_fields)
    yield from _counts_and_buttons(context, status, counts)
    yield "</article>\n"


def _render_quote_card(
    card: QuoteCard, day_boundaries: tuple[int, int], filter_set: FilterSet
) -> Markup:
    """What the reader is shown of a quoted status: the same piece for all who are shown it, folded up where a filter
    finds it.
    """
    fragment, status = fragments(), card.status
    if status is None or card.muted:
        return fragment(CARD_TEMPLATE, "muted_card" if status else "status_card", status)
    html, warning = (
        fragment(CARD_TEMPLATE, "status_card", status, _time_style(status, day_boundaries)),
        filter_set.warning_for(status) if filter_set else "",
    )
    return (
        fragment(TEMPLATE, "filtered_wrapper", warning) + html + Markup("</details>")
        if warning
        else html
    )


def _counts_and_buttons(
    context: RenderContext, status: Status, counts: CountsAndFlags
) -> Iterator[Markup]:
    """How many did something with it, and the reader's own buttons for that."""
    replies, quotes, likes, boosts, *_ = counts
    if not context.link and (
        context.viewer_uid or likes or boosts or quotes
    ):  # a first like shows the way at once (acts.js)
        yield context.fragment("interaction_links", status, likes, boosts, quotes)
    if context.viewer_uid:
        yield context.fragment(
            "action_buttons", status, *counts, context.link, status.quotable_by(context.viewer_uid)
        )
    elif context.link and (replies or likes or boosts):
        yield context.fragment("interaction_counts", replies, likes, boosts)


def _counts_and_flags(
    status: Status, state: ViewerState, interacted: frozenset[int]
) -> CountsAndFlags:
    """What is counted of a status, and what the reader did with it: nothing unless it is `touched`."""
    number = status.id
    if number not in interacted:
        return status.replies, status.quotes, status.likes, status.boosts, False, False, False
    counts = (
        status.replies,
        status.quotes,
        state.like_count(number, status.likes),
        state.boost_count(number, status.boosts),
    )
    return *counts, number in state.liked, number in state.bookmarked, number in state.boosted


def _time_style(status: Status, day_boundaries: tuple[int, int]) -> str:
    """How short the time of a status is said, by the smallest ids of this year and of today."""
    this_year, today = day_boundaries
    return (
        TODAY_STYLE
        if status.id >= today
        else THIS_YEAR_STYLE
        if status.id >= this_year
        else OLDER_STYLE
    )


def _form_fields(return_here: bool) -> Markup:
    """What a form holds that deletes. `return_here`: it comes back to this page, which outlives the status."""
    template = current_app.jinja_env.get_template(TEMPLATE)
    return Markup(template.module.hidden_fields(request.path if return_here else ""))  # type: ignore[attr-defined]


@lru_cache(4)
def _day_boundaries(day: date) -> tuple[int, int]:
    """The smallest ids of this day's year, and of the day."""
    return _first_id_of(date(day.year, 1, 1)), _first_id_of(day)


def _first_id_of(day: date) -> int:
    return first_id_at(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000))
