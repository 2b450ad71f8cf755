"""Measure what a post costs the worker and the store after it is posted.

Members with 50 followers each post in turn. TOGETHER posts wait at a time, from as many members,
and the groups of the outbox apply them; `discovery` has GATHERED posts at a time, as it looks once
a second. Processor time is counted, of this process and of the store. The reference is the group
`fanout` of the same posts, which delivers them: what the others add is seen in one run.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import count, cycle, islice
from random import Random

from webapp.accounts import keys as account_keys
from webapp.core.events.group_loop import GroupLoop
from webapp.core.events.outbox import DISCOVERY, OUTBOX_GROUPS
from webapp.core.process_memory import freeze_startup_objects
from webapp.core.store import PARTITIONS
from webapp.core.text.parser import parse
from webapp.registry import REGISTRY
from webapp.statuses.store import post

from .site import Site, add_members, fill_homes, follow, processor_seconds, site
from .table import Figure

AUTHORS, FOLLOWERS = range(1, 51), 50
READERS = range(1_000, 2_000)
TOGETHER, GATHERED, POSTS = 50, 600, 1_200
WORDS = (
    "larks sing while they climb and none has ever been heard to stop for breath over the hills of"
    " the north where wind is cold"
).split()
FORMS = count(1)  # each post has a form of its own
ADDITIONS = {"plain": "", "with a hashtag and a link": " #{word} https://example.org/{number}"}
MOST = {"plain": 210, "with a hashtag and a link": 260}  # percent of what its deliveries cost


class Worker:
    """Applies the events of all groups, and notes the processor seconds of each."""

    def __init__(self, here: Site) -> None:
        self._here = here
        self._loops = {group: GroupLoop(here, REGISTRY, group, "bench") for group in OUTBOX_GROUPS}
        self.seconds: dict[str, float] = defaultdict(float)
        for group, loop in self._loops.items():
            loop.acquire()
            self.apply(group)  # what the preparation caused
        freeze_startup_objects()  # as a worker does

    def apply(self, group: str) -> None:
        """Let one group apply all events that wait for it."""
        began = processor_seconds(self._here.db)
        busy = set(range(PARTITIONS))
        while busy:
            busy = self._loops[group].poll(busy)
        self.seconds[group] += processor_seconds(self._here.db) - began


def measure() -> list[Figure]:
    """Return, for each kind of post, what it costs and that beside its deliveries."""
    figures = []
    with site() as here:
        draw = Random(1)
        add_members(here.db, [*AUTHORS, *READERS])
        follow(here.db, {author: draw.sample(READERS, FOLLOWERS) for author in AUTHORS})
        cap, slack = here.config.home_max, here.config.home_slack
        fill_homes(here.db, map(account_keys.home, READERS), range(cap, cap + slack + 1), mark=True)
        worker = Worker(here)
        authors = cycle(AUTHORS)
        for kind, addition in ADDITIONS.items():
            _post_and_apply(here, worker, authors, draw, addition, GATHERED)  # fills the caches
            worker.seconds.clear()
            _post_and_apply(here, worker, authors, draw, addition, POSTS)
            total, deliveries = sum(worker.seconds.values()), worker.seconds["fanout"]
            name = f"the worker's and the store's time for a post, {kind}"
            figures += [
                Figure(name, total / POSTS * 1e6, "µs", deliveries / POSTS * 1e6),
                Figure(
                    f"… beside its deliveries, {kind}",
                    100 * total / deliveries,
                    "%",
                    target=MOST[kind],
                    at_most=True,
                ),
            ]
    return figures


def _post_and_apply(
    here: Site, worker: Worker, authors: Iterator[int], draw: Random, addition: str, posts: int
) -> None:
    for number in range(TOGETHER, posts + 1, TOGETHER):
        for author in islice(authors, TOGETHER):
            words = [draw.choice(WORDS) for _ in range(15)]
            text = " ".join(words) + addition.format(word=words[0], number=draw.randrange(20))
            post(here, author, parse(text, 280), f"form{next(FORMS)}")
        for group in OUTBOX_GROUPS:
            if group != DISCOVERY or number % GATHERED == 0:
                worker.apply(group)
