"""Counts and buttons below a status: as HTML, and as JSON for the script that presses a button."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from flask import g, url_for
from flask_babel import gettext as _, ngettext
from markupsafe import Markup

from webapp.core.errors import Forbidden, NotFound
from webapp.core.i18n.formatting import format_number
from webapp.core.rendering.shells import fill_in, placeholder
from webapp.core.web import db
from webapp.statuses import store as statuses
from webapp.statuses.status import Status
from webapp.statuses.viewer.viewer_state import ViewerState


class CountsAndFlags(NamedTuple):
    """The counts of a status as a viewer sees them, and the viewer's actions on it."""

    replies: int
    quotes: int
    likes: int
    boosts: int
    liked: bool = False
    bookmarked: bool = False
    boosted: bool = False


def counts_and_flags(
    status: Status, state: ViewerState, interacted: frozenset[int]
) -> CountsAndFlags:
    """Return the counts and flags of a status. `interacted`: the state's `interacted_ids`."""
    status_id = status.id
    if status_id not in interacted:
        return _counts(status.replies, status.quotes, status.likes, status.boosts)
    return CountsAndFlags(
        status.replies,
        status.quotes,
        state.like_count(status_id, status.likes),
        state.boost_count(status_id, status.boosts),
        status_id in state.liked,
        status_id in state.bookmarked,
        status_id in state.boosted,
    )


@lru_cache(10_000)  # most statuses have few of each
def _counts(replies: int, quotes: int, likes: int, boosts: int) -> CountsAndFlags:
    return CountsAndFlags(replies, quotes, likes, boosts)


def render_counts_and_buttons(
    fragment: Callable[..., Markup],
    status: Status,
    counts: CountsAndFlags,
    viewer_uid: int,
    link: bool,
) -> Iterator[str]:
    """Yield the counts and buttons.

    `link=False`: on the status's own page, where links to members have the numbers.
    """
    any_count = counts.likes or counts.boosts or counts.quotes
    if not link and (viewer_uid or any_count):  # a first like adds its link (interactions.js)
        yield fragment("interaction_links", status, counts.likes, counts.boosts, counts.quotes)
    shown = counts if link else counts._replace(likes=0, boosts=0, quotes=0)
    values = {"id": status.id, "login": status.author.login, "name": status.author.name}
    places = map(placeholder, values)
    if viewer_uid:
        looks = status.visibility.restricted, status.quotable_by(viewer_uid), link, *shown
        buttons = fragment("action_buttons", *places, *looks)
    else:
        buttons = fragment("join_buttons", *places, shown.replies, shown.likes, shown.boosts)
    yield fill_in(buttons, values)


def button_state(status_id: int, interaction: str, active: bool) -> dict[str, Any]:
    """Return the address and the looks of a button in its present state.

    `action`: the address; `pressed`; `count`: the number as shown, "" for none; `announcement`: the
    words for screen readers; `members_link`: the link to the list of members, as HTML.
    """
    endpoint = f"interactions.{'un' if active else ''}{interaction}"
    button = {"action": url_for(endpoint, status_id=status_id), "pressed": active}
    if interaction == "bookmark":
        announcement = _("Added to your bookmarks.") if active else _("Bookmark removed.")
        return {**button, "count": "", "announcement": announcement}
    count = _exact_count(status_id, interaction)
    number = format_number(count)
    if interaction == "boost":
        announcement = ngettext("%(num)d boost", "%(num)d boosts", count)
        link = ngettext("<b>%(number)s</b> boost", "<b>%(number)s</b> boosts", count, number=number)
    else:
        announcement = ngettext("%(num)d like", "%(num)d likes", count)
        link = ngettext("<b>%(number)s</b> like", "<b>%(number)s</b> likes", count, number=number)
    return {
        **button,
        "count": number if count else "",
        "announcement": announcement,
        "members_link": link,
    }


def _exact_count(status_id: int, interaction: str) -> int:
    """Return how many like or boost a status, 0 if the viewer may not see it.

    Trips as `get_with_state`.
    """
    try:
        status, state = statuses.get_with_state(db(), status_id, g.viewer.uid)
    except (NotFound, Forbidden):
        return 0
    if interaction == "boost":
        return state.boost_count(status_id, status.boosts)
    return state.like_count(status_id, status.likes)
