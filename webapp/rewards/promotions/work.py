"""Projections and jobs of promotions: index, ends, deleted accounts. Safe to run twice."""

from collections.abc import Mapping, Sequence

import orjson

from webapp.accounts import keys as account_keys, store as accounts
from webapp.core.events.outbox import Context, Event, in_steps, whole
from webapp.core.events.registry import Registry
from webapp.core.store import Command, Site, Steps, ask, collect, read, script, send
from webapp.moderation import log
from webapp.notifications.notices import Notice, sync_notices

from . import keys
from .ranking import ALL
from .store import Promotion, find, promoted_ids

SYNC = script("rewards/promotions/lua/sync.lua")
TICK = script("rewards/promotions/lua/tick.lua")
TOLD = ("accept", "refuse", "again", "spent", "over")  # of what changes promotions


@in_steps
def sync_index(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Bring the rows of the index up to date with the promotions."""
    yield from _sync_all({event.number("id"): event for event in events})


@in_steps
def sync_own(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Bring the rows of all promotions of members up to date, after an upgrade or a new login."""
    events = [one for one in events if one.type != "profile_edited" or "former" in one.data]
    lists = yield from ask(collect(promoted_ids(event.number("uid")) for event in events))
    yield from _sync_all(
        {id_: event for event, ids in zip(events, lists, strict=True) for id_ in ids}
    )


def _sync_all(by_id: Mapping[int, Event]) -> Steps[None]:
    found = yield from ask(collect(map(find, by_id)))
    uids = {one.uid for one in found if one}
    logins = yield from ask(
        collect(read(("HGET", account_keys.user(uid), "login"), str) for uid in sorted(uids))
    )
    login_of = dict(zip(sorted(uids), logins, strict=True))
    yield from send(
        *(
            _sync(event, id_, one, login_of[one.uid]) if one else _remove(event, id_)
            for (id_, event), one in zip(by_id.items(), found, strict=True)
        )
    )


def notify(context: Context, events: Sequence[Event]) -> None:
    """Notify members of reviews and ends of their promotions. Two trips, none without."""
    sync_notices(context, [_notice(event) for event in events if event.data.get("act") in TOLD])


def log_reviews(context: Context, events: Sequence[Event]) -> None:
    """Log what moderators decided. Two trips each."""
    for event in events:
        if "by" in event.data:
            owner = context.db.read(accounts.get(event.number("uid")))
            people = {"login": owner.login if owner else "", "by_login": event.data["by"]}
            kind, why = f"{event.data['act']}_promotion", event.data.get("why", "")
            content = {"kind": kind, "about": "", "why": why, "post": event.number("id"), **people}
            name, at = f"promotion.{event.data['id']}.{event.id}", event.id.partition("-")[0]
            log.write(context.db, name, int(at), content)


def look_after(site: Site, partition: int) -> int:
    """End, open and close the promotions of a partition. Return how many changed. Two trips."""
    command = ("ZRANGE", keys.running_promotions(partition), 0, -1, "WITHSCORES")
    found = site.db.run(command)
    ticks = (
        TICK(id=int(id_), uid=int(uid)) for id_, uid in zip(found[::2], found[1::2], strict=True)
    )
    return sum(site.db.trip(*ticks))


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove the promotions of deleted members. Their budgets are burnt like other points."""
    by_uid = {event.number("uid"): event for event in events}
    lists = context.db.read(collect(map(promoted_ids, by_uid)))
    for (uid, event), ids in zip(by_uid.items(), lists, strict=True):
        own = (keys.promotion, keys.promotion_words, keys.promotion_days)
        context.db.trip(
            *(("DEL", key(id_)) for id_ in ids for key in own),
            *(("ZREM", keys.running_promotions(uid), id_) for id_ in ids),
        )
        context.db.trip(*(_remove(event, id_) for id_ in ids))
        context.db.run(("DEL", keys.promotions(uid)))


def _notice(event: Event) -> Notice:
    """Return the notice about a change, which holds while the post is among the promoted ones."""
    uid, post = event.number("uid"), event.data["id"]
    subject = f"{post}:{event.id}:{event.data['act']}"  # another one each time
    return Notice(event, "promotion", uid, uid, subject, keys.promotions(uid), post)


def _remove(event: Event, id_: int) -> Command:
    return SYNC(event, id=id_, row="", waits=0)


def _sync(event: Event, id_: int, promotion: Promotion, login: str) -> Command:
    """Return the command that writes the row of a promotion, or removes it once it has ended."""
    if promotion.state == "ended":
        return _remove(event, id_)
    terms, total = promotion.terms, promotion.total
    paid = "clicks" if terms.kind == "views" else terms.kind
    named = ((ALL, total), *((one.name, one) for one in promotion.words))
    row = {
        "state": "open" if promotion.is_open else promotion.state,
        "uid": promotion.uid,
        "login": login,
        "language": terms.language,
        "kind": terms.kind,
        "price": terms.price,
        "version": promotion.version,
        "counts": {name: (one.views, getattr(one, paid)) for name, one in named},
    }
    waits = int(promotion.state == "waiting")
    return SYNC(event, id=id_, row=orjson.dumps(row).decode(), waits=waits)


WORK = Registry(
    projections={
        "log": {"promotion_changed": (notify, log_reviews)},
        "discovery": {
            "promotion_changed": (sync_index,),
            "reindex_requested": (sync_own,),
            "profile_edited": (sync_own,),
        },
    },
    bulk={"account_deleted": (whole(purge_deleted_account),)},
    partition_jobs=(look_after,),
)
