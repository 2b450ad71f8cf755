"""Statuses as HTML.

What is the same for all viewers is a cached fragment, and so are counts and buttons, one for each
number and look. What is one viewer's own, such as the fields of a form, is made for each page. So
are quote cards, as each viewer may see other ones.
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
from .interactions.rendering import CountsAndFlags, counts_and_flags, render_counts_and_buttons
from .interactions.viewer_state import EMPTY_STATE, ViewerState
from .items import Boost, Item, status_of
from .polls.rendering import render_poll
from .quotes.rendering import render_card, render_unloaded_card
from .status import Status

TEMPLATE = "statuses/status.html"


class RenderContext(NamedTuple):
    """What all statuses of a page are rendered with."""

    language: str
    fragment: Callable[..., Markup]  # of TEMPLATE, in the viewer's language
    form_fields: Callable[[], Markup]  # of the viewer's forms, made once for each page
    viewer_state: ViewerState
    interacted: frozenset[int]
    viewer_uid: int  # 0: a visitor
    link: bool
    day_boundaries: tuple[int, int]
    filter_set: FilterSet


def render_statuses(
    items: Iterable[Item],
    state: ViewerState = EMPTY_STATE,
    link: bool = True,
    filter_context: str = "",
) -> Markup:
    """Return the HTML of items. `link=False`: the large form of a status's own page.

    `filter_context`: the context whose filters fold statuses up, "" for none.
    """
    return Markup(b"".join(render_chunks(items, state, link, filter_context)).decode())


def render_chunks(
    items: Iterable[Item],
    state: ViewerState = EMPTY_STATE,
    link: bool = True,
    filter_context: str = "",
) -> list[bytes]:
    """Return the same in chunks, as they are sent."""
    context = _render_context(state, link, filter_context)
    fragment, filter_set = context.fragment, context.filter_set
    has_filters, chunks = bool(filter_set), list[bytes]()
    for item in items:
        status = status_of(item)
        warning = filter_set.warning_for(status) if has_filters else ""
        if isinstance(item, Boost):
            chunks.append(fragment("boosted_by", item.booster, item.id).encode())
        if warning:
            chunks.append(fragment("filtered_wrapper", warning).encode())
        chunks.append(_render_status(context, status))
        if warning:
            chunks.append(b"</details>\n")
    return chunks


def _render_context(state: ViewerState, link: bool, filter_context: str) -> RenderContext:
    viewer, language = g.get("viewer"), preferences.language().code
    return RenderContext(
        language,
        partial(fragments().get_or_render, language, TEMPLATE),
        cache(partial(_form_fields, link)),
        state,
        state.interacted_ids(),
        viewer.uid if viewer else 0,
        link,
        _day_boundaries(datetime.now(UTC).date()),
        filters_for(filter_context),
    )


def _render_status(context: RenderContext, status: Status) -> bytes:
    """Return one status, as a whole from the cache if nothing in it is one viewer's own."""
    time_style = _time_style(status, context.day_boundaries)
    counts = counts_and_flags(status, context.viewer_state, context.interacted)
    if context.viewer_uid == status.author.uid or status.quote or status.poll:
        return "".join(_status_fragments(context, status, time_style, counts)).encode()
    is_member = context.viewer_uid > 0
    key = (context.language, status, time_style, context.link, is_member, *counts)
    return fragments().get_or_render_joined(
        key, _status_fragments, context, status, time_style, counts
    )


def _status_fragments(
    context: RenderContext, status: Status, time_style: str, counts: CountsAndFlags
) -> Iterator[str]:
    """Yield the parts of a status.

    Unless the viewer is its author, or it has a quote or a poll, they depend on nothing but the
    key that `_render_status` makes.
    """
    fragment, viewer_uid, link = context.fragment, context.viewer_uid, context.link
    is_own = viewer_uid == status.author.uid
    yield fragment("status_header", status, time_style, is_own, link)
    if status.quote:
        yield _render_quote(context, status)
        yield "</details>" if status.cw else ""
    if not link or status.place or status.edited:
        yield fragment("status_details", status, link)
    if is_own:
        yield fragment("owner_menu_start", status, status.id >= min_editable_id(config()))
        yield context.form_fields()
        yield fragment("owner_menu_end")
    if status.poll:
        state = context.viewer_state
        yield from render_poll(status, status.poll, state, viewer_uid, context.form_fields)
    yield from render_counts_and_buttons(fragment, status, counts, viewer_uid, link)
    yield "</article>\n"


def _render_quote(context: RenderContext, status: Status) -> Markup:
    card = context.viewer_state.quote_cards.get(status.id)
    if card is None:
        return render_unloaded_card(status)
    style = _time_style(card.status, context.day_boundaries) if card.status else ""
    return render_card(card, style, context.filter_set)


def _time_style(status: Status, day_boundaries: tuple[int, int]) -> str:
    """Return how briefly the time of a status is written: by its day, or its year."""
    this_year, today = day_boundaries
    if status.id >= today:
        return TODAY_STYLE
    return THIS_YEAR_STYLE if status.id >= this_year else OLDER_STYLE


def _form_fields(return_here: bool) -> Markup:
    """Return the hidden fields of a form that deletes.

    `return_here`: it leads back to this page, which outlives the status.
    """
    template = current_app.jinja_env.get_template(TEMPLATE)
    path = request.path if return_here else ""
    return Markup(template.module.hidden_fields(path))  # type: ignore[attr-defined]


@lru_cache(4)
def _day_boundaries(day: date) -> tuple[int, int]:
    """Return the smallest status ids of a day's year, and of the day."""
    return _first_id_of(date(day.year, 1, 1)), _first_id_of(day)


def _first_id_of(day: date) -> int:
    return first_id_at(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000))
