"""Editing a status for a while after it was posted, and its history, which everybody may read."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from webapp.accounts.store import Member, mentioned_members, without_unknown
from webapp.config import Config
from webapp.core.bans.texts import check_change
from webapp.core.i18n import language_detection
from webapp.core.store import Db, Site, ids, script
from webapp.core.text.entity_codec import pack_entities, unpack_entities
from webapp.core.text.parser import Entity, Parsed
from webapp.statuses import keys as status_keys
from webapp.statuses.edits import keys as edit_keys
from webapp.statuses.status import Status
from webapp.statuses.store import get, public_texts
from webapp.statuses.values.pictures import Picture, pack_pictures
from webapp.statuses.values.visibility import Visibility, pack_uids
from webapp.statuses.visibility.targets import require_own_partition

EDIT = script("statuses/edits/lua/edit.lua")


@dataclass(frozen=True, slots=True)
class Version:
    """The content of a status from `created_at` (UTC) until its next version.

    `described`: how often its pictures had been described anew, None if that is not known.
    """

    created_at: datetime
    text: str
    entities: tuple[Entity, ...]
    cw: str
    described: int | None = None
    has_place: bool = False
    sensitive: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """A status and all its versions, the current one first."""

    status: Status
    versions: Sequence[Version]


def min_editable_id(config: Config) -> int:
    """Return the smallest id of a status that may be edited at this moment."""
    return ids.first_id_at(int(time.time() * 1000) - config.edit_minutes * 60_000)


def edit(
    site: Site,
    uid: int,
    status_id: int,
    parsed: Parsed,
    cw: str,
    revision: str,
    pictures: Sequence[Picture] = (),
    remove_place: bool = False,
    sensitive: bool | None = None,
    language: str = "",
) -> bool:
    """Edit a member's own status. Return False if it says so already.

    `revision`: the `Status.revision` that the edit was written on. `pictures`: those it has, each
    with its description and focus; none leaves them as they are, as None leaves whether they are
    covered. `language`: "" if the text tells it. All these may change at any time, and its place be
    removed. Two trips, four if it mentions somebody. Raises NotFound; Forbidden; RefusedText;
    Conflict if it was edited meanwhile, too late or too often.
    """
    require_own_partition(site.db, uid, status_id)
    stored = _read_stored(site.db, status_id)
    flagged = check_change(site.config, public_texts(stored), _texts(parsed, cw, pictures))
    members = mentioned_members(site.db, parsed.entities)
    version, _, described = revision.partition(".")
    reply = site.run(
        EDIT,
        uid=uid,
        id=status_id,
        base_version="" if version == "0" else version,
        base_described=described or "0",
        **_text_arguments(stored, parsed, members, cw, language),
        sensitive="" if sensitive is None else str(int(sensitive)),
        media=pack_pictures(pictures),
        remove_place="1" if remove_place else "",
        flagged=flagged,
        window_ms=site.config.edit_minutes * 60_000,
    )
    return bool(reply)


def history(db: Db, status_id: int, viewer: int | None = None) -> History:
    """Return all versions of a status. Three trips.

    Raises NotFound; Forbidden if its author is suspended, or hidden from the viewer.
    """
    status = get(db, status_id, viewer)
    stored = map(orjson.loads, db.run(("LRANGE", edit_keys.status_versions(status_id), 0, -1)))
    # A version kept after the status was read is no older than the status as read.
    older = [
        _parse_version(version, status)
        for version in stored
        if int(version["at"] or 0) < status.version
    ]
    created_at, has_place = status.edited or status.created, status.place is not None
    content = (
        *(status.text, status.entities, status.cw),
        *(status.described, has_place, status.sensitive),
    )
    current = Version(created_at, *content)
    return History(status, [current, *reversed(older)])


def _texts(parsed: Parsed, cw: str, pictures: Sequence[Picture]) -> list[str]:
    """Return the texts of an edit."""
    return [parsed.text, cw, *(one.alt for one in pictures)]


def _text_arguments(
    stored: Mapping[str, str],
    parsed: Parsed,
    members: Mapping[str, Member],
    cw: str,
    language: str,
) -> dict[str, str]:
    return {
        "text": parsed.text,
        "entities": pack_entities(without_unknown(parsed.entities, members)),
        "lang": language or language_detection.detect(parsed.text, parsed.entities),
        "cw": cw,
        "mentioned": _packed_mentions(stored, members),
    }


def _read_stored(db: Db, status_id: int) -> dict[str, str]:
    """Return some fields of a status, those it has. One trip."""
    names = ("text", "cw", "media", "visibility", "reply_to_uid")
    values = db.run(("HMGET", status_keys.status(status_id), *names))
    return {name: value for name, value in zip(names, values, strict=True) if value}


def _packed_mentions(stored: Mapping[str, str], members: Mapping[str, Member]) -> str:
    """Return the uids that the new text mentions or answers, as stored; "" if not restricted."""
    if not Visibility(stored.get("visibility", "")).restricted:  # it never changes
        return ""
    replied = int(stored.get("reply_to_uid", 0))
    return pack_uids({member.uid for member in members.values()} | {replied} - {0})


def _parse_version(stored: dict[str, str], status: Status) -> Version:
    at = stored["at"]
    created_at = datetime.fromtimestamp(int(at) / 1000, UTC) if at else status.created
    content = (stored["text"], unpack_entities(stored["entities"]), stored["cw"])
    described = int(stored["described"]) if "described" in stored else None
    flags = (bool(stored.get("placed")), bool(stored.get("sensitive")))
    return Version(created_at, *content, described, *flags)
