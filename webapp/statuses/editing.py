"""Editing one's own status for a while after it was posted, and its history, which everybody may read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from .. import ids, keys, languages
from ..config import Config
from ..db import Db
from ..events import trace
from ..ids import partition_of
from ..scripts import script
from ..text import Entity, Parsed
from .aims import foreign
from .packing import pack, unpack
from .status import Status
from .store import seen
from .visibility import Visibility, addressed
from .visibility import pack as pack_named

REVISE = script("statuses/revise.lua")


@dataclass(frozen=True, slots=True)
class Version:
    """What a status said from a moment on (UTC)."""

    at: datetime
    text: str
    entities: tuple[Entity, ...]
    cw: str


@dataclass(frozen=True, slots=True)
class History:
    """A status and all that it ever said, the newest first: what it says now comes first."""

    status: Status
    versions: Sequence[Version]


def editable_since(config: Config) -> int:
    """The smallest id of a status that may be edited at this moment."""
    return ids.first_id_at(int(time.time() * 1000) - config.edit_minutes * 60_000)


def revise(db: Db, config: Config, uid: int, status_id: int, parsed: Parsed, cw: str, version: str) -> bool:
    """Edits a member's own status; False when it says so already. `version`: which one the edit was written on, as the
    status tells it. Raises NotFound; Forbidden; Conflict when it was edited meanwhile, too late or too often;
    Unavailable.
    """
    partition = partition_of(status_id)
    if partition != partition_of(uid):  # its author lives elsewhere, so it cannot be this member's
        raise foreign(db, status_id)
    names = [keys.status(status_id), keys.versions(status_id), keys.user(uid), keys.outbox(partition)]
    names.append(keys.limited_prefix(uid))
    said = (parsed.text, pack(parsed.entities), languages.detect(parsed.text, parsed.entities), cw)
    bounds = (config.edit_minutes * 60_000, config.edits_max)
    base = "" if version == "0" else version
    given = (*said, *bounds, partition, config.outbox_max, *trace(), _named(db, status_id, parsed))
    return bool(db.run(REVISE(names, uid, status_id, base, *given)))


def history(db: Db, status_id: int, viewer: int | None = None) -> History:
    """All that a status ever said. Three trips. Raises NotFound; Forbidden when its author is suspended, or hidden from
    the viewer.
    """
    status, _ = seen(db, status_id, viewer)
    before = [orjson.loads(stored) for stored in db.run(("LRANGE", keys.versions(status_id), 0, -1))]
    # What was edited after the status was read says nothing that belongs before it.
    older = [_version(one, status) for one in before if int(one["at"] or 0) < status.version]
    now = Version(status.edited or status.created, status.text, status.entities, status.cw)
    return History(status, [now, *reversed(older)])


def _named(db: Db, status_id: int, parsed: Parsed) -> str:
    """Whom it names now, or answers, as it is stored, where not everybody may see it."""
    vis, to = db.run(("HMGET", keys.status(status_id), "vis", "to"))
    limited = Visibility(vis or "").limited  # which never changes
    return pack_named(addressed(db, parsed.entities, int(to) if to else None)) if limited else ""


def _version(stored: dict[str, str], status: Status) -> Version:
    at = datetime.fromtimestamp(int(stored["at"]) / 1000, UTC) if stored["at"] else status.created
    return Version(at, stored["text"], unpack(stored["entities"]), stored["cw"])
