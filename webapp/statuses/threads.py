"""A status with what is above it and what hangs below it. How many trips that takes does not depend on the thread's
shape: a status knows the way down to it, and all the ways that lead on from it (replies.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .. import keys
from ..db import Db
from ..errors import Invalid, NotFound
from ..events import NEWEST, position_of
from ..ids import parse_id
from .acts import Acts, acts_commands, acts_read
from .answerers import unpack_rule
from .filters import OPEN, Sieve
from .quotes import uids_of, with_cards
from .replies import ABOVE_MAX, DEPTH_MAX, Step, Way, pack, unpack
from .seeing import Between, between_commands, between_from
from .status import Status
from .store import get, hydration


@dataclass(frozen=True, slots=True)
class Gap:
    """Where a status was, or is that is not shown."""

    deleted: bool


Found = dict[Step, Status | Gap]


@dataclass(frozen=True, slots=True)
class Node:
    """What hangs below a status, `depth` levels down. `onward`: it has replies that only its own page shows."""

    shown: Status | Gap
    depth: int
    onward: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """A page of a thread. `acts`: what the reader did with the statuses; `uids`: the authors of all that is on it, and
    of what that quotes, shown or not; `answerable`: whether the viewer is among those who may reply; `earlier`: the
    status on whose page more of what is above can be seen; `next`: the cursor of what hangs below and is not on this
    page; `position`: the newest id in the log when it was read.
    """

    status: Status
    above: tuple[Status | Gap, ...]
    below: tuple[Node, ...]
    acts: Acts
    uids: frozenset[int]
    answerable: bool
    earlier: Status | None = None
    next: str | None = None
    position: str = "0-0"


def thread(db: Db, status_id: int, viewer: int | None, after: Way, size: int, sieve: Sieve = OPEN) -> Thread:
    """A status and its thread: what is above it, oldest first, and `size` statuses of those below it, depth first, the
    oldest first; `after`: the last page's cursor; `sieve`: the viewer's filters. Two trips, and one more where
    something on it quotes another status, or for what the viewer did just now. Raises NotFound, also where it is not
    for the viewer; Forbidden when its author is suspended or hidden from them.
    """
    start = f"({pack(after)}" if after else "-"
    newest, (author, stored, may), ways = db.trip(
        NEWEST,
        ("HMGET", keys.status(status_id), "author", "above", "may"),
        ("ZRANGE", keys.thread(status_id), start, "+", "BYLEX", "LIMIT", 0, size + 1),
    )
    if author is None:
        raise NotFound("no_status")
    own, above, below = (status_id, int(author)), unpack(stored), [unpack(way) for way in ways]
    steps = list(dict.fromkeys([*above, own, *(step for way in below for step in way)]))
    commands, read = hydration(steps)
    uids = {step[1] for step in steps}
    ties, at = between_commands(viewer, uids), len(commands)
    rule, own_acts = unpack_rule(may), acts_commands(viewer, steps)
    replies = db.trip(*commands, *ties, *own_acts, *rule.commands(viewer or 0))
    done, among = replies[at + len(ties) :][: len(own_acts)], replies[at + len(ties) + len(own_acts) :]
    between = between_from(viewer, uids, replies[at : at + len(ties)])
    every: dict[Step, Status | None] = dict(zip(steps, read(replies[:at]), strict=True))
    status = between.admit(every[own])
    found = {step: _shown(one, between, sieve) for step, one in every.items()}
    nodes = _nodes(below[:size], found, after)
    cursor = "-".join(map("{0[0]}.{0[1]}".format, below[size - 1])) if len(below) > size else None
    known = [found[step] for step in above]
    higher = [one for one in known if isinstance(one, Status)] if len(above) > ABOVE_MAX else []
    shown = [status, *(one for one in found.values() if isinstance(one, Status))]  # itself whatever filters say
    acts = with_cards(db, viewer, shown, acts_read(viewer, steps, done))
    return Thread(
        *(status, tuple(known[-ABOVE_MAX:]), tuple(nodes), acts, uids_of(shown).union(uids)),
        *(rule.admits(viewer or 0, among), higher[0] if higher else None, cursor, position_of(newest)),
    )


def tellable(db: Db, status_id: int, viewer: int | None) -> None:
    """Whether a stream may tell a viewer of a status and of what is below it. Two trips. Raises NotFound and Forbidden
    as its page does, and NotFound where it is not for everybody: of that no stream tells.
    """
    if get(db, status_id, viewer).visibility.limited:
        raise NotFound("no_status")


def parse_cursor(given: str | None) -> Way:
    """The cursor of a thread in a request's address. Raises Invalid when it is none."""
    if given is None:
        return ()
    steps = [step.partition(".") for step in given.split("-")]
    way = tuple((parse_id(status_id) or 0, parse_id(author) or 0) for status_id, _, author in steps)
    if len(way) > DEPTH_MAX or not all(map(all, way)):
        raise Invalid("bad_cursor")
    return way


def _nodes(ways: Sequence[Way], found: Found, after: Way) -> Iterator[Node]:
    """What the ways lead to and what they pass, each once. What is not shown and leads to nothing is left out. What led
    to `after` was on the last page; so was that itself, unless it is a gap.
    """
    passed = {step for step in after if step != after[-1] or isinstance(found.get(step), Status)}
    for way in ways:
        if isinstance(found[way[-1]], Gap):
            continue
        for depth, step in enumerate(way, 1):
            if step not in passed:
                passed.add(step)
                status = found[step]
                onward = depth == DEPTH_MAX and isinstance(status, Status) and status.replies > 0
                yield Node(status, depth, onward)


def _shown(status: Status | None, between: Between, sieve: Sieve) -> Status | Gap:
    there = status and between.shown(status) and not sieve.hides(status)
    return status if status and there else Gap(deleted=status is None)
