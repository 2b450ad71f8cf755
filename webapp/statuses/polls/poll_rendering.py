"""Polls as HTML: a ballot for members who may vote and have not, results for all others.

Both are cached fragments, by the poll, its tally, the viewer's vote and the time left.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial

from markupsafe import Markup

from webapp.core.i18n import preferences
from webapp.core.rendering.fragments import fragments
from webapp.core.rendering.kept_pages import changes_at
from webapp.statuses.status import Status
from webapp.statuses.values.poll import Poll, Tally, includes_option
from webapp.statuses.viewer.viewer_state import ViewerState

TEMPLATE = "statuses/polls/poll.html"
# A unit of the time left, its seconds, and the fewest seconds that are said in it.
UNITS = (("day", 86_400, 172_770), ("hour", 3_600, 3_570), ("minute", 60, 0))


def render_poll(
    status: Status, poll: Poll, state: ViewerState, viewer: int, form_fields: Callable[[], Markup]
) -> Iterator[Markup]:
    """Yield the parts of a poll. `form_fields`: the hidden fields of the viewer's forms."""
    fragment = partial(fragments().get_or_render, preferences.language().code, TEMPLATE)
    bits = state.votes.get(status.id, 0)
    tally = state.tally(status.id, status.tally)
    voters, remaining = tally[-1] if tally else 0, _time_left(poll)
    if viewer in (0, status.author.uid) or bits or not remaining:
        yield fragment(
            "poll_results", _option_shares(poll, tally, bits), voters, remaining, status.cw
        )
        return
    yield fragment("ballot_start", status.id, poll, status.cw)
    yield form_fields()
    yield fragment("ballot_end", voters, remaining, status.cw)


def _option_shares(poll: Poll, tally: Tally, bits: int) -> tuple[tuple[str, int, bool], ...]:
    """Return each option with its share in percent, and whether the viewer chose it."""
    voters = tally[-1] if tally else 0
    counts = tally if tally else (0,) * len(poll.options)
    return tuple(
        (option, round(100 * counts[at] / max(voters, 1)), includes_option(bits, at))
        for at, option in enumerate(poll.options)
    )


def _time_left(poll: Poll) -> tuple[str, int] | None:
    """Return the time left, rounded so that few fragments are cached; None once it has ended."""
    ends_at = poll.ends_at.timestamp() if poll.ends_at else 0
    seconds = ends_at - time.time()
    if seconds <= 0:
        return None
    unit, length, fewest = next(one for one in UNITS if seconds >= one[2])
    number = max(round(seconds / length), 1)
    changes_at(ends_at - max((number - 0.5) * length, fewest))
    return unit, number
