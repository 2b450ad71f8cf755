"""Projections and jobs of points, and the findings of `linnet doctor` about them.

The projections are safe to run twice.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from webapp.accounts import keys as account_keys
from webapp.accounts.keys import last_uid
from webapp.core.events.outbox import Context, Event, in_steps, whole
from webapp.core.events.registry import Registry
from webapp.core.store import Command, Db, Site, Steps, ask, collect, read, script, send_all

from . import keys, ledger
from .boards import ALL_TIME, BOARD_MAX, this_week
from .month import FIRST_YEAR

BATCH = 1_000  # members of one trip
PLACE = script("rewards/points/lua/place.lua")
BURN = script("rewards/points/lua/burn.lua")
USER_FIELDS = ("login", "suspended", "hidden_from_search", "limited")


def findings(site: Site) -> Iterator[tuple[bool, str, str]]:
    """Yield whether members have the points that the ledgers say. A trip for each BATCH members."""
    totals, last = site.db.fetch(
        ledger.totals(), read(("GET", last_uid()), lambda uid: int(uid or 0))
    )
    held = sum(
        _held(site.db, first, min(first + BATCH, last + 1)) for first in range(1, last + 1, BATCH)
    )
    booked = sum(totals.values())
    reasons = ", ".join(f"{reason} {points:+,}" for reason, points in totals.items())
    yield (
        held == booked,
        f"points: members hold {held:,}, the ledgers say {booked:,} ({reasons or 'nothing yet'})",
        "Run it again while nobody is active. If they still differ, restore the newest backup.",
    )


def _held(db: Db, first: int, end: int) -> int:
    return sum(db.read(collect(map(ledger.balance_of, range(first, end)))))


@in_steps
def sync_boards(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Bring the boards up to date with the present state of members."""
    by_uid = {event.number("uid"): event for event in events}
    week = this_week()
    states = yield from ask(
        collect(
            read(command, list)
            for uid in by_uid
            for command in (
                ("HMGET", account_keys.user(uid), *USER_FIELDS),
                ("HMGET", keys.check_in(uid), "hidden"),
                ("HMGET", keys.earned(uid), week, week - 1, ALL_TIME),
            )
        )
    )
    members = zip(by_uid.items(), states[::3], states[1::3], states[2::3], strict=True)
    yield from send_all(
        _place_command(event, uid, week, scores if _is_shown(user, hidden) else [""] * 3)
        for (uid, event), user, (hidden,), scores in members
    )


def burn_points(context: Context, events: Sequence[Event]) -> None:
    """Erase the points and the calendar of deleted members, and note it in the site's totals."""
    years = range(FIRST_YEAR, datetime.now(UTC).year + 2)
    context.db.trip_all(BURN(event, uid=event.number("uid"), years=years) for event in events)


def _is_shown(user: Sequence[str | None], hidden: str | None) -> bool:
    login, *reasons = user
    return bool(login) and not any((*reasons, hidden))


def _place_command(event: Event, uid: int, week: int, scores: Sequence[str | None]) -> Command:
    this, last, every = (score or "" for score in scores)
    return PLACE(
        event,
        uid=uid,
        week=week,
        last_week=week - 1,
        this_score=this,
        last_score=last,
        all_score=every,
        limit=BOARD_MAX // keys.BOARD_SHARDS,
    )


WORK = Registry(
    projections={
        "discovery": dict.fromkeys(
            (
                *("checked_in", "boards_chosen", "profile_edited", "limited", "unlimited"),
                *("suspended", "restored", "account_deleted"),
            ),
            (sync_boards,),
        )
    },
    bulk={"account_deleted": (whole(burn_points),)},
)
