"""Projections and jobs of job offers: notify fitting members, end offers, purge accounts.

The projections are safe to run twice.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from webapp.core.errors import NotFound
from webapp.core.events.outbox import Context, Event
from webapp.core.events.registry import Registry
from webapp.core.events.schedule.scheduled import Scheduled
from webapp.core.store import Site, collect, first_id_at, read_numbers, script
from webapp.notifications.notices import notify_own_command
from webapp.statuses.visibility.relationships import listed_members

from . import keys
from .store import (
    CLOSE_OFFER,
    EXAMINED_MAX,
    JOB_DAYS,
    Candidate,
    candidates,
    get,
    own_ids,
    save_skills,
)

ANNOUNCE_OFFER = script("community/jobs/lua/announce_offer.lua")
BATCH = 50  # offers that end, or are announced, in one run


def announce_new(site: Site) -> None:
    """Emit the events about some new offers. At most four trips.

    An event that is emitted twice does no harm.
    """
    ids = site.db.read(read_numbers(("ZRANGE", keys.unannounced_jobs(), 0, BATCH - 1)))
    jobs = filter(None, site.db.read(collect(map(get, ids))))
    site.db.trip_all(ANNOUNCE_OFFER(site.config, uid=job.uid, id=job.id) for job in jobs)
    if ids:
        site.db.run(("ZREM", keys.unannounced_jobs(), *ids))


def notify_fitting(context: Context, event: Event, cursor: str) -> str | None:
    """Notify some members who show their skills and whom a new offer fits. Three trips.

    The day is the subject, so a member has one such notification a day at most.
    """
    if "jobs" not in context.config.enabled_features:
        return None
    author = event.number("uid")
    found, next_cursor = context.db.read(candidates(event.number("id"), cursor, EXAMINED_MAX))
    uids = [uid for uid, _skills in found if uid != author]
    seen = context.db.read(collect(listed_members(uid, [author]) for uid in uids))
    context.db.trip_all(
        notify_own_command(context.config, event, "job", uid, event.data["day"])
        for uid, members in zip(uids, seen, strict=True)
        if members
    )
    return next_cursor or None


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
    bulk={"account_deleted": (purge_deleted_account,), "job_posted": (notify_fitting,)},
    scheduled=(
        Scheduled("new job offers", 10, announce_new),
        Scheduled("ended job offers", 60, end_offers),
    ),
)
