"""Statuses that a member has pinned to the profile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command, Read, read
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys
from webapp.statuses.status import FIELDS, Status, StoredStatus, status_from
from webapp.statuses.visibility.targets import not_owner_error

PIN = script("statuses/edits/lua/pin.lua")
UNPIN = script("statuses/edits/lua/unpin.lua")
PINS = script("statuses/edits/lua/list_pins.lua")


def pin(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Pins a member's own status; again is no change. Raises NotFound; Forbidden when it is somebody else's, or the
    member is suspended; Conflict at PINNED_MAX; Unavailable.
    """
    partition = partition_of(status_id)
    if partition != partition_of(uid):  # its author lives elsewhere, so it cannot be this member's
        raise not_owner_error(db, status_id)
    names = [
        status_keys.pinned_statuses(uid),
        status_keys.status(status_id),
        account_keys.user(uid),
        event_keys.outbox(partition),
    ]
    db.run(
        PIN(
            names,
            uid,
            status_id,
            config.pinned_max,
            partition,
            config.outbox_max,
            *request_id_args(),
        )
    )


def unpin(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Takes a pin away; what is not pinned is no change. Raises Unavailable."""
    partition = partition_of(uid)
    if partition_of(status_id) == partition:
        names = [
            status_keys.pinned_statuses(uid),
            status_keys.status(status_id),
            event_keys.outbox(partition),
        ]
        db.run(UNPIN(names, uid, status_id, partition, config.outbox_max, *request_id_args()))


def pinned(config: Config, uid: int) -> Read[tuple[StoredStatus, ...]]:
    """Read a member's pinned statuses, pinned last first."""
    return read(
        pins_command(config, uid),
        lambda rows: tuple(StoredStatus(int(status_id), fields) for status_id, *fields in rows),
    )


def pins_command(config: Config, uid: int) -> Command:
    """Return the command of `pinned`."""
    return PINS(
        [status_keys.pinned_statuses(uid), status_keys.status.prefix(uid)],
        config.pinned_max,
        *FIELDS,
    )


def pins_from(author: Member, reply: Sequence[Any]) -> tuple[Status, ...]:
    """Parse the reply of `pinned`."""
    return tuple(
        one for status_id, *fields in reply if (one := status_from(int(status_id), author, fields))
    )
