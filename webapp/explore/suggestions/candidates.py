"""Read samples of a member's surroundings: the same number of reads, whatever anybody follows.

Follow lists of protected members are read only if the viewer follows them, and so may see them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Command, Db, Read, collect, gather, read
from webapp.following import keys as following_keys
from webapp.statuses import relationship
from webapp.timelines import keys as timeline_keys
from webapp.timelines.entries import poster_of

from .scoring import Surroundings, chosen_peers

FRIENDS = 100  # the viewer's newest follows
FOLLOWS = 50  # the newest follows of each friend, and of each peer
POPULAR_FRIENDS = 20  # friends whose followers are read
FOLLOWERS = 30  # the newest followers of each of these
PEERS = 30  # members who follow the most of these friends
TAGS = 15  # followed hashtags, then used ones
USED_ENTRIES = 50  # the newest uses of hashtags
TAGGED = 30  # the newest posts under each hashtag


@dataclass(frozen=True, slots=True)
class _Own:
    """A viewer's follows and hashtags, newest first."""

    follows: list[int]
    followed_tags: list[str]
    used_tags: list[str]

    @property
    def tags(self) -> list[str]:
        return list(dict.fromkeys((*self.followed_tags, *self.used_tags)))[:TAGS]


def surroundings(db: Db, viewer: int) -> Surroundings:
    """Read the follows, hashtags and peers that give a viewer's suggestions. Three trips."""
    own = db.read(_own(viewer))
    members, relation, follows, followers, authors = db.fetch(
        accounts.get_many(own.follows),
        relationship(viewer, own.follows),
        _sets(following_keys.following(friend) for friend in own.follows),
        collect(
            read(_newest(following_keys.followers(friend), FOLLOWERS), _uids)
            for friend in own.follows[:POPULAR_FRIENDS]
        ),
        collect(
            read(
                _newest(timeline_keys.hashtag_statuses(name), TAGGED),
                lambda entries: frozenset(map(poster_of, entries)),
            )
            for name in own.tags
        ),
    )
    every = dict(zip(own.follows, follows, strict=True))
    friends = {one: every[one] for one in own.follows if relation.may_name_friend(members.get(one))}
    lists = zip(own.follows, followers, strict=False)
    shared = chosen_peers({friend: set(uids) - {viewer} for friend, uids in lists}, PEERS)
    peers = db.read(_peers({uid: _named(via, friends) for uid, via in shared.items()}))
    return Surroundings(
        friends, peers, dict(zip(own.tags, authors, strict=True)), frozenset(own.followed_tags)
    )


def _own(viewer: int) -> Read[_Own]:
    return gather(
        read(_newest(following_keys.following(viewer), FRIENDS), _uids),
        read(_newest(timeline_keys.followed_tags(viewer), TAGS), list[str]),
        read(_newest(timeline_keys.tag_index(viewer), USED_ENTRIES), _tag_names),
    ).map(lambda found: _Own(*found))


def _peers(
    shared: Mapping[int, tuple[int, ...]],
) -> Read[dict[int, tuple[frozenset[int], tuple[int, ...]]]]:
    """Read the follows of public peers. `shared`: the friends who lead to each."""
    uids = [uid for uid, friends in shared.items() if friends]

    def combine(
        found: tuple[dict[int, Member], list[frozenset[int]]],
    ) -> dict[int, tuple[frozenset[int], tuple[int, ...]]]:
        members, follows = found
        return {
            uid: (followed, shared[uid])
            for uid, followed in zip(uids, follows, strict=True)
            if uid in members and not members[uid].protected and not members[uid].suspended
        }

    lists = _sets(following_keys.following(uid) for uid in uids)
    return gather(accounts.get_many(uids), lists).map(combine)


def _named(friends: Sequence[int], allowed: Mapping[int, object]) -> tuple[int, ...]:
    return tuple(friend for friend in friends if friend in allowed)


def _sets(keys: Iterable[str]) -> Read[list[frozenset[int]]]:
    return collect(
        read(_newest(key, FOLLOWS), lambda uids: frozenset(map(int, uids))) for key in keys
    )


def _newest(key: str, count: int) -> Command:
    return ("ZRANGE", key, 0, count - 1, "REV")


def _uids(reply: Sequence[str]) -> list[int]:
    return list(map(int, reply))


def _tag_names(entries: Sequence[str]) -> list[str]:
    """Return the names in a member's own index of hashtags (`id:name`), used last first."""
    return list(dict.fromkeys(entry.partition(":")[2] for entry in entries))
