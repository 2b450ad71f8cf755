"""A status with what is above it and what hangs below it. How many trips that takes does not depend on the thread's
shape: a status knows the way down to it, and all the ways that lead on from it (replies.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webapp.core.events.outbox import NEWEST_LOG_ENTRY, log_position
from webapp.core.store.client import Db
from webapp.core.store.ids import parse_id
from webapp.errors import Invalid, NotFound
from webapp.statuses import keys as status_keys
from webapp.statuses.filters.store import NO_FILTERS, FilterSet
from webapp.statuses.interactions.viewer_reads import parse_viewer_state, viewer_state_commands
from webapp.statuses.interactions.viewer_state import ViewerState
from webapp.statuses.quotes.store import uids_on_page, with_quote_cards
from webapp.statuses.status import Status
from webapp.statuses.store import get, hydration
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship_commands, relationship_from
from webapp.statuses.visibility.reply_policy import unpack_reply_rule

from .replies import ANCESTORS_MAX, DEPTH_MAX, PathStep, ThreadPath, pack_path, unpack_path


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Where a status was, or is that is not shown."""

    deleted: bool


ContentByStep = dict[PathStep, Status | Tombstone]


@dataclass(frozen=True, slots=True)
class ThreadNode:
    """What hangs below a status, `depth` levels down. `onward`: it has replies that only its own page shows."""

    content: Status | Tombstone
    depth: int
    has_more_replies: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """A page of a thread. `acts`: what the reader did with the statuses; `uids`: the authors of all that is on it, and
    of what that quotes, shown or not; `answerable`: whether the viewer is among those who may reply; `earlier`: the
    status on whose page more of what is above can be seen; `next`: the cursor of what hangs below and is not on this
    page; `position`: the newest id in the log when it was read.
    """

    status: Status
    ancestors: tuple[Status | Tombstone, ...]
    descendants: tuple[ThreadNode, ...]
    viewer_state: ViewerState
    uids: frozenset[int]
    can_reply: bool
    earlier: Status | None = None
    next: str | None = None
    position: str = "0-0"


def thread(
    db: Db,
    status_id: int,
    viewer: int | None,
    after: ThreadPath,
    size: int,
    filters: FilterSet = NO_FILTERS,
) -> Thread:
    """A status and its thread: what is above it, oldest first, and `size` statuses of those below it, depth first, the
    oldest first; `after`: the last page's cursor; `sieve`: the viewer's filters. Two trips, and one more where
    something on it quotes another status, or for what the viewer did just now. Raises NotFound, also where it is not
    for the viewer; Forbidden when its author is suspended or hidden from them.
    """
    start = f"({pack_path(after)}" if after else "-"
    newest, (author, stored, stored_rule), paths = db.trip(
        NEWEST_LOG_ENTRY,
        ("HMGET", status_keys.status(status_id), "author", "above", "may"),
        ("ZRANGE", status_keys.thread(status_id), start, "+", "BYLEX", "LIMIT", 0, size + 1),
    )
    if author is None:
        raise NotFound("no_status")
    own_step, ancestors, descendants = (
        (status_id, int(author)),
        unpack_path(stored),
        [unpack_path(way) for way in paths],
    )
    steps = list(
        dict.fromkeys([*ancestors, own_step, *(step for way in descendants for step in way)])
    )
    commands, parse = hydration(steps)
    uids = {step[1] for step in steps}
    relations, end = relationship_commands(viewer, uids), len(commands)
    rule, states = unpack_reply_rule(stored_rule), viewer_state_commands(viewer, steps)
    replies = db.trip(*commands, *relations, *states, *rule.commands(viewer or 0))
    state_replies, rule_replies = (
        replies[end + len(relations) :][: len(states)],
        replies[end + len(relations) + len(states) :],
    )
    relationship = relationship_from(viewer, uids, replies[end : end + len(relations)])
    status_by_step: dict[PathStep, Status | None] = dict(
        zip(steps, parse(replies[:end]), strict=True)
    )
    status = relationship.require_visible(status_by_step[own_step])
    contents = {
        step: _visible_or_tombstone(one, relationship, filters)
        for step, one in status_by_step.items()
    }
    nodes = _thread_nodes(descendants[:size], contents, after)
    cursor = (
        "-".join(map("{0[0]}.{0[1]}".format, descendants[size - 1]))
        if len(descendants) > size
        else None
    )
    ancestor_nodes = [contents[step] for step in ancestors]
    earlier = (
        [one for one in ancestor_nodes if isinstance(one, Status)]
        if len(ancestors) > ANCESTORS_MAX
        else []
    )
    on_page = [
        status,
        *(one for one in contents.values() if isinstance(one, Status)),
    ]  # itself whatever filters say
    state = with_quote_cards(db, viewer, on_page, parse_viewer_state(viewer, steps, state_replies))
    return Thread(
        *(
            status,
            tuple(ancestor_nodes[-ANCESTORS_MAX:]),
            tuple(nodes),
            state,
            uids_on_page(on_page).union(uids),
        ),
        *(
            rule.allows(viewer or 0, rule_replies),
            earlier[0] if earlier else None,
            cursor,
            log_position(newest),
        ),
    )


def require_streamable(db: Db, status_id: int, viewer: int | None) -> None:
    """Whether a stream may tell a viewer of a status and of what is below it. Two trips. Raises NotFound and Forbidden
    as its page does, and NotFound where it is not for everybody: of that no stream tells.
    """
    if get(db, status_id, viewer).visibility.restricted:
        raise NotFound("no_status")


def parse_cursor(raw: str | None) -> ThreadPath:
    """The cursor of a thread in a request's address. Raises Invalid when it is none."""
    if raw is None:
        return ()
    steps = [step.partition(".") for step in raw.split("-")]
    path = tuple(
        (parse_id(status_id) or 0, parse_id(author) or 0) for status_id, _, author in steps
    )
    if len(path) > DEPTH_MAX or not all(map(all, path)):
        raise Invalid("bad_cursor")
    return path


def _thread_nodes(
    paths: Sequence[ThreadPath], contents: ContentByStep, after: ThreadPath
) -> Iterator[ThreadNode]:
    """What the ways lead to and what they pass, each once. What is not shown and leads to nothing is left out. What led
    to `after` was on the last page; so was that itself, unless it is a gap.
    """
    seen = {step for step in after if step != after[-1] or isinstance(contents.get(step), Status)}
    for path in paths:
        if isinstance(contents[path[-1]], Tombstone):
            continue
        for depth, step in enumerate(path, 1):
            if step not in seen:
                seen.add(step)
                status = contents[step]
                has_more_replies = (
                    depth == DEPTH_MAX and isinstance(status, Status) and status.replies > 0
                )
                yield ThreadNode(status, depth, has_more_replies)


def _visible_or_tombstone(
    status: Status | None, relationship: Relationship, filters: FilterSet
) -> Status | Tombstone:
    is_visible = status and relationship.is_visible(status) and not filters.hides(status)
    return status if status and is_visible else Tombstone(deleted=status is None)
