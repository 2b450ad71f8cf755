"""A site as queues: posts that wait in partitions, workers and primaries that have a core each.

A worker applies the posts of the partitions that it holds. Their deliveries go to all partitions,
so each primary gets an even share of them. While a primary is away, members of its partitions
cannot post, and nothing is delivered to anybody, since a batch of deliveries asks all primaries.
"""

from dataclasses import dataclass, field
from math import ceil

from webapp.core.store import PARTITIONS
from webapp.limits import Limits

STEP = 0.1  # seconds
BATCH, OUTBOX_MAX = Limits().fanout_batch, Limits().outbox_max  # homes; posts of a partition
LATE = 1.0  # seconds, from which on a post counts as late


@dataclass(frozen=True, slots=True)
class Parts:
    """Processor seconds of one side, a worker or the stores, for what a post causes."""

    post: float
    delivery: float
    script: float  # of deliveries

    def of(self, followers: float, scripts: float) -> float:
        """Return the seconds of a post."""
        return self.post + followers * self.delivery + scripts * self.script


@dataclass(frozen=True, slots=True)
class Costs:
    """What was measured. `posting`: seconds of the store while a post is taken."""

    worker: Parts
    store: Parts
    posting: float


@dataclass(frozen=True, slots=True)
class Load:
    """A site under load. `hot_share`: of all posts, those in one partition.

    `away`: when the first primary is away, from and until, in seconds.
    """

    posts: float  # a second
    followers: float
    primaries: int
    workers: int
    hot_share: float = 1 / PARTITIONS
    away: tuple[float, float] = (0.0, 0.0)
    together: float = 1  # posts of a partition that a worker takes at a time

    @property
    def weights(self) -> list[float]:
        """Return each partition's share of the posts."""
        rest = (1 - self.hot_share) / (PARTITIONS - 1)
        return [self.hot_share, *[rest] * (PARTITIONS - 1)]

    @property
    def scripts(self) -> float:
        """Return the scripts that deliver a post."""
        return scripts(self.followers, self.together, is_split=self.primaries > 1)

    @property
    def shares(self) -> list[float]:
        """Return each primary's share of the partitions."""
        firsts = range(self.primaries)
        return [len(range(first, PARTITIONS, self.primaries)) / PARTITIONS for first in firsts]

    @property
    def posting_shares(self) -> list[float]:
        """Return each primary's share of the posts that are taken."""
        firsts = range(self.primaries)
        return [sum(self.weights[first :: self.primaries]) for first in firsts]


def scripts(followers: float, together: float, is_split: bool) -> float:
    """Return the scripts that deliver a post: one for a batch, on a Cluster one a partition.

    Followers are spread evenly, so a small batch misses some partitions.
    """
    homes = followers * together
    batches = ceil(homes / BATCH)
    each = PARTITIONS * (1 - (1 - 1 / PARTITIONS) ** min(homes, BATCH)) if is_split else 1
    return batches * each / together


@dataclass(slots=True)
class Outcome:
    """What happened. `longest`: seconds that a post waited. `late_until`: when the last one was."""

    busiest_primary: float = 0.0  # of its core
    busiest_worker: float = 0.0
    longest: float = 0.0
    late_until: float = 0.0
    refused: float = 0.0  # posts
    waiting: list[float] = field(default_factory=lambda: [0.0] * PARTITIONS)  # posts


def needs(costs: Costs, load: Load) -> tuple[float, list[float]]:
    """Return the processor seconds of a post: of a worker, and of each primary."""
    store = costs.store.of(load.followers, load.scripts)
    return costs.worker.of(load.followers, load.scripts), [store * one for one in load.shares]


def simulate(costs: Costs, load: Load, seconds: float = 120.0) -> Outcome:
    """Let posts come for some time, evenly, and return what happened."""
    outcome = Outcome()
    for step in range(round(seconds / STEP)):
        now = step * STEP
        is_away = load.away[0] <= now < load.away[1]
        _arrive(load, outcome, is_away)
        if not is_away:
            _work(costs, load, outcome)
        rates = zip(outcome.waiting, load.weights, strict=True)
        wait = max(count / (weight * load.posts) for count, weight in rates)
        outcome.longest = max(outcome.longest, wait)
        if wait > LATE:
            outcome.late_until = now
    return outcome


def _arrive(load: Load, outcome: Outcome, is_away: bool) -> None:
    for p, weight in enumerate(load.weights):
        new = load.posts * weight * STEP
        if (is_away and p % load.primaries == 0) or outcome.waiting[p] + new > OUTBOX_MAX:
            outcome.refused += new
        else:
            outcome.waiting[p] += new


def _work(costs: Costs, load: Load, outcome: Outcome) -> None:
    """Apply what waits, as far as the cores of workers and primaries reach in one step."""
    of_worker, of_primaries = needs(costs, load)
    served = list(outcome.waiting)
    for worker in range(load.workers):
        held = range(worker, PARTITIONS, load.workers)
        reached = min(1.0, STEP / (of_worker * sum(served[p] for p in held) or STEP))
        for p in held:
            served[p] *= reached
    posting = [load.posts * STEP * costs.posting * share for share in load.posting_shares]
    reached = min(
        (STEP - taken) / (one * sum(served) or STEP)
        for taken, one in zip(posting, of_primaries, strict=True)
    )
    served = [count * min(1.0, max(reached, 0.0)) for count in served]
    outcome.waiting = [a - b for a, b in zip(outcome.waiting, served, strict=True)]
    busy = [taken + one * sum(served) for taken, one in zip(posting, of_primaries, strict=True)]
    outcome.busiest_primary = max(outcome.busiest_primary, *(one / STEP for one in busy))
    for worker in range(load.workers):
        used = of_worker * sum(served[p] for p in range(worker, PARTITIONS, load.workers))
        outcome.busiest_worker = max(outcome.busiest_worker, used / STEP)
