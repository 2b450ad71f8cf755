"""Jobs of metrics: workers measure the store and clean old figures."""

import time

from webapp.accounts import keys as account_keys
from webapp.core.events import status as events
from webapp.core.events.registry import Registry
from webapp.core.events.schedule.scheduled import Scheduled
from webapp.core.metrics import keys, names
from webapp.core.metrics.recorder import note
from webapp.core.store import PARTITIONS, Db, Site, script
from webapp.core.store.reads import parse_info

from .people import week_of
from .processes import processes

CLEAN = script("core/metrics/lua/clean.lua")


def measure(site: Site) -> None:
    """Measure the store and the events. Four trips, and two to each primary.

    The process sends what it finds with its other figures.
    """
    _measure_events(site.db)
    _note_first_members(site.db)
    _measure_store(site.db)


def clean(site: Site, partition: int) -> None:
    """Delete the old samples of a partition's share of the metrics. One trip.

    Samples of a minute are looked at every sixth minute, those of ten every sixtieth.
    """
    minute = int(time.time()) // 60
    due = [
        (precision, kept)
        for precision, kept in names.PRECISIONS.items()
        if kept and minute % (precision // 10) == 0
    ]
    own = list(names.EVERY)[partition::PARTITIONS]
    site.db.trip_all(
        CLEAN(name=name, precision=precision, kept=kept) for name in own for precision, kept in due
    )


def _measure_events(db: Db) -> None:
    status, found = db.fetch(events.status(), processes())
    note(names.OUTBOX_LONGEST, status.longest_outbox)
    note(names.EVENTS_BULK, status.bulk)
    note(names.EVENTS_PARKED, status.parked)
    note(names.STREAMS_OPEN, sum(one.streams for one in found if not one.is_lost))


def _note_first_members(db: Db) -> None:
    """Note which uids are those of this week, once. Two trips."""
    last_uid = db.run(("GET", account_keys.last_uid())) or 0
    db.run(("HSETNX", keys.first_members(), week_of(int(time.time())), last_uid))


def _measure_store(db: Db) -> None:
    infos = [parse_info(text) for text in db.on_every_primary("INFO")]
    note(names.STORE_MEMORY, sum(int(info["used_memory"]) for info in infos))
    note(names.STORE_CLIENTS, sum(int(info["connected_clients"]) for info in infos))
    note(names.STORE_KEYS, sum(map(int, db.on_every_primary("DBSIZE"))))


WORK = Registry(
    projections={},
    partition_jobs=(clean,),
    scheduled=(Scheduled("figures of the store", 10, measure),),
)
