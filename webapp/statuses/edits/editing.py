"""Editing one's own status for a while after it was posted, and its history, which everybody may read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.i18n import language_detection
from webapp.core.store import ids
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.core.text.parser import Entity, Parsed
from webapp.statuses import keys as status_keys
from webapp.statuses.entity_codec import pack_entities, unpack_entities
from webapp.statuses.status import Status
from webapp.statuses.store import get_with_state
from webapp.statuses.visibility.targets import not_owner_error
from webapp.statuses.visibility.visibility import Visibility, mentioned_uids
from webapp.statuses.visibility.visibility import pack_uids as pack_named

EDIT = script("statuses/edits/lua/edit.lua")


@dataclass(frozen=True, slots=True)
class Version:
    """What a status said from a moment on (UTC)."""

    created_at: datetime
    text: str
    entities: tuple[Entity, ...]
    cw: str


@dataclass(frozen=True, slots=True)
class History:
    """A status and all that it ever said, the newest first: what it says now comes first."""

    status: Status
    versions: Sequence[Version]


def min_editable_id(config: Config) -> int:
    """The smallest id of a status that may be edited at this moment."""
    return ids.first_id_at(int(time.time() * 1000) - config.edit_minutes * 60_000)


def edit(
    db: Db, config: Config, uid: int, status_id: int, parsed: Parsed, cw: str, version: str
) -> bool:
    """Edits a member's own status; False when it says so already. `version`: which one the edit was written on, as the
    status tells it. Raises NotFound; Forbidden; Conflict when it was edited meanwhile, too late or too often;
    Unavailable.
    """
    partition = partition_of(status_id)
    if partition != partition_of(uid):  # its author lives elsewhere, so it cannot be this member's
        raise not_owner_error(db, status_id)
    names = [
        status_keys.status(status_id),
        status_keys.status_versions(status_id),
        account_keys.user(uid),
        event_keys.outbox(partition),
    ]
    names.append(status_keys.restricted_statuses(uid, ""))
    content = (
        parsed.text,
        pack_entities(parsed.entities),
        language_detection.detect(parsed.text, parsed.entities),
        cw,
    )
    bounds = (config.edit_minutes * 60_000, config.edits_max)
    base_version = "" if version == "0" else version
    args = (
        *content,
        *bounds,
        partition,
        config.outbox_max,
        *request_id_args(),
        _packed_mentions(db, status_id, parsed),
    )
    return bool(db.run(EDIT(names, uid, status_id, base_version, *args)))


def history(db: Db, status_id: int, viewer: int | None = None) -> History:
    """All that a status ever said. Three trips. Raises NotFound; Forbidden when its author is suspended, or hidden from
    the viewer.
    """
    status, _ = get_with_state(db, status_id, viewer)
    stored_versions = [
        orjson.loads(stored)
        for stored in db.run(("LRANGE", status_keys.status_versions(status_id), 0, -1))
    ]
    # What was edited after the status was read says nothing that belongs before it.
    older_versions = [
        _parse_version(one, status)
        for one in stored_versions
        if int(one["at"] or 0) < status.version
    ]
    current = Version(status.edited or status.created, status.text, status.entities, status.cw)
    return History(status, [current, *reversed(older_versions)])


def _packed_mentions(db: Db, status_id: int, parsed: Parsed) -> str:
    """Whom it names now, or answers, as it is stored, where not everybody may see it."""
    vis, reply_to = db.run(("HMGET", status_keys.status(status_id), "vis", "to"))
    restricted = Visibility(vis or "").restricted  # which never changes
    return (
        pack_named(mentioned_uids(db, parsed.entities, int(reply_to) if reply_to else None))
        if restricted
        else ""
    )


def _parse_version(stored: dict[str, str], status: Status) -> Version:
    created_at = (
        datetime.fromtimestamp(int(stored["at"]) / 1000, UTC) if stored["at"] else status.created
    )
    return Version(created_at, stored["text"], unpack_entities(stored["entities"]), stored["cw"])
