"""Statuses as HTML.

Parts that are equal for all viewers are cached fragments, and so are counts and buttons, one for
each number and look. A viewer's own parts, such as the fields of a form, are made for each page. So
are quote cards, as each viewer may see other ones.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache, partial

from flask import current_app, g
from flask_babel import get_domain
from markupsafe import Markup

from webapp.core.i18n import catalogs, preferences
from webapp.core.i18n.formatting import full_date, iso_time, styled_time
from webapp.core.media.signatures import PictureSigner, current_signer
from webapp.core.rendering.fragments import FragmentCache, fragments
from webapp.core.rendering.shells import fill_in, placeholder
from webapp.core.web import config
from webapp.core.web.redirects import return_path
from webapp.statuses.filters.filter_set import FilterSet

from .attachments.eager_pictures import with_eager_picture
from .filters.apply import filters_for
from .interactions.button_rendering import (
    CountsAndFlags,
    counts_and_flags,
    render_counts_and_buttons,
)
from .items import Boost, Item, status_of
from .listings.reply_runs import joint, reply_runs
from .polls.poll_rendering import render_poll
from .promoted.promoted_post import Promoted, promoted_line
from .quotes.quote_rendering import render_card, render_unloaded_card
from .status import Status
from .values.card import LinkCard, first_picture_day
from .values.time_styles import day_boundaries, time_style
from .viewer.viewer_state import EMPTY_STATE, ViewerState

TEMPLATE = "statuses/status.html"


def preview(status: Status) -> str:
    """Return the text of a status for titles and feeds: its warning, else its text or pictures."""
    catalog = get_domain().get_translations()
    return catalogs.preview(catalog, status.text, status.cw, len(status.pictures))


@dataclass(eq=False)
class RenderContext:
    """The context that all statuses of a page share while they are rendered."""

    language: str
    fragments: FragmentCache
    fragment: Callable[..., Markup]  # of TEMPLATE, in the viewer's language
    viewer_state: ViewerState
    interacted: frozenset[int]
    viewer_uid: int  # 0: a visitor
    link: bool
    day_boundaries: tuple[int, int]
    first_picture_day: int  # of link cards: yyyymmdd; 0: no cards are shown
    filter_set: FilterSet

    @cached_property
    def picture_signer(self) -> PictureSigner:
        """Return the signer of the viewer's picture addresses, made once for each page."""
        return current_signer()

    @cached_property
    def form_fields(self) -> Markup:
        """Return the hidden fields of the viewer's forms, made once for each page."""
        return _form_fields()


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
    state: ViewerState,
    link: bool = True,
    filter_context: str = "",
) -> list[bytes]:
    """Render items as `render_statuses` does, as a list of byte chunks ready to send."""
    context = _render_context(state, link, filter_context)
    if filter_context != "home":
        return with_eager_picture(_list_chunks(context, items))
    chunks: list[bytes] = []
    for conversation in reply_runs(items):
        chunks += _list_chunks(context, conversation)
        if len(conversation) > 1:
            first = status_of(conversation[0])
            chunks.append(context.fragment("show_thread", first.author.login, first.id).encode())
    return with_eager_picture(chunks)


def _list_chunks(context: RenderContext, items: Iterable[Item]) -> list[bytes]:
    """Render items in their order. Those that belong together are joined."""
    chunks: list[bytes] = []
    above: Status | None = None  # the status just above, if nothing is around it
    for item in items:
        status = status_of(item)
        warning = context.filter_set.warning_for(status) if context.filter_set else ""
        is_plain = status is item and not warning
        if is_plain and above:
            chunks.append(joint(above, status))
        above = status if is_plain else None
        rendered = _render_status(context, status)
        if isinstance(item, Boost):
            chunks.append(_boost_line(context, item))
            described = b'aria-describedby="boost-%d" aria-labelledby' % item.id
            rendered = rendered.replace(b"aria-labelledby", described, 1)
        chunks += _folded(context, warning, rendered)
    return chunks


def _boost_line(context: RenderContext, boost: Boost) -> bytes:
    """Return the line above a status: who boosted it and when, or who promotes it."""
    if isinstance(boost, Promoted):
        return promoted_line(context.fragments, context.language, boost)
    style = time_style(boost.id, context.day_boundaries)
    return context.fragment("boosted_by", boost.booster, boost.id, boost.created, style).encode()


def _folded(context: RenderContext, warning: str, status: bytes) -> tuple[bytes, ...]:
    """Return a status in the fold of the filter that matches it; as it is without `warning`."""
    if not warning:
        return (status,)
    return context.fragment("filtered_wrapper", warning).encode(), status, b"</details>\n"


def _render_context(state: ViewerState, link: bool, filter_context: str) -> RenderContext:
    viewer, language, cached = g.get("viewer"), preferences.language().code, fragments()
    today = datetime.now(UTC).date()
    return RenderContext(
        language,
        cached,
        partial(cached.get_or_render, language, TEMPLATE),
        state,
        state.interacted_ids(),
        viewer.uid if viewer else 0,
        link,
        day_boundaries(today),
        _first_picture_day(today) if config().link_cards != "off" else 0,
        filters_for(filter_context),
    )


def _render_status(context: RenderContext, status: Status) -> bytes:
    """Return one status, as a whole from the cache if nothing in it is one viewer's own."""
    style = time_style(status.id, context.day_boundaries)
    counts = counts_and_flags(status, context.viewer_state, context.interacted)
    if status.quote or status.poll:
        return "".join(_status_fragments(context, status, style, counts)).encode()
    uid = context.viewer_uid
    is_author = status.author.uid == uid if uid else None  # decides on the buttons, with the status
    signer = _picture_signer(context, status) if status.pictures else None
    card = _link_card(context, status) if status.card else None
    seen_by = (context.language, context.link, is_author, signer)
    key = (status, card, style, context.viewer_state.groups_of(status), *seen_by, *counts)
    return context.fragments.get_or_render_joined(
        key, _status_fragments, context, status, style, counts
    )


def _status_fragments(
    context: RenderContext, status: Status, style: str, counts: CountsAndFlags
) -> Iterator[str]:
    """Yield the parts of a status.

    Unless it has a quote or a poll, they depend on nothing but the key that `_render_status` makes.
    """
    fragment, viewer_uid, link = context.fragment, context.viewer_uid, context.link
    signer, card = _picture_signer(context, status), _link_card(context, status)
    groups = context.viewer_state.groups_of(status)
    yield _head(context, status, style)
    yield fragment("status_lines", status, link, signer, card, groups)
    if status.quote:
        yield _render_quote(context, status)
        yield "</details>" if status.cw else ""
    if not link or status.place or status.edited:
        yield fragment("status_details", status, link)
    if status.poll:
        state = context.viewer_state
        yield from render_poll(status, status.poll, state, viewer_uid, lambda: context.form_fields)
    yield from render_counts_and_buttons(fragment, status, counts, viewer_uid, link)
    yield "</article>\n"


def _head(context: RenderContext, status: Status, style: str) -> str:
    """Return the author, the time and the menu of a status."""
    created = status.created
    values = {
        "id": status.id,
        "iso_time": iso_time(created),
        "full_date": full_date(created),
        "time": styled_time(created, style),
    }
    places = map(placeholder, values)
    return fill_in(context.fragment("status_head", status.author, context.link, *places), values)


def _picture_signer(context: RenderContext, status: Status) -> PictureSigner | None:
    """Return the signer of a status's pictures for the viewer, None if everybody may open them."""
    return context.picture_signer if status.pictures and status.visibility.restricted else None


def _link_card(context: RenderContext, status: Status) -> LinkCard | None:
    """Return the card of a status's link as it is shown today."""
    if status.card is None or not context.first_picture_day:
        return None
    return status.card.without_expired_picture(context.first_picture_day)


def _render_quote(context: RenderContext, status: Status) -> Markup:
    card = context.viewer_state.quote_cards.get(status.id)
    if card is None:
        return render_unloaded_card(status)
    style = time_style(card.status.id, context.day_boundaries) if card.status else ""
    return render_card(card, style, context.filter_set)


def _form_fields() -> Markup:
    """Return the hidden fields of a form that leads back to this page."""
    template = current_app.jinja_env.get_template(TEMPLATE)
    return Markup(template.module.hidden_fields(return_path()))  # type: ignore[attr-defined]


_first_picture_day = lru_cache(4)(first_picture_day)
