"""Simulate sites that no machine here could run: thousands of posts a second, one partition with
far more than its share, a primary that is away.

Three kinds of runs on one node, and one on three, give what a post, a delivery and a script cost.
The model is then compared with the other runs on one node and three, which it was not made from.
"""

from collections import defaultdict
from contextlib import ExitStack
from dataclasses import asdict, replace
from itertools import count
from math import ceil

from webapp.core.store import PARTITIONS, Site
from webapp.core.store.servers.routing import SingleServer

from .deliveries import Grouped
from .simulation.model import Costs, Load, Outcome, Parts, needs, scripts, simulate
from .simulation.runs import SIZES, Used, cluster, measure as run, prepare, typical
from .site import site
from .table import Figure

ROUNDS = 6
FEW, _, MANY = SIZES
FULL = 0.7  # of a core: more leaves no room for what comes unevenly
POSTS, DELIVERIES = 6_000, 400_000  # a second
HOT = 0.1  # of all posts, in one partition
AWAY = (30.0, 45.0)  # seconds in which a primary is away
ERROR = 15  # percent, at most
ONE, SPLIT, THREE = "one node", "one node as a Cluster", "three nodes"
FITTED = (ONE, FEW), (ONE, MANY), (SPLIT, FEW), (THREE, FEW)
Runs = dict[tuple[str, int], Used]


def measure() -> list[Figure]:
    """Return how far the model is from the runs, and what becomes of large sites."""
    used = _runs()
    costs = fitted(used)
    parts = [
        Figure(f"model: a {name}, {side}", seconds * 1e6, "µs")
        for side, each in (("the worker", costs.worker), ("the stores", costs.store))
        for name, seconds in asdict(each).items()
    ]
    return [*parts, *_checks(costs, used), *_scenarios(costs)]


def _runs() -> Runs:
    """Take all runs in turn, so that what else the machine does disturbs all alike."""
    rounds: dict[tuple[str, int], list[Used]] = defaultdict(list)
    with ExitStack() as stack:
        one, three = stack.enter_context(site()), stack.enter_context(cluster())
        for here in (one, three):
            prepare(here)
        split = Site(Grouped(SingleServer(one.db.primaries()[0])), one.config)
        for _ in range(ROUNDS):
            for name, here in ((ONE, one), (SPLIT, split), (THREE, three)):
                for size in SIZES:
                    rounds[name, size].append(run(here, size))
    return {kind: typical(each) for kind, each in rounds.items()}


def fitted(used: Runs) -> Costs:
    """Return the costs that follow from the runs of FITTED.

    What a script costs a worker is seen on three nodes only: it has to find the server, and to ask
    several at once.
    """
    few, many, split, three = (used[kind] for kind in FITTED)
    store = _parts(few.stores[0], many.stores[0], split.stores[0])
    return Costs(_parts(few.worker, many.worker, three.worker), store, few.posting)


def _parts(few: float, many: float, split: float) -> Parts:
    """Return the seconds of a post, a delivery and a script that explain three runs."""
    at_few, at_many = (scripts(size, 1, is_split=False) for size in (FEW, MANY))
    script = (split - few) / (scripts(FEW, 1, is_split=True) - at_few)
    delivery = (many - few - script * (at_many - at_few)) / (MANY - FEW)
    return Parts(few - FEW * delivery - at_few * script, delivery, script)


def _checks(costs: Costs, used: Runs) -> list[Figure]:
    """Return what the model says of the runs that it was not made from, beside what they took."""
    figures = []
    for (name, size), seen in used.items():
        if name == SPLIT or (name, size) in FITTED:
            continue
        nodes = len(seen.stores)
        worker, stores = needs(costs, Load(1, size, primaries=nodes, workers=1))
        for what, model, measured in (
            ("the worker", worker, seen.worker),
            ("the busiest store", max(stores), max(seen.stores)),
        ):
            figures.append(
                Figure(
                    f"model: a post with {size} followers, {name}, {what}",
                    model * 1e6,
                    "µs",
                    measured * 1e6,
                    model / measured,
                )
            )
    worst = max(abs((one.ratio or 0) - 1) for one in figures) * 100
    return [*figures, Figure("model: largest error", worst, "%", target=ERROR, at_most=True)]


def _scenarios(costs: Costs) -> list[Figure]:
    load = enough(costs, Load(POSTS, DELIVERIES / POSTS, primaries=3, workers=1))
    usual, name = simulate(costs, load), f"{POSTS:,} posts and {DELIVERIES:,} deliveries a second"
    hot, lost = replace(load, hot_share=HOT), replace(load, away=AWAY)
    shares = (number / 100 for number in count(2))
    most = next(one for one in shares if _is_late(simulate(costs, replace(load, hot_share=one))))
    return [
        Figure(f"{name}: primaries", load.primaries, ""),
        Figure(f"{name}: workers", load.workers, ""),
        Figure(f"{name}: busiest primary", usual.busiest_primary * 100, "%"),
        *_waits(f"{HOT:.0%} of the posts in one partition", simulate(costs, hot)),
        Figure("share of one partition from which posts are late", most * 100, "%"),
        *_waits(f"a primary away for {AWAY[1] - AWAY[0]:.0f} s", simulate(costs, lost)),
    ]


def enough(costs: Costs, load: Load) -> Load:
    """Return the load with the fewest workers and primaries that are FULL at most."""
    store = costs.posting + costs.store.of(load.followers, load.scripts)
    workers = _fewest(costs.worker.of(load.followers, load.scripts) * load.posts)
    return replace(load, workers=workers, primaries=max(_fewest(store * load.posts), 3))


def _fewest(cores: float) -> int:
    """Return how many processes share so much work by partitions, so that none is too FULL."""
    counts = range(1, PARTITIONS + 1)
    fit = (n for n in counts if cores * ceil(PARTITIONS / n) / PARTITIONS <= FULL)
    return next(fit, PARTITIONS)


def _is_late(outcome: Outcome) -> bool:
    return outcome.late_until > 0


def _waits(name: str, outcome: Outcome) -> list[Figure]:
    return [
        Figure(f"{name}: longest wait for a delivery", outcome.longest, "s"),
        Figure(f"{name}: refused posts", outcome.refused, ""),
        Figure(f"{name}: late until second", outcome.late_until, ""),
    ]
