"""What a home timeline costs as a skip list and as a listpack, at two lengths, trimmed lazily and
at once, and in batches of several sizes: the memory of a home, the deliveries into it and the pages
read from it.

Each variant has a store of its own, filled alike: the store's `zset-max-listpack-entries` says
which sorted sets are listpacks, and with them the lists of follows and of active members. Rates are
by the processor time of the store's main thread, so that whatever else runs on the machine counts
for little. The reference is the site as it comes: skip lists of HOME_MAX entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from statistics import mean
from typing import Any

from redis import Redis

from webapp.config import Config
from webapp.timelines import keys as timeline_keys
from webapp.timelines.home.snapshot import read_home_command

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
    """How homes are kept."""

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
    """A store of one variant with its readers."""

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
            map(timeline_keys.home, READERS),
            range(variant.cap, variant.cap + variant.slack + 1),
            mark=True,
        )
        self._case = Case(here, {AUTHOR: self._readers}, POSTS)
        encoding = here.db.run(("OBJECT", "ENCODING", timeline_keys.home(READERS[0])))
        assert encoding == ("listpack" if variant.entries > variant.cap else "skiplist"), encoding

    def deliveries(self) -> float:
        """Deliveries a second of the store's time."""
        return self._case.scripts(self._clock)

    def batched(self, size: int) -> float:
        """As `deliveries`, in scripts of so many homes."""
        other = Case(
            Site(replace(self.here.config, fanout_batch=size), self.here.db),
            self._case.followers,
            POSTS,
        )
        return other.scripts(self._clock)

    def pages(self, deep: bool) -> float:
        """Return how many pages are read a second of the store's time.

        Each is the first of a home, or one DEEP entries below.
        """
        lasts = self._lasts() if deep else [None] * PAGES
        asked = zip(self._readers, lasts, strict=False)
        commands = [read_home_command(self.here.config, uid, last) for uid, last in asked]
        began = self._clock()
        self.here.db.trip(*commands)
        return PAGES / (self._clock() - began)

    def memory(self) -> float:
        """Bytes of a home, on average."""
        some = self._readers[:PAGES]
        return mean(
            self.here.db.trip(
                *(("MEMORY", "USAGE", timeline_keys.home(uid), "SAMPLES", 0) for uid in some)
            )
        )

    def _lasts(self) -> Sequence[int | None]:
        lasts = [
            ("ZRANGE", timeline_keys.home(uid), -DEEP, -DEEP, "WITHSCORES")
            for uid in self._readers[:PAGES]
        ]
        return [int(found[1]) for found in self.here.db.trip(*lasts)]

    def _clock(self) -> float:
        used: dict[str, Any] = self._plain.info("cpu")
        return float(used["used_cpu_user_main_thread"] + used["used_cpu_sys_main_thread"])


def measure() -> list[Figure]:
    """Each variant beside the site as it comes."""
    with ExitStack() as stack:
        usual = _place(stack, REFERENCE)
        found = [Figure(f"{REFERENCE.name}: memory", usual.memory(), "bytes")]
        for variant in OTHERS:
            found += _figures(variant, _place(stack, variant), usual)
        for size in BATCHES:
            name = f"{REFERENCE.name}, in batches of {size:,}: deliveries"
            batched = partial(usual.batched, size)
            found.append(compare(name, "/s", batched, usual.deliveries, ROUNDS))
        return found


def _place(stack: ExitStack, variant: Variant) -> Place:
    here = stack.enter_context(site(home_max=variant.cap, home_slack=variant.slack))
    return Place(here, variant)


def _figures(variant: Variant, place: Place, usual: Place) -> list[Figure]:
    mine, other = place.memory(), usual.memory()
    return [
        Figure(f"{variant.name}: memory", mine, "bytes", other, mine / other),
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
