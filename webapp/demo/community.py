"""Generate a community: always the same one for a plan, without a store and without a clock."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random

from webapp.core.store.ids import EPOCH_MS

from .people import Person, generate_people
from .rhythm import posting_times
from .writing import Writer

DAY_MS = int(timedelta(days=1) / timedelta(milliseconds=1))
CANDIDATES_MAX = 600  # members considered when one chooses whom to follow
FOLLOWS_MEDIAN = 26
FOLLOWS_MAX = 160
FEATURED_FOLLOWS = range(32, 56)  # how many the featured member follows, if possible


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of a community. `now` is in unix ms."""

    seed: str
    now: int
    members: int = 300
    statuses: int = 6_000
    days: int = 60

    @property
    def start(self) -> int:
        """Return the time of the oldest status, in unix ms. No id is older than the epoch."""
        return max(self.now - self.days * DAY_MS, EPOCH_MS)


@dataclass(frozen=True, slots=True)
class Follow:
    """A follow. Both are places in the list of people; the time, in unix µs, is unique."""

    follower: int
    target: int
    at_us: int


@dataclass(frozen=True, slots=True)
class Post:
    """A post at a time in unix ms. The author is a place in the list of people."""

    author: int
    at_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class Community:
    """People, and their follows and posts in order of time."""

    people: list[Person]
    follows: list[Follow]
    posts: list[Post]

    @property
    def featured_index(self) -> int:
        """Return the place of the member to sign in as.

        The member follows some forty others and has as many followers as possible.
        """
        follows = Counter(follow.follower for follow in self.follows)
        followers = Counter(follow.target for follow in self.follows)
        candidates = [
            i
            for i, person in enumerate(self.people)
            if person.languages == ("en",) and person.avatar
        ]
        candidates = (
            [i for i in candidates if follows[i] in FEATURED_FOLLOWS]
            or candidates
            or list(range(len(self.people)))
        )
        return max(candidates, key=lambda i: followers[i])


def plan_people(plan: Plan) -> list[Person]:
    """Generate the people of a plan. Their logins may be changed before they do anything."""
    return generate_people(Random(f"{plan.seed} people"), plan.members, plan.start, plan.now)


def generate_community(plan: Plan, persons: list[Person]) -> Community:
    """Generate what the people of a plan do."""
    follows = _follows(Random(f"{plan.seed} follows"), plan, persons)
    return Community(persons, follows, _posts(Random(f"{plan.seed} posts"), plan, persons, follows))


def with_logins(persons: list[Person], logins: dict[str, str]) -> list[Person]:
    """Return the people, with the logins that `logins` replaces."""
    return [replace(person, login=logins.get(person.login, person.login)) for person in persons]


def _follows(rng: Random, plan: Plan, persons: list[Person]) -> list[Follow]:
    """Generate follows: mostly of popular members with a common language or interest.

    Some are mutual.
    """
    pairs: dict[tuple[int, int], None] = {}
    for i, person in enumerate(persons):
        candidates = [j for j in range(len(persons)) if j != i]
        candidates = (
            rng.sample(candidates, CANDIDATES_MAX)
            if len(candidates) > CANDIDATES_MAX
            else candidates
        )
        # The largest u^(1/w): weighted sampling without replacement (Efraimidis, Spirakis).
        weighted_draw = sorted(
            candidates, key=lambda j: -(rng.random() ** (1 / _appeal(person, persons[j])))
        )
        count = min(round(rng.lognormvariate(0, 0.7) * FOLLOWS_MEDIAN) + 2, FOLLOWS_MAX)
        pairs.update(dict.fromkeys((i, j) for j in weighted_draw[:count]))
    for i, j in list(pairs):
        if rng.random() < 0.2:
            pairs[j, i] = None
    used_times: set[int] = set()
    follows = []
    for i, j in pairs:
        since = max(persons[i].joined, persons[j].joined)
        at_us = rng.randrange(since * 1000, plan.now * 1000)
        while at_us in used_times:
            at_us += 1
        used_times.add(at_us)
        follows.append(Follow(i, j, at_us))
    return sorted(follows, key=lambda follow: follow.at_us)


def _appeal(person: Person, other: Person) -> float:
    common = len(set(person.topics) & set(other.topics))
    return (
        other.popularity
        * (1 + 0.8 * common)
        * (1 if set(person.languages) & set(other.languages) else 0.12)
    )


def _posts(rng: Random, plan: Plan, persons: list[Person], follows: list[Follow]) -> list[Post]:
    followed: list[list[int]] = [[] for _ in persons]
    for follow in follows:
        followed[follow.follower].append(follow.target)
    writer = Writer(rng, persons, followed)
    return [
        Post(author, at_ms, writer.write(author, at_ms))
        for at_ms, author in posting_times(rng, persons, plan.statuses, plan.start, plan.now)
    ]
