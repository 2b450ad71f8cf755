"""Chains: what needs several partitions, such as a sale, as steps that are safe to repeat.

A script can change one partition only. So a sale is a list of steps, each a script or a few. The
script that makes the first change also stores the chain (`lua/includes/begin_chain.lua`) and emits
`chain_begun`, all at once or not at all. From then on workers drive it, never a browser.

A worker does all steps in order, and each gets the answer of the one before. Only when the last is
done is the chain deleted. If a worker dies between two steps, the chain is still in the set of due
ones, and the next worker does all steps again. So each step obeys two rules:

- Done again, it changes nothing and gives the same answer. It knows by the chain's id, which was
  made before the first step. `ledger.booking(…, final=True)` is such a step: a payment that was
  refused stays refused, whatever the member has later.
- It never asks whether an earlier step was done. It is only called once it was.

So there is no state of a chain to keep, and none that could be wrong. Two workers that drive the
same chain at once do no harm.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import orjson

from webapp.core.errors import Unavailable
from webapp.core.events.outbox import Context, Event
from webapp.core.events.registry import Registry
from webapp.core.events.schedule.due import due_entries
from webapp.core.logs import log
from webapp.core.store import PARTITIONS, Read, Site, Steps, collect, read, send, to_dict
from webapp.core.store.steps import outcomes_of

from . import keys

BATCH = 100  # chains of one partition that one run drives
PAUSE_MS = 10_000  # before a chain that failed is tried again
LATE = timedelta(minutes=10)  # a chain that is not done by then fails again and again
SAMPLE = 20  # chains of a partition that the doctor looks at


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain in progress. `id`: unique within its kind. `values`: those it was begun with."""

    id: str
    values: Mapping[str, str]


# Takes the answer of the step before, "" at first, and returns its own. Yields its commands.
Step = Callable[[Chain, str], Steps[str]]


class ChainKind:
    """The chains of one kind, such as orders of drops: their steps, and the work that drives them.

    A room adds `work` to its own.
    """

    def __init__(self, name: str, *steps: Step) -> None:
        self.name, self._steps = name, steps

    @property
    def work(self) -> Registry:
        """Return the projection and the job that drive these chains."""
        begun = {"chain_begun": (self.drive_begun,)}
        return Registry(projections={"fanout": begun}, due_jobs=(self.drive_due,))

    def drive(self, site: Site, partition: int, ids: Sequence[str]) -> None:
        """Do all steps of some chains of a partition, each step of all of them in one trip.

        One that fails is left to the job, and does not stop the others. Raises Unavailable.
        """
        outcomes = outcomes_of(site.db, [self.steps(partition, one) for one in ids])
        for id_, outcome in zip(ids, outcomes, strict=True):
            if isinstance(outcome, Unavailable):
                raise outcome
            if isinstance(outcome, Exception):
                log.warning("chain %s %s fails", self.name, id_, exc_info=outcome)

    def drive_begun(self, context: Context, events: Sequence[Event]) -> None:
        """Drive the chains that have just begun. Their events may be of several partitions."""
        begun = [event for event in events if event.data["kind"] == self.name]
        for partition in {event.partition for event in begun}:
            ids = [event.data["id"] for event in begun if event.partition == partition]
            for start in range(0, len(ids), BATCH):
                self.drive(context, partition, ids[start : start + BATCH])
                context.heartbeat()

    def drive_due(self, site: Site, partitions: Iterable[int]) -> None:
        """Drive the chains of these partitions that nobody finished, up to BATCH in each."""
        due = due_entries(site.db, lambda one: keys.due_chains(one, self.name), partitions, BATCH)
        for partition, ids in due:
            if ids:
                again = int(time.time() * 1000) + PAUSE_MS
                later = [part for id_ in ids for part in (again, id_)]
                site.db.run(("ZADD", keys.due_chains(partition, self.name), "XX", *later))
                self.drive(site, partition, ids)

    def waiting(self, partitions: Iterable[int]) -> Read[int]:
        """Read how many chains have not ended."""
        sizes = (read(("HLEN", keys.chains(one, self.name)), int) for one in partitions)
        return collect(sizes).map(sum)

    def findings(self, site: Site) -> Iterator[tuple[bool, str, str]]:
        """Yield how many are in progress, for `linnet doctor`. One trip."""
        latest = (time.time() - LATE.total_seconds()) * 1000
        count, late = site.db.fetch(self.waiting(range(PARTITIONS)), self._begun_before(latest))
        more = f", {late} or more for over {LATE.seconds // 60} minutes" if late else ""
        remedy = f"Find the cause in the worker's log, in its lines about chain {self.name}."
        yield not late, f"{self.name}: {count} in progress{more}", remedy

    def _begun_before(self, ms: float) -> Read[int]:
        """Read how many of up to SAMPLE chains of each partition began before a time."""
        samples = (
            read(("HRANDFIELD", keys.chains(one, self.name), SAMPLE, "WITHVALUES"), to_dict)
            for one in range(PARTITIONS)
        )
        return collect(samples).map(
            lambda found: sum(
                float(orjson.loads(stored).get("begun", ms)) < ms
                for sample in found
                for stored in sample.values()
            )
        )

    def steps(self, partition: int, id_: str) -> Steps[None]:
        """Do all steps of a chain, then forget it. It may be gone."""
        chains, due = keys.chains(partition, self.name), keys.due_chains(partition, self.name)
        [stored] = yield from send(("HGET", chains, id_))
        if stored is not None:
            chain, answer = Chain(id_, orjson.loads(stored)), ""
            for step in self._steps:
                answer = yield from step(chain, answer)
        # In this order: what remains if the store dies between the two is driven once more.
        yield from send(("HDEL", chains, id_), ("ZREM", due, id_))
