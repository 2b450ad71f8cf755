"""Polls."""

from __future__ import annotations

import time

import msgspec

from webapp.client_api.http.responses import format_time
from webapp.statuses.status import Status
from webapp.statuses.values.poll import OPTIONS_MAX, includes_option
from webapp.statuses.viewer.viewer_state import ViewerState


class PollOption(msgspec.Struct, frozen=True):
    """An answer, and how often it was chosen."""

    title: str
    votes_count: int


class Poll(msgspec.Struct, kw_only=True):
    """A poll of a status. Its id is that of the status."""

    id: str
    expires_at: str | None
    expired: bool
    multiple: bool
    votes_count: int
    voters_count: int
    options: list[PollOption]
    voted: bool
    own_votes: list[int]
    emojis: list[str] = []


def poll_of(status: Status, state: ViewerState, viewer: int | None) -> Poll | None:
    """Return the poll of a status as a viewer sees it, None if it has none."""
    poll = status.poll
    if poll is None:
        return None
    tally = state.tally(status.id, status.tally) or (0,) * (OPTIONS_MAX + 1)
    vote = state.votes.get(status.id, 0)
    count = len(poll.options)
    return Poll(
        id=str(status.id),
        expires_at=format_time(poll.ends_at) if poll.ends_at else None,
        expired=bool(poll.ends_at) and poll.ends_at.timestamp() <= time.time(),  # type: ignore[union-attr]
        multiple=poll.multiple,
        votes_count=sum(tally[:count]),
        voters_count=tally[-1],
        options=[PollOption(title, tally[at]) for at, title in enumerate(poll.options)],
        voted=bool(vote) or viewer == status.author.uid,
        own_votes=[at for at in range(count) if includes_option(vote, at)],
    )
