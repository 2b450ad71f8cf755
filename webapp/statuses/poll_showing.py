"""A poll as HTML, below the words of its status: a form for who may vote and has not, what was counted for all others.
Both are pieces that are kept (pieces.py), by the poll, its numbers, the reader's choice and how long it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial

from markupsafe import Markup

from .. import preferences
from ..pieces import kept
from .acts import Acts
from .polls import Poll, Tally, chose
from .status import Status

TEMPLATE = "components/poll.html"


def poll_parts(status: Status, poll: Poll, acts: Acts, reader: int, fields: Callable[[], Markup]) -> Iterator[Markup]:
    """The parts of a status's poll. `fields`: what a form of the reader's holds."""
    piece = partial(kept().made, preferences.language().code, TEMPLATE)
    bits = acts.votes.get(status.id, 0)
    tally = acts.tally(status.id, status.tally)
    voters, left = tally[-1] if tally else 0, _left(poll)
    if reader in (0, status.author.uid) or bits or not left:
        yield piece("results", _shares(poll, tally, bits), voters, left, status.cw)
        return
    yield piece("ballot", status.id, poll, status.cw)
    yield fields()
    yield piece("ballot_end", voters, left, status.cw)


def _shares(poll: Poll, tally: Tally, bits: int) -> tuple[tuple[str, int, bool], ...]:
    """Each option with how many of a hundred voters chose it, and whether the reader did."""
    voters = tally[-1] if tally else 0
    counts = tally if tally else (0,) * len(poll.options)
    return tuple(
        (option, round(100 * counts[at] / max(voters, 1)), chose(bits, at)) for at, option in enumerate(poll.options)
    )


def _left(poll: Poll) -> tuple[str, int] | None:
    """How long a poll still runs, as one would say it, so that few pieces are made; None once it has ended."""
    seconds = (poll.ends - datetime.now(UTC)).total_seconds() if poll.ends else 0
    if seconds <= 0:
        return None
    minutes = max(round(seconds / 60), 1)
    if minutes < 60:
        return "minute", minutes
    return ("hour", round(minutes / 60)) if minutes < 2_880 else ("day", round(minutes / 1_440))
