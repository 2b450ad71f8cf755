"""Plan today's topics: posts with hashtags that many members boost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from webapp.demo.acts.act import Act
from webapp.demo.acts.reaction_acts import Boost
from webapp.demo.people import Person
from webapp.demo.post import Post

HOUR_MS = 3_600_000
TRENDING_HOURS = 20  # ago: how old the posts are at most
TRENDING_POSTS = 6
BOOSTERS = range(6, 18)  # of each


def plan_trending(
    rng: Random, persons: Sequence[Person], posts: Sequence[Post], now: int
) -> Iterator[Act]:
    """Yield boosts of some of the newest posts with hashtags, up to `now` (unix ms)."""
    since = now - TRENDING_HOURS * HOUR_MS
    tagged = [
        number for number, post in enumerate(posts) if post.at_ms >= since and "#" in post.text
    ]
    for number in rng.sample(tagged, min(TRENDING_POSTS, len(tagged))):
        post = posts[number]
        others = [place for place in range(len(persons)) if place != post.author]
        for place in rng.sample(others, min(rng.choice(BOOSTERS), len(others))):
            yield Boost(rng.randrange(post.at_ms + 1, now), place, number)
