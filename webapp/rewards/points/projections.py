"""Projections: the boards, and the points of deleted members. Safe to run twice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.events.step_projections import in_steps
from webapp.core.store.reads import Command, collect, read
from webapp.core.store.scripts import script
from webapp.core.store.steps import Steps, ask, send

from . import keys
from .boards import ALL_TIME, BOARD_MAX, this_week
from .month import FIRST_YEAR

PLACE = script("rewards/points/lua/place.lua")
BURN = script("rewards/points/lua/burn.lua")
USER_FIELDS = ("login", "suspended", "hidden_from_search")


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
    yield from send(
        *(
            _place_command(event, uid, week, scores if _is_shown(user, hidden) else [""] * 3)
            for (uid, event), user, (hidden,), scores in members
        )
    )


def burn_points(context: Context, events: Sequence[Event]) -> None:
    """Erase the points and the calendar of deleted members, and note it in the site's totals."""
    years = range(FIRST_YEAR, datetime.now(UTC).year + 2)
    context.db.trip(*(BURN(event, uid=event.number("uid"), years=years) for event in events))


def _is_shown(user: Sequence[str | None], hidden: str | None) -> bool:
    login, suspended, hidden_from_search = user
    return bool(login) and not (suspended or hidden_from_search or hidden)


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
