"""Generate a community: always the same one for a plan, without a store and without a clock."""

from dataclasses import dataclass
from datetime import timedelta
from random import Random

from webapp.core.store.ids import EPOCH_MS

from .acts.act import Post
from .people import Person, generate_people
from .plan.posts import plan_posts

DAY_MS = int(timedelta(days=1) / timedelta(milliseconds=1))
CANDIDATES_MAX = 600  # members considered when one chooses whom to follow
FOLLOWS_MEDIAN = 22
FOLLOWS_MAX = 160
FEATURED_FOLLOWS = range(32, 56)  # how many the featured member follows, if possible


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of a community. `now` is in unix ms."""

    seed: str
    now: int
    members: int = 300
    statuses: int = 3_000
    days: int = 60

    @property
    def start(self) -> int:
        """Return the time of the oldest status, in unix ms. No id is older than the epoch."""
        return max(self.now - self.days * DAY_MS, EPOCH_MS)


@dataclass(frozen=True, slots=True)
class Follow:
    """A follow, not before a time in unix ms. Both are places in the list of people."""

    follower: int
    target: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Community:
    """People at a time `now` (unix ms), and their follows and posts in order of time."""

    now: int
    people: list[Person]
    follows: list[Follow]
    posts: list[Post]
    followed: list[list[int]]  # for each person, whom they follow
    followers: list[list[int]]  # for each person, who follows them

    @property
    def featured_index(self) -> int:
        """Return the place of the member to sign in as.

        The member follows some forty others and has as many followers as possible.
        """
        candidates = [
            place
            for place, person in enumerate(self.people)
            if person.languages == ("en",) and person.avatar
        ]
        candidates = (
            [place for place in candidates if len(self.followed[place]) in FEATURED_FOLLOWS]
            or candidates
            or list(range(len(self.people)))
        )
        return max(candidates, key=lambda place: len(self.followers[place]))

    @property
    def protected_index(self) -> int | None:
        """Return the place of a member to protect: somebody small whom the featured one follows.

        The follow is a day old, and nobody has talked with them since. None if there is no such
        member.
        """
        since = self.now - DAY_MS
        busy = {post.author for post in self.posts if post.at_ms >= since}
        for post in self.posts:
            about = post.reply_to if post.quote is None else post.quote
            if post.at_ms >= since and about is not None:
                busy.add(self.posts[about].author)
        old = [
            one.target
            for one in self.follows
            if one.follower == self.featured_index and one.at_ms < since
        ]
        quiet = [place for place in old if place not in busy]
        return min(quiet, key=lambda place: len(self.followers[place]), default=None)


def plan_people(plan: Plan) -> list[Person]:
    """Generate the people of a plan. Their logins may be changed before they do anything."""
    return generate_people(Random(f"{plan.seed} people"), plan.members, plan.start, plan.now)


def generate_community(plan: Plan, persons: list[Person]) -> Community:
    """Generate the follows and the posts of a plan's people.

    Raises BadSetting if the phrase books have too little for so many posts.
    """
    follows = _follows(Random(f"{plan.seed} follows"), plan, persons)
    followed: list[list[int]] = [[] for _ in persons]
    followers: list[list[int]] = [[] for _ in persons]
    for follow in follows:
        followed[follow.follower].append(follow.target)
        followers[follow.target].append(follow.follower)
    rng = Random(f"{plan.seed} posts")
    posts = plan_posts(rng, persons, followed, plan.statuses, plan.start, plan.now)
    return Community(plan.now, persons, follows, posts, followed, followers)


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
    follows = []
    for i, j in pairs:
        since = max(persons[i].joined, persons[j].joined)
        follows.append(Follow(i, j, rng.randrange(since, plan.now)))
    return sorted(follows, key=lambda follow: follow.at_ms)


def _appeal(person: Person, other: Person) -> float:
    common = len(set(person.topics) & set(other.topics))
    return (
        other.popularity
        * (1 + 0.8 * common)
        * (1 if set(person.languages) & set(other.languages) else 0.12)
    )
