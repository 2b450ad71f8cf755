"""Reads of a viewer's actions on statuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from typing import Any

from webapp.core.store import Read, collect, constant, gather
from webapp.statuses import keys as status_keys
from webapp.statuses.boost_refs import zset_member
from webapp.statuses.interactions import keys
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.values.poll import Tally, add_vote, unpack_tally

from .viewer_state import EMPTY_STATE, ViewerState


def viewer_state(uid: int | None, entries: Sequence[tuple[int, int]]) -> Read[ViewerState]:
    """Read a viewer's (None: a visitor's) actions on statuses, each (id, author's uid).

    The result lacks the counts that `recent_counts` reads.
    """
    if not uid or not entries:
        return constant(EMPTY_STATE)
    ids = [status_id for status_id, _ in entries]

    def parse(replies: Sequence[Any]) -> ViewerState:
        likes, bookmarks, boosts, votes, recent = replies
        return ViewerState(
            _ids_with_score(ids, likes),
            _ids_with_score(ids, bookmarks),
            _ids_with_score(ids, boosts),
            votes={
                status_id: int(bits) for status_id, bits in zip(ids, votes, strict=True) if bits
            },
            recent_ids=tuple(status_id for status_id in map(int, recent) if status_id in ids),
        )

    return Read(
        (
            ("ZMSCORE", keys.member_likes(uid), *ids),
            ("ZMSCORE", keys.bookmarks(uid), *ids),
            ("ZMSCORE", keys.member_boosts(uid), *starmap(zset_member, entries)),
            ("HMGET", poll_keys.member_votes(uid), *ids),
            ("ZRANGE", keys.recent_interactions(uid), 0, -1),
        ),
        parse,
    )


def recent_counts(uid: int | None, state: ViewerState) -> Read[ViewerState]:
    """Complete a viewer's state: exact counts for their actions within the last minute.

    It takes the state, so it is a second trip; most states need none.
    """
    if not uid or not state.recent_ids:
        return constant(state)
    voted_ids = [status_id for status_id in state.recent_ids if status_id in state.votes]
    return gather(
        _counts_of_others(keys.likers, uid, state.recent_ids),
        _counts_of_others(keys.boosters, uid, state.recent_ids),
        collect(_exact_tally(uid, status_id, state.votes[status_id]) for status_id in voted_ids),
    ).map(
        lambda results: replace(
            state,
            other_likes=results[0],
            other_boosts=results[1],
            tallies=dict(zip(voted_ids, results[2], strict=True)),
            recent_ids=(),
        )
    )


def _counts_of_others(
    list_of: Callable[[int], str], uid: int, status_ids: Sequence[int]
) -> Read[Mapping[int, int]]:
    """Read how many members other than `uid` are on a list of each status."""
    commands = tuple(
        command
        for status_id in status_ids
        for command in (("ZCARD", list_of(status_id)), ("ZSCORE", list_of(status_id), uid))
    )

    def parse(replies: Sequence[Any]) -> Mapping[int, int]:
        pairs = zip(replies[::2], replies[1::2], strict=True)
        counts = [count - (own is not None) for count, own in pairs]
        return dict(zip(status_ids, counts, strict=True))

    return Read(commands, parse)


def _exact_tally(uid: int, status_id: int, bits: int) -> Read[Tally]:
    """Read the tally of a poll, with the viewer's vote even if it is not counted yet."""

    def parse(replies: Sequence[Any]) -> Tally:
        stored, is_counted = replies
        return add_vote(unpack_tally(stored), 0 if is_counted else bits)

    return Read(
        (
            ("HGET", status_keys.status(status_id), "tally"),
            ("HEXISTS", poll_keys.votes(status_id), uid),
        ),
        parse,
    )


def _ids_with_score(status_ids: Sequence[int], scores: Sequence[Any]) -> frozenset[int]:
    if scores.count(None) == len(status_ids):  # as for most pages
        return frozenset()
    return frozenset(
        status_id for status_id, score in zip(status_ids, scores, strict=True) if score is not None
    )
