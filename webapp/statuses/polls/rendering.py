"""A poll as HTML, below the words of its status: a form for who may vote and has not, what was counted for all others.
Both are pieces that are kept (pieces.py), by the poll, its numbers, the reader's choice and how long it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial

from markupsafe import Markup

from webapp.core.i18n import preferences
from webapp.core.rendering.fragments import fragments
from webapp.statuses.interactions.viewer_state import ViewerState
from webapp.statuses.status import Status

from .poll import Poll, Tally, includes_option

TEMPLATE = "statuses/polls/poll.html"


def render_poll(
    status: Status, poll: Poll, state: ViewerState, viewer: int, form_fields: Callable[[], Markup]
) -> Iterator[Markup]:
    """The parts of a status's poll. `form_fields`: what a form of the reader's holds."""
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
    """Each option with how many of a hundred voters chose it, and whether the reader did."""
    voters = tally[-1] if tally else 0
    counts = tally if tally else (0,) * len(poll.options)
    return tuple(
        (option, round(100 * counts[at] / max(voters, 1)), includes_option(bits, at))
        for at, option in enumerate(poll.options)
    )


def _time_left(poll: Poll) -> tuple[str, int] | None:
    """How long a poll still runs, as one would say it, so that few pieces are made; None once it has ended."""
    seconds = (poll.ends_at - datetime.now(UTC)).total_seconds() if poll.ends_at else 0
    if seconds <= 0:
        return None
    minutes = max(round(seconds / 60), 1)
    if minutes < 60:
        return "minute", minutes
    return ("hour", round(minutes / 60)) if minutes < 2_880 else ("day", round(minutes / 1_440))
