"""Makes a community up: the same one for the same plan, without a store and without a clock."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random

from ..ids import EPOCH_MS
from .people import Person, people
from .rhythm import times
from .writing import Writer

DAY_MS = int(timedelta(days=1) / timedelta(milliseconds=1))
CANDIDATES_MAX = 600  # members looked at when one chooses whom to follow
FOLLOWS_MEDIAN = 26
FOLLOWS_MOST = 160
SHOWN_FOLLOWS = range(32, 56)  # how many the member to sign in as follows, if there is such a one


@dataclass(frozen=True, slots=True)
class Plan:
    """What is wanted. `now` is in unix milliseconds."""

    seed: str
    now: int
    members: int = 300
    statuses: int = 6_000
    days: int = 60

    @property
    def start(self) -> int:
        """The time of the oldest status, unix ms; no id is older than the epoch."""
        return max(self.now - self.days * DAY_MS, EPOCH_MS)


@dataclass(frozen=True, slots=True)
class Follow:
    """Somebody (by place in the list of people) follows somebody since `at`, unix µs; no two at the same time."""

    follower: int
    target: int
    at: int


@dataclass(frozen=True, slots=True)
class Post:
    """What somebody (by place in the list of people) wrote at `at`, unix ms."""

    author: int
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Community:
    """The whole: `posts` and `follows` in order of time."""

    people: list[Person]
    follows: list[Follow]
    posts: list[Post]

    @property
    def shown(self) -> int:
        """Who makes the best first impression: follows some forty, and is followed by as many as possible."""
        follows = Counter(follow.follower for follow in self.follows)
        followers = Counter(follow.target for follow in self.follows)
        fitting = [i for i, person in enumerate(self.people) if person.languages == ("en",) and person.avatar]
        fitting = [i for i in fitting if follows[i] in SHOWN_FOLLOWS] or fitting or list(range(len(self.people)))
        return max(fitting, key=lambda i: followers[i])


def members(plan: Plan) -> list[Person]:
    """The people of a plan, without what they do: some names may have to be changed before."""
    return people(Random(f"{plan.seed} people"), plan.members, plan.start, plan.now)


def community(plan: Plan, who: list[Person]) -> Community:
    """What the people of a plan do."""
    follows = _follows(Random(f"{plan.seed} follows"), plan, who)
    return Community(who, follows, _posts(Random(f"{plan.seed} posts"), plan, who, follows))


def renamed(who: list[Person], logins: dict[str, str]) -> list[Person]:
    """The same people, with other logins where there are any."""
    return [replace(person, login=logins.get(person.login, person.login)) for person in who]


def _follows(rng: Random, plan: Plan, who: list[Person]) -> list[Follow]:
    """Everybody follows a few, mostly the popular, those of one's language and interests; some follow back."""
    pairs: dict[tuple[int, int], None] = {}
    for i, person in enumerate(who):
        others = [j for j in range(len(who)) if j != i]
        others = rng.sample(others, CANDIDATES_MAX) if len(others) > CANDIDATES_MAX else others
        # The largest u^(1/w): a draw without putting back, by weight (Efraimidis and Spirakis).
        drawn = sorted(others, key=lambda j: -(rng.random() ** (1 / _appeal(person, who[j]))))
        count = min(round(rng.lognormvariate(0, 0.7) * FOLLOWS_MEDIAN) + 2, FOLLOWS_MOST)
        pairs.update(dict.fromkeys((i, j) for j in drawn[:count]))
    for i, j in list(pairs):
        if rng.random() < 0.2:
            pairs[j, i] = None
    used: set[int] = set()
    follows = []
    for i, j in pairs:
        since = max(who[i].joined, who[j].joined)
        at = rng.randrange(since * 1000, plan.now * 1000)
        while at in used:
            at += 1
        used.add(at)
        follows.append(Follow(i, j, at))
    return sorted(follows, key=lambda follow: follow.at)


def _appeal(person: Person, other: Person) -> float:
    common = len(set(person.topics) & set(other.topics))
    return other.fame * (1 + 0.8 * common) * (1 if set(person.languages) & set(other.languages) else 0.12)


def _posts(rng: Random, plan: Plan, who: list[Person], follows: list[Follow]) -> list[Post]:
    friends: list[list[int]] = [[] for _ in who]
    for follow in follows:
        friends[follow.follower].append(follow.target)
    writer = Writer(rng, who, friends)
    return [
        Post(author, at, writer.write(author, at))
        for at, author in times(rng, who, plan.statuses, plan.start, plan.now)
    ]
