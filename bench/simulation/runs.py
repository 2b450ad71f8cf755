"""Runs of one and three nodes: what a post costs the worker and each store.

Members of as many partitions post in turn, TOGETHER at a time, and a worker applies all groups.
Processor time is counted, as what else runs disturbs it least. The first round fills caches.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from bench.deliveries import drain
from bench.site import FREE, OLD_AUTHOR, OLD_MS, Site, add_members, send
from tests.support.cluster import start_cluster
from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events.group_loop import GroupLoop
from webapp.core.events.outbox import OUTBOX_GROUPS
from webapp.core.store import PARTITIONS, Db, first_id_at
from webapp.core.store.connection import connect
from webapp.core.store.reads import parse_info
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.registry import REGISTRY
from webapp.server.embedded_store import HASH_LISTPACKS
from webapp.statuses.store import post

READERS = range(1_000, 2_000)  # member ids
SIZES = (50, 150, 400)  # followers; each size has an author in each partition
TOGETHER = 50
TEXT = parse("Larks sing while they climb, and I have never heard one stop for breath.", 280)
FORMS = count(1)


@dataclass(frozen=True, slots=True)
class Used:
    """Processor seconds of a post: of the worker, and of each store, its posting apart."""

    worker: float
    stores: tuple[float, ...]
    posting: float  # of all stores


@contextmanager
def cluster() -> Iterator[Site]:
    """Run an empty Cluster of three that does not write to disk."""
    with TemporaryDirectory(prefix="linnet-bench-") as folder, start_cluster(Path(folder)) as url:
        config = Config(
            redis_url=url,
            data_dir=Path(folder),
            secret_key="bench",
            log_level="WARNING",
            limit_post=FREE,
        )
        db = connect(config)
        for name, value in HASH_LISTPACKS.items():
            db.on_every_primary("CONFIG", "SET", name, value)
        yield Site(db, config)
        db.close()


def prepare(here: Site) -> None:
    """Make members, followers and full homes."""
    draw, db = Random(1), here.db
    authors = {author(size, p): size for size in SIZES for p in range(PARTITIONS)}
    add_members(db, [*authors, *READERS])
    first = first_id_at(OLD_MS)
    ids = range(first, first + here.config.home_max * PARTITIONS, PARTITIONS)
    entries = [part for one in ids for part in (one, f"{one}:{OLD_AUTHOR}")]
    for uid in READERS:
        db.run(("ZADD", account_keys.home(uid), *entries, -1, "more"))
    pairs = [(one, uid) for one, size in authors.items() for uid in draw.sample(READERS, size)]
    at = OLD_MS * 1000
    send(db, (("ZADD", following_keys.followers(one), at + uid, uid) for one, uid in pairs))
    send(db, (("ZADD", following_keys.following(uid), at + one, one) for one, uid in pairs))


def author(size: int, partition: int) -> int:
    """Return the author with so many followers in a partition."""
    return 64 * (1 + SIZES.index(size)) + partition


def measure(here: Site, size: int) -> Used:
    """Post TOGETHER times, apply all of it, and return what a post took."""
    loops = [GroupLoop(here, REGISTRY, group, "bench") for group in OUTBOX_GROUPS]
    for loop in loops:
        loop.acquire()
        drain(loop, range(PARTITIONS))
    before = _stores(here.db)
    for number in range(TOGETHER):
        post(here, author(size, number), TEXT, f"form{next(FORMS)}")
    posted, began = _stores(here.db), time.process_time()
    for loop in loops:
        drain(loop, range(PARTITIONS))
    worker, after = time.process_time() - began, _stores(here.db)
    for loop in loops:
        loop.release()
    stores = tuple((b - a) / TOGETHER for a, b in zip(posted, after, strict=True))
    return Used(worker / TOGETHER, stores, (sum(posted) - sum(before)) / TOGETHER)


def typical(rounds: list[Used]) -> Used:
    """Return the medians of rounds of one kind. The first round does not count."""
    rest = rounds[1:]
    stores = zip(*(one.stores for one in rest), strict=True)
    return Used(
        median(one.worker for one in rest),
        tuple(map(median, stores)),
        median(one.posting for one in rest),
    )


def _stores(db: Db) -> list[float]:
    """Return the processor seconds of each store's main thread."""
    infos = map(parse_info, db.on_every_primary("INFO", "cpu"))
    names = ("used_cpu_user_main_thread", "used_cpu_sys_main_thread")
    return [sum(float(info[name]) for name in names) for info in infos]
