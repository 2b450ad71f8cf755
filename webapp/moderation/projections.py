"""Projections of acts: the log, reports that are done, and deletions. Each is safe to repeat."""

from collections.abc import Sequence
from contextlib import suppress

from webapp.accounts import keys as account_keys, lifecycle
from webapp.core.errors import Conflict, NotFound
from webapp.core.events.outbox import SYNC_ENTRY, Context, Event
from webapp.core.store import Site, collect, script
from webapp.reports.listing import parse_report_id
from webapp.reports.store import BY_SITE

from . import acting, keys
from .history import KEPT, entry_of

DUE_SUSPENSIONS = script("moderation/lua/due_suspensions.lua")
END_SUSPENSION = script("moderation/lua/end_suspension.lua")
ANSWERED_MAX = 100  # answered reports of one member that are kept
APPEAL_MS = 86_400_000  # until an account is looked at again whose appeal waits
BATCH = 50  # accounts that one run of the job deletes


def settle(context: Context, events: Sequence[Event]) -> None:
    """Finish acts and answers, and note for those who reported that it was dealt with.

    About six trips for each.
    """
    for event in events:
        uid, number = event.number("uid"), event.number("number")
        if event.data.get("answered"):
            acting.finish_answer(context, uid, number)
        else:
            names = event.data.get("reports", "").split()
            acting.finish(context, uid, number, names)
            _note_answered(context, event, [name.partition("@")[0] for name in names])


def list_appeals(context: Context, events: Sequence[Event]) -> None:
    """Put appeals that have no answer yet on the moderators' list. Two trips."""
    acts = [(event.number("uid"), event.number("number")) for event in events]
    entries = context.db.read(collect(entry_of(*one) for one in acts))
    context.db.trip_all(
        acting.LIST_APPEAL(name=f"{uid}.{number}", at=int(entry.at.timestamp() * 1000))
        for (uid, number), entry in zip(acts, entries, strict=True)
        if entry and entry.is_appealed
    )


def list_waiting(context: Context, events: Sequence[Event]) -> None:
    """Put accounts that wait for moderators on their list, and take others off. Two trips."""
    uids = [event.number("uid") for event in events]
    found = context.db.trip(
        *(("HMGET", account_keys.user(uid), "waiting", "joined") for uid in uids)
    )
    context.db.trip_all(
        ("ZADD", keys.waiting(), joined, uid) if why else ("ZREM", keys.waiting(), uid)
        for uid, (why, joined) in zip(uids, found, strict=True)
    )


def delete_suspended(site: Site, partition: int) -> int:
    """Delete accounts that moderators suspended 30 days ago; return how many it looked at.

    Those who were restored meanwhile stay, and those whose appeal waits for an answer. A periodic
    job. One trip, and five for each account.
    """
    due = site.run(DUE_SUSPENSIONS, partition=partition, limit=BATCH)
    kept_ms = int(KEPT.total_seconds() * 1000)
    for uid, ends in zip(map(int, due[::2]), map(int, due[1::2]), strict=True):
        fields = ("suspended", "suspended_act")
        suspended, number = site.db.run(("HMGET", account_keys.user(uid), *fields))
        put_off = 0
        if suspended and int(suspended) <= ends - kept_ms:
            entry = site.db.read(entry_of(uid, int(number or 0)))
            if entry and entry.is_appealed:
                put_off = APPEAL_MS
            else:
                with suppress(NotFound, Conflict):  # Conflict: restored at this moment
                    lifecycle.delete_account(site, uid, None, suspended)
        site.run(END_SUSPENSION, uid=uid, ends=ends, put_off=put_off)
    return len(due) // 2


def _note_answered(context: Context, event: Event, report_ids: Sequence[str]) -> None:
    """Note it for those who reported and are still members. Two trips, none without."""
    reporters = {one: by for one in report_ids if (by := parse_report_id(one)[0]) != BY_SITE}
    if not reporters:
        return
    entry = context.db.read(entry_of(event.number("uid"), event.number("number")))
    if entry is None:
        return
    at, outcome = int(entry.at.timestamp() * 1000), "kept" if entry.kind == "dismiss" else "done"
    context.db.trip(
        *(
            SYNC_ENTRY(
                event,
                entries=keys.answered_reports(by),
                account=account_keys.user(by),
                entry=f"{report_id.partition(':')[2]}:{outcome}",
                score=at,
                limit=ANSWERED_MAX,
            )
            for report_id, by in reporters.items()
        )
    )
