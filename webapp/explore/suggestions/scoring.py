"""Rank candidates by the paths that lead from the viewer to them. It asks the store nothing."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .reasons import Suggestion, Why

T = TypeVar("T")
FRIEND_POINTS, TAG_POINTS, PEER_POINTS, ACTIVE_POINTS = 4, 3, 2, 3
COUNTED_MAX = 10  # more friends, hashtags or peers give no more points
PEERS_MIN = 2  # one peer alone would reveal whom that member follows


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Samples of a viewer's surroundings.

    `friends`: the viewer's follows who may be named, newest first, with the follows of each.
    `peers`: members who follow some of these friends too, with their follows and those friends.
    `authors`: who posts under the hashtags that the viewer follows, or uses, in this order.
    """

    friends: Mapping[int, frozenset[int]]
    peers: Mapping[int, tuple[frozenset[int], tuple[int, ...]]]
    authors: Mapping[str, frozenset[int]]
    followed_tags: frozenset[str]


def rank(around: Surroundings) -> list[tuple[int, Suggestion]]:
    """Return the candidates with their points, best first; the lower uid first among equals."""
    friends = _reached(around.friends)
    peers = _reached({peer: follows for peer, (follows, _) in around.peers.items()})
    tags = _reached(around.authors)
    ranked = []
    for uid in friends.keys() | peers.keys() | tags.keys():
        by_friends, by_tags = friends.get(uid, []), tags.get(uid, [])
        by_peers = peers.get(uid, [])
        if len(by_peers) < PEERS_MIN:
            by_peers = []
        points = (
            FRIEND_POINTS * min(len(by_friends), COUNTED_MAX)
            + TAG_POINTS * min(len(by_tags), COUNTED_MAX)
            + PEER_POINTS * min(len(by_peers), COUNTED_MAX)
        )
        if points:
            ranked.append((points, _reason(around, uid, by_friends, by_tags, by_peers)))
    return sorted(ranked, key=lambda one: (-one[0], one[1].uid))


def chosen_peers(followers: Mapping[int, Iterable[int]], limit: int) -> dict[int, tuple[int, ...]]:
    """Return the members who follow the most of some friends, each with these friends.

    `followers`: of each friend, newest friend first. The lower uid comes first among equals.
    """
    shared = _reached({friend: frozenset(uids) for friend, uids in followers.items()})
    best = sorted(shared, key=lambda uid: (-len(shared[uid]), uid))[:limit]
    return {uid: tuple(shared[uid]) for uid in best}


def _reached(sets: Mapping[T, frozenset[int]]) -> dict[int, list[T]]:
    """Return for each member the sets that hold them, in order."""
    found: dict[int, list[T]] = defaultdict(list)
    for name, uids in sets.items():
        for uid in uids:
            found[uid].append(name)
    return found


def _reason(
    around: Surroundings,
    uid: int,
    friends: Sequence[int],
    tags: Sequence[str],
    peers: Sequence[int],
) -> Suggestion:
    """Return a candidate with the strongest reason."""
    if friends:
        return Suggestion(uid, Why.FOLLOWED, friends[0], len(friends))
    if tags:
        followed = tags[0] in around.followed_tags
        return Suggestion(uid, Why.FOLLOWED_TAG if followed else Why.USED_TAG, tag=tags[0])
    shared = Counter(friend for peer in peers for friend in around.peers[peer][1])
    order = list(around.friends)
    via = min(shared, key=lambda friend: (-shared[friend], order.index(friend)))
    return Suggestion(uid, Why.COMMON, via, len(peers))
