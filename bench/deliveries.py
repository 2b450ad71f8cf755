"""Measure how fast one worker delivers statuses into full home timelines, with all checks.

Statuses are posted by the site's own script. What is timed is the worker from there on: it reads
the outboxes with XREADGROUP, walks the followers, runs the delivery scripts and acknowledges; one
process, one thread. The homes it writes hold HOME_MAX entries and, spread evenly, up to HOME_SLACK
more, as they do in the long run, so that trimming has its share.

The reference is what delivers without any check: for each status one redis-py pipeline (hiredis, no
transaction, at most 1,000 homes each) with ZADD and ZREMRANGEBYRANK into as many timelines of
HOME_MAX entries, whose names are ready made. The second is the server at the worker's own scripts
with no Python in between: the very commands that the worker would send, made and packed before the
clock runs, go down one connection in one piece. (A load tool that fills in random numbers cannot
give each script a status and readers of its own.) All write to the same server over its Unix
socket; it does not write to disk. The groups `log` and `discovery` are not timed here.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from random import Random
from time import perf_counter
from typing import Any

from redis import Redis

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.group_loop import GroupLoop
from webapp.core.store import PARTITIONS, Command, Db, Site, partition_of
from webapp.core.store.servers.routing import SingleServer
from webapp.core.text.parser import parse
from webapp.registry import REGISTRY
from webapp.statuses.store import post
from webapp.timelines.fanout.deliver import DELIVER

from .site import add_members, fill_homes, follow, send, site
from .table import Figure, compare

FIRST = 1_000  # member id of the first follower; authors have smaller ones
AWAY, ABSENT = 33, 2_000_000  # member ids of an author, and of the first follower who stays away
TEXT = parse("Larks sing while they climb, and I have never heard one stop for breath. #larks", 280)
BATCH = 1_000  # homes in one pipeline of the reference
ROUNDS = 7
SHORT_ROUNDS = 31  # of what takes some 40 ms, which other work on the machine disturbs most
FORMS = count(1)  # each status has a form of its own
Clock = Callable[[], float]  # seconds


class Grouped(Db):
    """Send one script for each partition to a single server, as to a Cluster."""

    is_single_server = property(lambda self: False)


class Recorder(Db):
    """Record the delivery scripts of a worker, and send every other command."""

    def trip_with_errors(self, commands: Sequence[Command]) -> list[Any]:
        self.recorded = getattr(self, "recorded", [])
        deliveries = [command[:2] == ("EVALSHA", DELIVER) for command in commands]
        self.recorded += [
            command
            for command, is_delivery in zip(commands, deliveries, strict=True)
            if is_delivery
        ]
        replies = iter(
            super().trip_with_errors(
                [
                    command
                    for command, is_delivery in zip(commands, deliveries, strict=True)
                    if not is_delivery
                ]
            )
        )
        return [0 if is_delivery else next(replies) for is_delivery in deliveries]


class Case:
    """Hold authors with followers, and the ways to deliver their posts.

    `away`: all followers are inactive, and nothing may reach them.
    """

    def __init__(
        self, here: Site, followers: dict[int, list[int]], posts: int, away: bool = False
    ) -> None:
        self.here, self.followers, self.posts, self.away = here, followers, posts, away
        self._plain = Redis(connection_pool=here.db.primaries()[0])
        self._next = 10**15  # the reference's status ids

    def ours(self, db: Db) -> float:
        """Return deliveries a second of the worker."""
        newest, seconds = self._work(db)
        self._check(newest)
        self._tidy()
        return self._total / seconds

    def scripts(self, clock: Clock = perf_counter) -> float:
        """Return deliveries a second, by this clock, of the worker's scripts alone."""
        recorder = Recorder(SingleServer(self.here.db.primaries()[0]))
        newest, _ = self._work(recorder)
        with self._plain.client() as client:
            client.script_load(DELIVER.text)
            connection = client.connection
            packed = connection.pack_commands(
                [("EVALSHA", DELIVER.sha, *command[2:]) for command in recorder.recorded]
            )
            began = clock()
            connection.send_packed_command(packed)
            delivered = sum(int(connection.read_response()) for _ in recorder.recorded)
            seconds = clock() - began
        assert delivered == self._total
        self._check(newest)
        self._tidy()
        return delivered / seconds

    def _work(self, db: Db) -> tuple[dict[int, int], float]:
        """Let everybody post and a worker apply it.

        Return the newest status of each author, and how many seconds the worker took.
        """
        loop = GroupLoop(Site(db, self.here.config), REGISTRY, "fanout", "bench")
        loop.acquire()
        drain(
            loop, range(PARTITIONS)
        )  # nothing yet: a worker that has just begun looks for what another left
        newest = {
            author: self._post(author) for _ in range(self.posts) for author in self.followers
        }
        began = perf_counter()
        drain(loop, map(partition_of, self.followers))
        seconds = perf_counter() - began
        loop.release()
        return newest, seconds

    def reference(self) -> float:
        """Return deliveries a second of the pipelines."""
        names = {
            author: [f"plain:{uid}" for uid in uids] for author, uids in self.followers.items()
        }
        last = -self.here.config.home_max - 1
        began = perf_counter()
        for _ in range(self.posts):
            for author, homes in names.items():
                self._next += 64
                entry = {f"{self._next}:{author}": self._next}
                for start in range(0, len(homes), BATCH):
                    self._deliver(homes[start : start + BATCH], entry, last)
        return self._total / (perf_counter() - began)

    def _deliver(self, homes: Sequence[str], entry: dict[str, int], last: int) -> None:
        pipeline = self._plain.pipeline(transaction=False)
        for home in homes:
            pipeline.zadd(home, entry)
            pipeline.zremrangebyrank(home, 0, last)
        pipeline.execute()

    @property
    def _total(self) -> int:
        return self.posts * sum(map(len, self.followers.values()))

    def _post(self, author: int) -> int:
        return post(self.here, author, TEXT, f"form{next(FORMS)}")

    def _check(self, newest: dict[int, int]) -> None:
        """Check that the newest statuses were delivered, or to nobody if `away`."""
        for author, status_id in newest.items():
            entry = f"{status_id}:{author}"
            scores = self.here.db.trip(
                *(("ZSCORE", account_keys.home(uid), entry) for uid in self.followers[author])
            )
            missing = scores.count(None)
            assert missing == (len(scores) if self.away else 0), f"{missing} homes lack {entry}"

    def _tidy(self) -> None:
        """Apply the events of the other group and trim the outboxes."""
        loop = GroupLoop(self.here, REGISTRY, "log", "bench")
        loop.acquire()
        drain(loop, range(PARTITIONS))
        loop.release()
        send(
            self.here.db, (("XTRIM", event_keys.outbox(p), "MAXLEN", 0) for p in range(PARTITIONS))
        )


def drain(loop: GroupLoop, woken: Iterable[int]) -> None:
    """Poll a worker's loop until no partition has more events."""
    busy = set(woken)
    while busy:
        busy = loop.poll(busy)


def measure() -> list[Figure]:
    """Measure deliveries at 50, 1,000 and 10,000 followers.

    The scripts are grouped as for one server and as for a Cluster.
    """
    with site() as here:
        cases = prepare(here)
        grouped = Grouped(SingleServer(here.db.primaries()[0]))
        figures = []
        for size, case in cases.items():
            target_ratio = 1.3 if size < 1_000 else 1.8
            for suffix, db, target in (
                ("", here.db, target_ratio),
                (", by partition", grouped, None),
            ):
                name = f"deliveries, {size:,} followers{suffix}"
                figures.append(
                    compare(name, "/s", partial(case.ours, db), case.reference, ROUNDS, target)
                )
            name = f"deliveries, {size:,} followers, beside the scripts alone"
            ours = partial(case.ours, here.db)
            rounds = SHORT_ROUNDS if size < 1_000 else ROUNDS
            figures.append(compare(name, "/s", ours, case.scripts, rounds, 0.6))
        active = cases[10_000]
        away = Case(here, {AWAY: prepare_away(here)}, active.posts, away=True)
        name = "10,000 followers who stay away, beside such who do not"
        ours, active_rate = partial(away.ours, here.db), partial(active.ours, here.db)
        figures.append(compare(name, "/s", ours, active_rate, ROUNDS, 3.0))
    return figures


def prepare_away(here: Site) -> list[int]:
    """Create an author whose followers are all inactive. Return their uids."""
    uids = list(range(ABSENT, ABSENT + 10_000))
    add_members(here.db, [AWAY])
    follow(here.db, {AWAY: uids})
    return uids


def prepare(here: Site) -> dict[int, Case]:
    """Make the cases, by their number of followers.

    20 authors have 50 of their own, one has 1,000, one has 10,000. Who followed when is drawn, so
    that homes are not visited in the order in which they lie in memory.
    """
    draw = Random(1)
    uids = list(range(FIRST, FIRST + 10_000))
    small = {author: draw.sample(uids[:1_000], 50) for author in range(1, 21)}
    followers = {
        50: small,
        1_000: {31: draw.sample(uids, 1_000)},
        10_000: {32: draw.sample(uids, 10_000)},
    }
    add_members(here.db, [*range(1, 33), *uids])
    follow(here.db, {author: fans for case in followers.values() for author, fans in case.items()})
    cap, slack = here.config.home_max, here.config.home_slack
    fill_homes(here.db, map(account_keys.home, uids), range(cap, cap + slack + 1), mark=True)
    fill_homes(here.db, (f"plain:{uid}" for uid in uids), range(cap, cap + 1), mark=False)
    posts = {50: 10, 1_000: 10, 10_000: 2}
    return {size: Case(here, fans, posts[size]) for size, fans in followers.items()}
