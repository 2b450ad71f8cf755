"""Statuses: posting, deleting, and reading them one by one or many in a trip."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from .. import ids, keys, languages, limits
from ..accounts.store import Member, member_command, member_from
from ..config import Config, Rate
from ..db import Command, Db
from ..events import trace
from ..ids import partition_of
from ..memo import Memo
from ..scripts import script
from ..text import Entity, Parsed
from .acts import Acts, acts_commands, acts_from
from .aims import foreign
from .packing import pack, unpack
from .pictures import Picture, names_in, pack_pictures, unpack_pictures
from .places import Place, placed
from .replies import Answered, answerable
from .replies import pack as pack_way
from .seeing import Between, between_commands, between_from
from .visibility import Visibility, addressed, chosen
from .visibility import pack as pack_named
from .visibility import unpack as unpack_named

POST = script("statuses/post.lua")
DELETE = script("statuses/delete.lua")
KEPT = 16 * 1024 * 1024  # bytes of statuses that a process keeps as they were read
# What of a status is read; what is counted comes last.
FIELDS = "text entities lang lat long place cw edited pinned media vis who reply to to_login likes replies".split()


# How a timeline names a status: (its id, its author's id).
Entry = tuple[int, int]


# Turns the replies to a hydration's commands into statuses, None for one that is gone.
Reader = Callable[[Sequence[Any]], "list[Status | None]"]


@dataclass(frozen=True, slots=True)
class Status:
    """A status as pages show it. `lang`: BCP 47, or nothing where it could not be told. `cw`: what its author warns of.
    `version`: when it was edited last, unix ms, 0 when it never was. `pinned`: to its author's profile. `reply`: what
    it answers. `named`: the uids of whom it names or answers, where not everybody may see it. `likes`, `replies`: how
    many were counted: with more of these it is the same status.
    """

    id: int
    author: Member
    text: str
    entities: tuple[Entity, ...]
    lang: str = ""
    place: Place | None = None
    cw: str = ""
    version: int = 0
    pinned: bool = False
    reply: Answered | None = None
    pictures: tuple[Picture, ...] = ()
    visibility: Visibility = Visibility.PUBLIC
    named: frozenset[int] = frozenset()
    likes: int = field(default=0, compare=False)
    replies: int = field(default=0, compare=False)

    @property
    def created(self) -> datetime:
        """When it was posted, in UTC."""
        return ids.created(self.id)

    @property
    def to(self) -> int:
        """The uid of the other member whom it answers; 0 for a post, and for a reply to oneself, which is as good."""
        return self.reply.uid if self.reply and self.reply.uid != self.author.uid else 0

    @property
    def edited(self) -> datetime | None:
        """When it was edited last, in UTC."""
        return datetime.fromtimestamp(self.version / 1000, UTC) if self.version else None

    @property
    def told(self) -> str:
        """What may be said of it where it is not shown itself: the warning, or the text when there is none."""
        return self.cw or self.text

    def __hash__(self) -> int:  # quick: statuses are part of keys
        return self.id


def post(
    db: Db,
    config: Config,
    uid: int,
    parsed: Parsed,
    form: str,
    place: Place | None = None,
    limit: Rate | None = None,
    draft: str = "",
    reply: int | None = None,
    cw: str = "",
    pictures: Sequence[Picture] = (),
    visibility: Visibility | None = None,
) -> int:
    """Posts a status and returns its id; the same id again for the same text with the same form key, whose draft goes.
    `limit`: how often this member may, counted with what is posted in one step. `draft`: when the draft that is posted
    was saved. `reply`: the status it answers, as visible as which it is by default. `pictures`: those that uploads.py
    has just kept. Raises Unavailable, Forbidden, RateLimited, Conflict; NotFound, also when the draft is another one.
    """
    p = partition_of(uid)
    parent = answerable(db, uid, reply) if reply else None
    visibility = chosen(visibility, parent.visibility if parent else None)
    named = addressed(db, parsed.entities, parent.author.uid if parent else None) if visibility.limited else ()
    # A browser that goes back to a form keeps its key: with another text, other pictures or for others it is another.
    said = f"{form} {reply or ''}{visibility.value} {parsed.text}" + "".join(picture.digest for picture in pictures)
    once = hashlib.sha256(said.encode()).hexdigest()[:32]
    names = [keys.user(uid), keys.last_id(p), keys.posted(uid, once), keys.profile(uid), keys.home(uid)]
    names += [keys.outbox(p), keys.status_prefix(uid), keys.active(p), keys.post_limit(uid), keys.draft(uid, form)]
    names += [keys.drafts(uid), keys.later(p), keys.replied(uid), keys.blocks(uid), keys.blockers(uid)]
    names += [keys.uploads(p), keys.limited_prefix(uid)]
    given = [uid, p, parsed.text, pack(parsed.entities), config.post_key_hours * 3600]
    given += [config.home_max, config.home_slack, config.outbox_max, *trace()]
    given += [*((limit.burst, limit.period) if limit else (0, 0)), form, draft]
    given += [parent.id, parent.author.uid, pack_way(parent.way)] if parent else ["", "", ""]
    given += ["media", pack_pictures(pictures), "to_login", parent.author.login if parent else "", "cw", cw]
    given += ["vis", visibility.value, "who", pack_named(named), *placed(place)]
    made = int(db.run(POST(names, *given, "lang", languages.detect(parsed.text, parsed.entities))))
    if made < 0:
        raise limits.refusal(-made)
    return made


def delete(db: Db, config: Config, uid: int, status_id: int) -> tuple[str, ...]:
    """Deletes a member's own status; returns the names of its pictures, whose files are to go. Raises NotFound;
    Forbidden when it is somebody else's.
    """
    partition = partition_of(status_id)
    if partition != partition_of(uid):  # its author lives elsewhere, so it cannot be this member's
        raise foreign(db, status_id)
    own = [keys.status(status_id), keys.profile(uid), keys.home(uid), keys.replied(uid), keys.outbox(partition)]
    names = [*own, keys.likes(status_id), keys.replies(status_id), keys.thread(status_id), keys.versions(status_id)]
    names += [keys.pinned(uid), keys.uploads(partition), keys.limited_prefix(uid)]
    return names_in(db.run(DELETE(names, uid, status_id, partition, config.outbox_max, *trace())))


def get(db: Db, status_id: int, viewer: int | None = None) -> Status:
    """One status, in two trips. Raises NotFound, also where it is not for the viewer; Forbidden when its author is
    suspended, or hidden from the viewer.
    """
    return seen(db, status_id, viewer)[0]


def seen(db: Db, status_id: int, viewer: int | None) -> tuple[Status, Acts]:
    """The same, with what a viewer did with it."""
    (status,), acts, between = named(db, [status_id], viewer)
    return between.admit(status), acts


def several(db: Db, status_ids: Sequence[int], viewer: int | None = None) -> tuple[list[Status], Acts]:
    """Those of the statuses that are there and that a viewer who asks is shown, newest first, and what the viewer did
    with them, in two trips.
    """
    found, acts, between = named(db, sorted(set(status_ids), reverse=True), viewer)
    return [one for one in found if one and between.shown(one)], acts


def named(db: Db, status_ids: Sequence[int], viewer: int | None) -> tuple[list[Status | None], Acts, Between]:
    """Statuses whose authors are not known yet, in this order, None for one that is gone; what a viewer did with them;
    and what is between the viewer and their authors. Two trips, none without ids.
    """
    authors = db.trip(*(("HGET", keys.status(status_id), "author") for status_id in status_ids))
    entries = [(status_id, int(author)) for status_id, author in zip(status_ids, authors, strict=True) if author]
    commands, read = hydration(entries)
    there = [status_id for status_id, _ in entries]
    own, ties = acts_commands(viewer, there), between_commands(viewer, writers := [author for _, author in entries])
    replies = db.trip(*ties, *commands, *own)
    between = between_from(viewer, writers, replies[: len(ties)])
    found = dict(zip(there, read(replies[len(ties) : len(replies) - len(own)]), strict=True))
    acts = acts_from(db, viewer, there, replies[len(replies) - len(own) :])
    return [found.get(status_id) for status_id in status_ids], acts, between


def hydrate(db: Db, entries: Sequence[Entry]) -> list[Status | None]:
    """The statuses of a timeline's entries, in one trip; None for one that is gone."""
    commands, read = hydration(entries)
    return read(db.trip(*commands))


def hydration(entries: Sequence[Entry]) -> tuple[list[Command], Reader]:
    """The commands that fetch the statuses of `entries`, and the function that reads their replies, for a trip shared
    with other things.
    """
    authors = list({author for _, author in entries})
    commands = [status_command(status_id) for status_id, _ in entries] + [member_command(uid) for uid in authors]

    def read(replies: Sequence[Any]) -> list[Status | None]:
        people = {uid: member_from(uid, reply) for uid, reply in zip(authors, replies[len(entries) :], strict=True)}
        return [status_from(entry[0], people[entry[1]], reply) for entry, reply in zip(entries, replies, strict=False)]

    return commands, read


def status_command(status_id: int) -> Command:
    """The command whose reply `status_from` reads."""
    return ("HMGET", keys.status(status_id), *FIELDS)


def status_from(status_id: int, author: Member | None, fields: Sequence[Any]) -> Status | None:
    """The status in a reply to `status_command`, or None when it or its author is gone."""
    if author is None or fields[0] is None:
        return None
    *said, likes, replies = fields
    key = (status_id, author, *said)  # without what is counted: the same status is kept whatever the numbers
    status = _statuses.get(key) or _statuses.put(key, _status(*key))
    return replace(status, likes=int(likes or 0), replies=int(replies or 0)) if likes or replies else status


def _status(
    status_id: int,
    author: Member,
    text: str,
    entities: str,
    lang: str | None,
    lat: str | None,
    long: str | None,
    name: str | None,
    cw: str | None,
    edited: str | None,
    pinned: str | None,
    media: str | None,
    vis: str | None,
    who: str | None,
    *answered: str | None,
) -> Status:
    place = Place(float(lat), float(long), name or "") if lat and long else None
    reply, to, login = answered
    parent = Answered(int(reply), int(to or 0), login or "") if reply else None
    own = (cw or "", int(edited or 0), bool(pinned))
    seen_by = (Visibility(vis or ""), unpack_named(who))
    shown = (*own, parent, unpack_pictures(media), *seen_by)
    return Status(status_id, author, text, unpack(entities), lang or "", place, *shown)


# By what the store says of them and of their authors: homes of many members show the same.
_statuses: Memo[Status] = Memo(
    KEPT, lambda one: 2_000 + 8 * len(one.text) + 300 * len(one.entities) + 3_000 * len(one.pictures)
)
