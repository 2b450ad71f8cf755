"""Boosting a status, and taking the boost back.

The member's own list is the truth. Who boosts a status, how many they are, and the entries in
homes are projected from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.errors import Forbidden
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.items import (
    BOOST_DEDUPE_WINDOW,
    Boost,
    Item,
    dedupe_boosts,
    has_suspended_member,
    member_uids,
    members_shown,
    merge_newest_first,
    status_entries,
    status_of,
)
from webapp.statuses.status import Status
from webapp.statuses.visibility.targets import load_target
from webapp.timelines import keys as timeline_keys

from . import keys
from .boost_refs import (
    BoostRef,
    boosted_by,
    format_entry,
    newest_boosts_command,
    newest_boosts_from,
    ref_from_entry,
    ref_from_event,
    zset_member,
)

# Until all rooms import these from `items` and `boost_refs`.
__all__ = [
    "BOOST_DEDUPE_WINDOW",
    "Boost",
    "BoostLoader",
    "BoostRef",
    "Item",
    "boost",
    "dedupe_boosts",
    "format_entry",
    "has_suspended_member",
    "member_uids",
    "members_shown",
    "merge_newest_first",
    "newest_boosts_command",
    "newest_boosts_from",
    "ref_from_entry",
    "ref_from_event",
    "status_entries",
    "status_of",
    "unboost",
    "zset_member",
]

BOOST = script("statuses/interactions/lua/boost.lua")
UNBOOST = script("statuses/interactions/lua/unboost.lua")


class BoostLoader:
    """`boosted_by` as commands and a parser."""

    def __init__(self, refs: Sequence[BoostRef]) -> None:
        self._read = boosted_by(refs)
        self.commands = list(self._read.commands)

    def parse(
        self, replies: Sequence[Any], statuses: Sequence[Status | None]
    ) -> Iterator[Boost | None]:
        """Yield the boosts, each in its place; None for one that is gone or taken back."""
        found = self._read.parse(replies)
        for standing, status in zip(found, statuses, strict=True):
            yield Boost(*standing, status) if standing and status else None


def boost(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Boost a status. Doing it again changes nothing. Three trips.

    Above boosts_max the oldest boost is taken back. Raises NotFound; Forbidden if the member or
    the author is suspended, if one blocks the other, or if not everybody may see the status;
    Conflict; Unavailable.
    """
    target = load_target(db, uid, status_id, "cannot_boost")
    if target.visibility.restricted:  # as is what a protected author wrote
        raise Forbidden("not_for_boosts")
    partition = partition_of(uid)
    command = BOOST(
        boosts=keys.member_boosts(uid),
        recent=keys.recent_interactions(uid),
        outbox=event_keys.outbox(partition),
        user=account_keys.user(uid),
        blocks=following_keys.blocks(uid),
        blockers=following_keys.blockers(uid),
        last_id=status_keys.last_status_id(partition),
        home=timeline_keys.home(uid),
        active_members=timeline_keys.active_members(partition),
        uid=uid,
        id=status_id,
        author=target.author.uid,
        limit=config.boosts_max,
        partition=partition,
        outbox_max=config.outbox_max,
        request_id=request_id.get(),
        home_max=config.home_max,
        home_slack=config.home_slack,
    )
    db.run(command)


def unboost(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Take a boost back, if there is one. Two trips. Raises Unavailable."""
    author = db.run(("HGET", status_keys.status(status_id), "author"))
    if author is None:  # projections remove the boosts of deleted statuses
        return
    partition = partition_of(uid)
    db.run(
        UNBOOST(
            boosts=keys.member_boosts(uid),
            recent=keys.recent_interactions(uid),
            outbox=event_keys.outbox(partition),
            home=timeline_keys.home(uid),
            uid=uid,
            id=status_id,
            author=author,
            partition=partition,
            outbox_max=config.outbox_max,
            request_id=request_id.get(),
        )
    )
