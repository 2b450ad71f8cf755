"""Quote cards as HTML."""

from markupsafe import Markup

from webapp.core.rendering.fragments import fragments
from webapp.statuses.filters.filter_set import FilterSet
from webapp.statuses.status import Status
from webapp.statuses.viewer.viewer_state import QuoteCard

STATUS_TEMPLATE, CARD_TEMPLATE = "statuses/status.html", "statuses/card.html"


def render_card(card: QuoteCard, time_style: str, filter_set: FilterSet) -> Markup:
    """Return a card, folded up if a filter matches.

    The same cached fragment serves all viewers who may see the quoted status.
    """
    fragment, status = fragments(), card.status
    if status is None or card.muted:
        return fragment(CARD_TEMPLATE, "muted_card" if status else "status_card", status)
    html = fragment(CARD_TEMPLATE, "status_card", status, time_style)
    warning = filter_set.warning_for(status) if filter_set else ""
    if not warning:
        return html
    wrapper = fragment(STATUS_TEMPLATE, "filtered_wrapper", warning)
    return wrapper + html + Markup("</details>")


def render_unloaded_card(status: Status) -> Markup:
    """Return the card on a page that did not read its quoted statuses."""
    return fragments()(CARD_TEMPLATE, "unloaded_card", status)
