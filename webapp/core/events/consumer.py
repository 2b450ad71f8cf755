"""One partition's consumer: it applies the outbox's events for one group, in order.

An event is applied until it succeeds. After ATTEMPTS_MAX failures it is parked.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from webapp.config import Config
from webapp.core.errors import LeaseLost, Unavailable
from webapp.core.logs import describe_error, log, request_id
from webapp.core.metrics.names import EVENTS_LAG, OF_EVENT
from webapp.core.metrics.recorder import count, note
from webapp.core.store import Command, Site, Steps, script, send, to_dict
from webapp.core.store.replies import typed_error
from webapp.core.store.steps import outcomes_of

from . import attempts, keys
from .outbox import LOG, OUTBOX_GROUPS, Context, Event, Heartbeat, steps_of, with_request_id
from .registry import Registry

READ_EVENTS = script("core/events/lua/read_events.lua")
SWEEP = script("core/events/lua/sweep.lua")
CONSUMER_NAME = "owner"  # constant, so that a new owner finds the events that the last one left
READ_BATCH = 100  # events read in one trip
RUN_MAX = 50  # events applied together
IsStopping = Callable[[], bool]
SWEEP_EVERY = 250  # events applied between two sweeps of a busy partition, half of its page


def sweep_command(partition: int, registry: Registry, config: Config) -> Command:
    """Return the command that drops a partition's applied events, or hands them over to `bulk`."""
    return SWEEP(
        partition=partition,
        bulk_max=config.outbox_max,
        group_count=len(OUTBOX_GROUPS),
        types=list(registry.bulk),
    )


class PartitionConsumer:
    """One partition's events for one group, held under a lease's token."""

    def __init__(
        self, site: Site, registry: Registry, group: str, partition: int, token: int
    ) -> None:
        self._site, self._registry = site, registry
        self._projections = registry.projections[group]
        self.group, self.partition, self.token = group, partition, token
        self._has_pending = True  # entries that were read but not applied; they come first
        self._applied_since_sweep = 0
        self._retry_at = 0.0

    @property
    def ready(self) -> bool:
        """Return False during the pause after a failure."""
        return time.monotonic() >= self._retry_at

    def command(self) -> Command:
        """Return the command that reads the next events. Its reply goes to `apply`."""
        return READ_EVENTS(
            partition=self.partition,
            token=self.token,
            group=self.group,
            consumer=CONSUMER_NAME,
            limit=READ_BATCH,
            pending=int(self._has_pending),
            groups=OUTBOX_GROUPS,
        )

    def reread_pending(self) -> None:
        """Read unacknowledged events again: a reply was lost, or applying it failed."""
        self._has_pending = True

    def apply(self, reply: Any, heartbeat: Heartbeat) -> bool:
        """Apply the events in the reply to `command`, in order. Return True if there may be more.

        Raises LeaseLost, Unavailable.
        """
        [outcome] = outcomes_of(
            self._site.db, [self.apply_in_steps(reply, heartbeat, lambda: False)]
        )
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def apply_in_steps(
        self, reply: Any, heartbeat: Heartbeat, is_stopping: IsStopping
    ) -> Steps[bool]:
        """Do as `apply`, in steps that share trips with other partitions.

        A stopped worker leaves the runs that it has not begun.
        """
        if isinstance(reply, Exception):
            raise typed_error(reply)
        were_pending, entries = reply
        self._has_pending = bool(were_pending)
        events = [self._event(entry_id, to_dict(fields or [])) for entry_id, fields in entries]
        applied: list[Event] = []
        failure: Exception | None = None
        try:
            for run in self._runs(events):
                if is_stopping():
                    self._has_pending = True
                    break
                if not (yield from with_request_id(run[0].rid, self._attempt(run, heartbeat))):
                    break
                applied += run
        except Exception as error:
            failure = error
        yield from self._acknowledge(applied)
        if failure:
            raise failure
        may_have_more = bool(were_pending) or len(entries) == READ_BATCH
        return may_have_more and len(applied) == len(entries)

    def sweep(self) -> None:
        """Drop the events that all groups have applied. One trip."""
        self._applied_since_sweep = 0
        self._site.db.trip_with_errors([self._sweep_command()])

    def _sweep_command(self) -> Command:
        return sweep_command(self.partition, self._registry, self._site.config)

    def _event(self, entry_id: str, data: dict[str, str]) -> Event:
        kind, rid = data.pop("type", "dropped"), data.pop("rid", "-")
        return Event(entry_id, self.partition, self.group, self.token, kind, rid, data)

    def _runs(self, events: list[Event]) -> Iterator[list[Event]]:
        """Yield consecutive events of one type, which share the trips of their projections.

        Pending events come one by one, to find the one that fails.
        """
        run_max = 1 if self._has_pending else RUN_MAX
        for _, grouped in groupby(events, lambda event: (event.type, event.data.get("only"))):
            run = list(grouped)
            yield from (run[start : start + run_max] for start in range(0, len(run), run_max))

    def _attempt(self, run: list[Event], heartbeat: Heartbeat) -> Steps[bool]:
        """Return True if the events are done with: applied, parked, or not for this group."""
        event = run[0]
        # A repeated attempt is counted before it begins, because the event may kill the worker.
        attempt = attempts.record(self._site.db, event) if self._has_pending else 0
        if attempt > self._site.config.attempts_max:
            attempts.park(self._site.db, event, "its worker died", self._site.config.parked_max)
            return True
        try:
            yield from self._apply_projections(run, heartbeat)
            return True
        except (LeaseLost, Unavailable):
            self._has_pending = True
            if attempt:  # the event was not the cause
                attempts.record(self._site.db, event, -1)
            raise
        except Exception as error:
            if len(run) == 1:
                return self._handle_failure(event, error, attempt)
            log.warning(
                "%s %s p=%d failed in a run of %d: %s",
                *(self.group, event.type, self.partition, len(run), describe_error(error)),
            )
            self._has_pending = True  # so that they are tried one by one
            return False

    def _apply_projections(self, run: list[Event], heartbeat: Heartbeat) -> Steps[None]:
        # A parked event comes back for the group in which it failed.
        only_group = run[0].data.get("only")
        if not only_group or only_group == self.group:
            context = Context(self._site.db, self._site.config, heartbeat)
            for projection in self._projections.get(run[0].type, ()):
                yield from steps_of(projection, context, run)
        for event in run:
            request_id.set(event.rid)
            log.info("applied %s %s p=%d id=%s", *attempts.describe(event))

    def _handle_failure(self, event: Event, error: Exception, attempt: int) -> bool:
        """Park an event that failed too often. Pause before the next attempt at any other."""
        attempt = attempt or attempts.record(self._site.db, event)
        pause = attempts.handle_failure(self._site, event, error, attempt)
        if pause is None:
            return True
        self._has_pending = True
        self._retry_at = time.monotonic() + pause
        return False

    def _acknowledge(self, applied: list[Event]) -> Steps[None]:
        if not applied:
            return
        applied_ids = [event.id for event in applied]
        commands: list[Command] = [("XACK", keys.outbox(self.partition), self.group, *applied_ids)]
        if self._has_pending:
            commands.append(attempts.forget_command(self.partition, self.group, applied_ids))
        self._applied_since_sweep += len(applied_ids)
        has_bulk_work = any(event.type in self._registry.bulk for event in applied)
        if has_bulk_work or self._applied_since_sweep >= SWEEP_EVERY:
            self._applied_since_sweep = 0
            commands.append(self._sweep_command())
        yield from send(*commands)
        if self.group == LOG:
            _measure(applied)


def _measure(applied: list[Event]) -> None:
    """Count events that are applied, and note how long the first waited."""
    sent_ms = int(applied[0].id.partition("-")[0])
    note(EVENTS_LAG, max(0, time.time_ns() // 1_000_000 - sent_ms))
    count_events(applied)


def count_events(applied: Sequence[Event]) -> None:
    """Count applied events by what they are about."""
    for event in applied:
        if metric := OF_EVENT.get(event.type):
            count(metric)
