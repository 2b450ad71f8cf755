"""Compare home timelines as skip lists and as listpacks: memory, deliveries and reads.

Variants differ in length, in lazy or immediate trimming, and in batch size.

Each variant has a store of its own, filled alike: the store's `zset-max-listpack-entries` says
which sorted sets are listpacks, and with them the lists of follows and of active members. Rates are
by the processor time of the store's main thread, so that whatever else runs on the machine counts
for little. The reference is the site as it comes: skip lists of HOME_MAX entries.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from statistics import mean
from typing import Any

from redis import Redis

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.timelines.home.stored_home import read_home_command

from .deliveries import Case
from .site import Site, add_members, fill_homes, follow, site
from .table import Figure, compare

AUTHOR, READERS = 1, range(2_000_000, 2_004_000)  # member ids
POSTS = 3  # in a round of deliveries
PAGES = 500  # in a round of reading
DEEP = 360  # entries above a deep page
ROUNDS = 5
USUAL, MANY = (
    128,
    1_000,
)  # entries a sorted set may have as a listpack: the store's default; all homes
CAP, SLACK = Config().home_max, Config().home_slack
BATCHES = (200, 500, 4_000)


@dataclass(frozen=True, slots=True)
class Variant:
    """Describe how homes are encoded and trimmed."""

    name: str
    entries: int
    cap: int = CAP
    slack: int = SLACK


REFERENCE = Variant(f"skip list of {CAP}", USUAL)
OTHERS = (
    Variant(f"listpack of {CAP}", MANY),
    Variant(f"skip list of {CAP // 2}", USUAL, CAP // 2),
    Variant(f"listpack of {CAP // 2}", MANY, CAP // 2),
    Variant(f"skip list of {CAP}, trimmed at once", USUAL, slack=0),
    Variant(f"listpack of {CAP}, trimmed at once", MANY, slack=0),
)


class Place:
    """Run a store of one variant with its readers."""

    def __init__(self, here: Site, variant: Variant) -> None:
        self.here, self._plain = here, Redis(connection_pool=here.db.primaries()[0])
        here.db.on_every_primary("CONFIG", "SET", "zset-max-listpack-entries", variant.entries)
        draw = Random(1)
        self._readers = draw.sample(
            READERS, len(READERS)
        )  # in no order in which they lie in memory
        add_members(here.db, [AUTHOR, *READERS])
        follow(here.db, {AUTHOR: self._readers})
        fill_homes(
            here.db,
            map(account_keys.home, READERS),
            range(variant.cap, variant.cap + variant.slack + 1),
            mark=True,
        )
        self._case = Case(here, {AUTHOR: self._readers}, POSTS)
        encoding = here.db.run(("OBJECT", "ENCODING", account_keys.home(READERS[0])))
        assert encoding == ("listpack" if variant.entries > variant.cap else "skiplist"), encoding

    def deliveries(self) -> float:
        """Return deliveries a second of the store's time."""
        return self._case.scripts(self._clock)

    def batched(self, size: int) -> float:
        """Return deliveries a second as `deliveries`, in scripts of `size` homes."""
        case = Case(
            Site(self.here.db, replace(self.here.config, fanout_batch=size)),
            self._case.followers,
            POSTS,
        )
        return case.scripts(self._clock)

    def pages(self, deep: bool) -> float:
        """Return how many pages are read a second of the store's time.

        Each is the first of a home, or one DEEP entries below.
        """
        lasts = self._lasts() if deep else [None] * PAGES
        requests = zip(self._readers, lasts, strict=False)
        commands = [read_home_command(self.here.config, uid, last) for uid, last in requests]
        began = self._clock()
        self.here.db.trip(*commands)
        return PAGES / (self._clock() - began)

    def memory(self) -> float:
        """Return the average bytes of a home."""
        uids = self._readers[:PAGES]
        return mean(
            self.here.db.trip(
                *(("MEMORY", "USAGE", account_keys.home(uid), "SAMPLES", 0) for uid in uids)
            )
        )

    def _lasts(self) -> Sequence[int | None]:
        lasts = [
            ("ZRANGE", account_keys.home(uid), -DEEP, -DEEP, "WITHSCORES")
            for uid in self._readers[:PAGES]
        ]
        return [int(score) for _, score in self.here.db.trip(*lasts)]

    def _clock(self) -> float:
        cpu: dict[str, Any] = self._plain.info("cpu")
        return float(cpu["used_cpu_user_main_thread"] + cpu["used_cpu_sys_main_thread"])


def measure() -> list[Figure]:
    """Compare each variant with the site's own."""
    with ExitStack() as stack:
        usual = _place(stack, REFERENCE)
        figures = [Figure(f"{REFERENCE.name}: memory", usual.memory(), "bytes")]
        for variant in OTHERS:
            figures += _figures(variant, _place(stack, variant), usual)
        for size in BATCHES:
            name = f"{REFERENCE.name}, in batches of {size:,}: deliveries"
            batched = partial(usual.batched, size)
            figures.append(compare(name, "/s", batched, usual.deliveries, ROUNDS))
        return figures


def _place(stack: ExitStack, variant: Variant) -> Place:
    here = stack.enter_context(site(home_max=variant.cap, home_slack=variant.slack))
    return Place(here, variant)


def _figures(variant: Variant, place: Place, usual: Place) -> list[Figure]:
    memory, usual_memory = place.memory(), usual.memory()
    return [
        Figure(f"{variant.name}: memory", memory, "bytes", usual_memory, memory / usual_memory),
        compare(f"{variant.name}: deliveries", "/s", place.deliveries, usual.deliveries, ROUNDS),
        compare(
            f"{variant.name}: first pages",
            "/s",
            lambda: place.pages(False),
            lambda: usual.pages(False),
            ROUNDS,
        ),
        compare(
            f"{variant.name}: deep pages",
            "/s",
            lambda: place.pages(True),
            lambda: usual.pages(True),
            ROUNDS,
        ),
    ]
