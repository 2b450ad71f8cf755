"""Plan likes, boosts and votes: a few posts get very many, most get few.

The times are the earliest ones; `acts.py` moves acts to when several members are online.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from webapp.demo.acts.act import Act, Post
from webapp.demo.acts.post_acts import Boost, Like, Vote
from webapp.demo.community import Community
from webapp.demo.people import Person

HOUR_MS = 3_600_000
REPLY_WEIGHT = 0.12  # of a reply among all posts, when they are ranked
# The post of rank r gets `share` of the members to the power `-exponent` of r.
LIKES, BOOSTS, VOTES = (0.8, 0.72), (0.25, 0.8), (0.6, 0.5)  # share, exponent
LIKE_HOURS, BOOST_HOURS, VOTE_HOURS = 7.0, 9.0, 8.0  # after the post: the mean
DELAY_HOURS_MAX = 12  # that `acts.py` may move an act to
TRENDING_HOURS = 2, 20  # ago: how old the posts are at least and at most
TRENDING_POSTS = 6
BOOSTERS = range(6, 18)  # of each


def plan_reactions(rng: Random, community: Community) -> Iterator[Act]:
    """Yield likes, boosts and votes."""
    audience, posts = _Audience(rng, community), community.posts
    ranked = _ranked(rng, community.people, posts)
    for rank, number in enumerate(ranked):
        for at_ms, member in audience.draw(posts[number], rank, LIKES, LIKE_HOURS):
            yield Like(at_ms, member, number)
    originals = [number for number in ranked if posts[number].reply_to is None]
    for rank, number in enumerate(originals):
        for at_ms, member in audience.draw(posts[number], rank, BOOSTS, BOOST_HOURS):
            yield Boost(at_ms, member, number)
    polls = [number for number in ranked if posts[number].poll]
    for rank, number in enumerate(polls):
        yield from _votes(rng, audience, posts[number], rank, number)


def _ranked(rng: Random, persons: Sequence[Person], posts: Sequence[Post]) -> list[int]:
    """Return the places of the posts, those first that are liked most."""
    weights = [
        rng.paretovariate(1.1)
        * persons[post.author].popularity ** 0.5
        * (REPLY_WEIGHT if post.reply_to is not None else 1)
        for post in posts
    ]
    return sorted(range(len(posts)), key=lambda number: -weights[number])


def _votes(rng: Random, audience: _Audience, post: Post, rank: int, number: int) -> Iterator[Act]:
    """Yield votes in a poll, before it ends. One option is liked most, the next less."""
    assert post.poll
    options = range(len(post.poll.options))
    weights = [1 / (place + 1) ** 1.1 for place in options]
    rng.shuffle(weights)
    ends_at = post.at_ms + post.poll.minutes * 60_000 - DELAY_HOURS_MAX * HOUR_MS
    for at_ms, member in audience.draw(post, rank, VOTES, VOTE_HOURS):
        if at_ms < ends_at:
            chosen = set(rng.choices(options, weights, k=2 if post.poll.multiple else 1))
            yield Vote(at_ms, member, number, tuple(sorted(chosen)))


class _Audience:
    """Draws who reacts to a post, and when."""

    def __init__(self, rng: Random, community: Community) -> None:
        self._rng, self._persons, self._now = rng, community.people, community.now
        self._followers = community.followers

    def draw(
        self, post: Post, rank: int, shape: tuple[float, float], hours: float
    ) -> Iterator[tuple[int, int]]:
        """Yield (unix ms, member), followers first. Reactions in the future are left out."""
        share, exponent = shape
        wanted = share * len(self._persons) * (rank + 1) ** -exponent
        count = int(wanted) + (self._rng.random() < wanted % 1)
        if not count:
            return
        followers = self._readers(self._followers[post.author], post)
        members = self._rng.sample(followers, min(count, len(followers)))
        if len(members) < count:
            others = self._readers(range(len(self._persons)), post)
            others = [one for one in others if one not in set(followers)]
            members += self._rng.sample(others, min(count - len(members), len(others)))
        for member in members:
            at_ms = post.at_ms + int(self._rng.expovariate(1 / hours) * HOUR_MS)
            if at_ms < self._now:
                yield at_ms, member

    def _readers(self, members: Sequence[int], post: Post) -> list[int]:
        return [
            one
            for one in members
            if one != post.author
            and post.language in self._persons[one].languages
            and self._persons[one].joined < post.at_ms
        ]


def plan_trending(rng: Random, community: Community) -> Iterator[Act]:
    """Yield boosts of some of the newest posts with hashtags, up to the community's time."""
    persons, posts, now = community.people, community.posts, community.now
    until, since = (now - hours * HOUR_MS for hours in TRENDING_HOURS)
    tagged = [
        number
        for number, post in enumerate(posts)
        if since <= post.at_ms < until and "#" in post.text
    ]
    for number in rng.sample(tagged, min(TRENDING_POSTS, len(tagged))):
        post = posts[number]
        others = [place for place in range(len(persons)) if place != post.author]
        for place in rng.sample(others, min(rng.choice(BOOSTERS), len(others))):
            yield Boost(rng.randrange(post.at_ms + 1, now), place, number)
