"""A worker's loop for one group: it holds partitions, applies their events and runs jobs."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

from webapp.core.errors import LeaseLost, Unavailable
from webapp.core.logs import log, log_pause
from webapp.core.store import PARTITIONS, Db, Read, Site
from webapp.core.store.pubsub import Subscription
from webapp.core.store.steps import Steps, outcomes_of

from .bulk_consumer import BulkConsumer
from .consumer import PartitionConsumer, sweep_command
from .keys import BULK_WAKE_CHANNEL, WAKE_CHANNEL
from .leases import Leases
from .outbox import BULK, DISCOVERY
from .registry import Registry
from .schedule.precedence import Precedence
from .schedule.scheduled import compute_due

JOBS_GROUP = DISCOVERY  # the group whose loop also runs the jobs: deliveries do not wait for them
DUE_EVERY_SECONDS = 1.0  # between two rounds of the due jobs
JOBS_EVERY_SECONDS = 60.0  # between two rounds of one partition's jobs
DISCOVERY_SECONDS = 1.0  # in which events gather for the group `discovery`
# In which events gather for other groups, after a turn that had some: so the first one waits for
# nothing. Why, measured: four events together cost the worker and the store 0.7 of their time.
GATHER_SECONDS = 0.02
DOWN_SECONDS = 0.5  # pause after a failure, usually of the store
Consumer = PartitionConsumer | BulkConsumer


class WakeupListener:
    """A subscription to a group's wake-ups. A missed one costs at most one poll interval."""

    def __init__(self, db: Db, group: str) -> None:
        channel = BULK_WAKE_CHANNEL if group == BULK else WAKE_CHANNEL
        self._subscription = Subscription(db, channel)

    def wait(self, seconds: float) -> set[int]:
        """Return the partitions that were woken, after at most `seconds`."""
        return set(map(int, self._subscription.wait(seconds).messages))

    def close(self) -> None:
        """End the subscription. The next `wait` opens another one."""
        self._subscription.close()


class Pause:
    """The wait of a group that nothing wakes, so that its events gather and share their trips."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop

    def wait(self, seconds: float) -> set[int]:
        """Return no partitions, after so many seconds or once the worker stops."""
        self._stop.wait(seconds)
        return set()

    def close(self) -> None:
        """Do nothing: nothing is open."""


class GroupLoop:
    """One group's events, for the partitions that this worker holds."""

    def __init__(
        self,
        site: Site,
        registry: Registry,
        group: str,
        owner: str,
        precedence: Precedence | None = None,
    ) -> None:
        self._site, self._registry, self._group = site, registry, group
        self._precedence = precedence or Precedence()
        self._leases = Leases(site, group, owner)
        self._consumers: dict[int, Consumer] = {}
        self._stop = threading.Event()
        self._jobs_ran_at: dict[int, float] = {}
        self._due_ran_at = 0.0
        self._polled_at = 0.0
        self._is_behind = group == DISCOVERY
        self._poll_seconds = DISCOVERY_SECONDS if self._is_behind else site.config.poll_seconds

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set. A store that does not answer is waited for."""
        self._stop = stop
        listener = Pause(stop) if self._is_behind else WakeupListener(self._site.db, self._group)
        busy: set[int] = set()
        while not stop.is_set():
            try:
                busy = self._turn(listener, busy)
            except Exception as error:  # a loop that ended would stop the site's timelines
                log_pause(f"{self._group} pauses", error)
                for consumer in self._consumers.values():
                    consumer.reread_pending()
                stop.wait(DOWN_SECONDS)
        listener.close()
        self.release()

    def acquire(self, partitions: Iterable[int] = range(PARTITIONS)) -> None:
        """Take those of these partitions that are free. One trip."""
        self._site.db.read(self.acquire_read(partitions))

    def acquire_read(self, partitions: Iterable[int] = range(PARTITIONS)) -> Read[None]:
        """Return `acquire` as a read, so that several loops can share its trip."""
        return self._leases.acquire_read(partitions).map(lambda _: self._sync_leases())

    def poll(self, partitions: Iterable[int]) -> set[int]:
        """Apply one batch of events, or one slice, of each partition. Return those with more to do.

        The partitions share their trips. A stopped worker leaves the rest.
        """
        before_trip = self._precedence.give_way if self._is_behind else lambda: None
        return poll_together(self._site.db, {self: partitions}, before_trip)[self]

    def ready(self, partitions: Iterable[int]) -> list[Consumer]:
        """Return the consumers of those of these partitions that are held and do not pause."""
        held = (self._consumers.get(partition) for partition in partitions)
        return [consumer for consumer in held if consumer and consumer.ready]

    def steps(self, consumer: Consumer, reply: Any) -> Steps[bool]:
        """Apply what a consumer has read, in steps. True if there may be more."""
        renew = partial(self._leases.renew, consumer.partition)
        return consumer.apply_in_steps(reply, renew, self._stop.is_set)

    def settle(self, outcomes: Mapping[int, bool | Exception]) -> set[int]:
        """Return the partitions that may have more. Forget those that others hold.

        `outcomes`: of the steps, by partition. An error in them is raised.
        """
        self._drop([partition for partition, how in outcomes.items() if isinstance(how, LeaseLost)])
        for how in outcomes.values():
            if isinstance(how, Exception) and not isinstance(how, LeaseLost):
                raise how
        return {partition for partition, how in outcomes.items() if how is True}

    def release(self) -> None:
        """Give all partitions up, so that others need not wait for the leases to expire."""
        with suppress(Unavailable):
            self._site.db.read(self.release_read())

    def release_read(self) -> Read[None]:
        """Return `release` as a read, so that several loops can share its trip."""
        return self._leases.release_read()

    def _turn(self, listener: WakeupListener | Pause, busy: set[int]) -> set[int]:
        """Apply the due events once. Return the partitions that may have more."""
        self._site.db.wait_for_replicas(0)
        self._leases.heartbeat()
        if self._leases.is_due():
            self._leases.rebalance()
        self._sync_leases()
        self._site.wait_for_replicas_of_cluster()
        woken = listener.wait(0 if busy else self._poll_seconds)
        now = time.monotonic()
        due = woken | busy
        if now - self._polled_at >= self._poll_seconds:
            self._polled_at, due = now, {*self._consumers}
        is_urgent = self._group not in (DISCOVERY, BULK)
        try:
            with self._precedence.working() if is_urgent else nullcontext():
                busy = self.poll(due)
        finally:  # one primary of a Cluster may take no writes, which only some jobs need
            if self._group == JOBS_GROUP:
                self._run_jobs()
        if woken and not busy:
            self._stop.wait(GATHER_SECONDS)
        return busy

    def _drop(self, lost: Sequence[int]) -> None:
        """Forget partitions that another worker holds."""
        for partition in lost:
            self._consumers.pop(partition, None)
        if lost:
            self._leases.mark_lost(lost)
            log.info("%s: another process took over %s partitions", self._group, len(lost))

    def _sync_leases(self) -> None:
        """Keep a consumer for each lease that is held, and start afresh under a new token."""
        consumers = {}
        for partition, token in self._leases.held.items():
            consumer = self._consumers.get(partition)
            if consumer is None or consumer.token != token:
                consumer = self._consumer(partition, token)
            consumers[partition] = consumer
        self._consumers = consumers

    def _consumer(self, partition: int, token: int) -> Consumer:
        if self._group == BULK:
            return BulkConsumer(self._site, self._registry, partition, token)
        return PartitionConsumer(self._site, self._registry, self._group, partition, token)

    def _run_jobs(self) -> None:
        """Run the due jobs, and one partition's jobs at most, so that events need not wait.

        While the site is closed or read-only, none run: scheduled posts wait.
        """
        now, config = time.monotonic(), self._site.config
        rests = config.is_closed
        if now - self._due_ran_at >= DUE_EVERY_SECONDS and not rests:
            self._due_ran_at = now
            for due_job in self._registry.due_jobs:
                _do_job(due_job, self._site, self._consumers)
            _do_job(compute_due, self._site, self._registry.scheduled, self._consumers)
        # The one that waits longest: at a turn a second, the first are due again before the last.
        rounds = ((self._jobs_ran_at.get(one, 0.0), one) for one in self._consumers)
        ran_at, partition = min(rounds, default=(now, 0))
        if now - ran_at >= JOBS_EVERY_SECONDS:
            self._jobs_ran_at[partition] = now
            for job in () if rests else self._registry.partition_jobs:
                _do_job(job, self._site, partition)
            sweep = sweep_command(partition, self._registry, self._site.config)
            self._site.db.trip_with_errors([sweep])


def poll_together(
    db: Db,
    due: Mapping[GroupLoop, Iterable[int]],
    before_trip: Callable[[], None] = lambda: None,
) -> dict[GroupLoop, set[int]]:
    """Do as `GroupLoop.poll` for several groups, which share their trips."""
    asked = [(loop, one) for loop, partitions in due.items() for one in loop.ready(partitions)]
    replies = db.trip_with_errors([one.command() for _, one in asked]) if asked else []
    outcomes = outcomes_of(
        db,
        [loop.steps(one, reply) for (loop, one), reply in zip(asked, replies, strict=True)],
        before_trip,
    )
    found: dict[GroupLoop, dict[int, bool | Exception]] = {loop: {} for loop in due}
    for (loop, one), how in zip(asked, outcomes, strict=True):
        found[loop][one.partition] = how
    return {loop: loop.settle(how) for loop, how in found.items()}


def _do_job(job: Callable[..., object], *arguments: object) -> None:
    """Do a job. One that fails is logged, and does not keep others from their turn."""
    try:
        job(*arguments)
    except Exception as error:
        log_pause(f"the job {job.__qualname__} fails", error)
