"""Projections and jobs of job offers: offers end, and those of deleted accounts are removed."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from webapp.core.errors import NotFound
from webapp.core.events.outbox import Context, Event
from webapp.core.events.registry import Registry
from webapp.core.events.schedule.scheduled import Scheduled
from webapp.core.store import Site, first_id_at, read_numbers

from . import keys
from .store import CLOSE_OFFER, JOB_DAYS, Candidate, own_ids, save_skills

BATCH = 50  # offers that end in one run


def end_offers(site: Site) -> int:
    """Close some offers that have ended, and return how many. Safe to repeat."""
    ended = datetime.now(UTC) - timedelta(days=JOB_DAYS)
    bounds = ("-inf", first_id_at(int(ended.timestamp() * 1000)), "BYSCORE", "LIMIT", 0, BATCH)
    ids = site.db.read(read_numbers(("ZRANGE", keys.open_jobs(), *bounds)))
    _close_all(site, ids)
    return len(ids)


def purge_deleted_account(context: Context, event: Event, _cursor: str) -> None:
    """Remove the offers and skills of a deleted account. Safe to repeat."""
    uid = event.number("uid")
    _close_all(context, context.db.read(own_ids(uid)))
    save_skills(context, uid, Candidate())


def _close_all(site: Site, ids: list[int]) -> None:
    for job_id in ids:
        with suppress(NotFound):  # closed meanwhile
            site.db.run(CLOSE_OFFER(id=job_id))


WORK = Registry(
    projections={},
    bulk={"account_deleted": (purge_deleted_account,)},
    scheduled=(Scheduled("ended job offers", 60, end_offers),),
)
