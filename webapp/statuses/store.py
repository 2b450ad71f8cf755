"""Statuses: posting, deleting, and reading them one by one or many in a trip."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Unpack

from .. import keys, languages, limits
from ..accounts.store import member_command, member_from
from ..config import Config, Rate
from ..db import Command, Db
from ..events import trace
from ..ids import partition_of
from ..scripts import script
from ..text import Parsed
from .acts import Acts, acts_commands, acts_now, acts_read
from .aims import foreign, quotable
from .answerers import ruled
from .packing import pack
from .pictures import names_in
from .places import Place, placed
from .replies import answerable, answering
from .said import Said, stored, telling
from .seeing import Between, between_commands, between_from
from .status import Status, status_command, status_from
from .visibility import addressed, chosen
from .visibility import pack as pack_named

POST = script("statuses/post.lua")
DELETE = script("statuses/delete.lua")

# How a timeline names a status: (its id, its author's id).
Entry = tuple[int, int]


# Turns the replies to a hydration's commands into statuses, None for one that is gone.
Reader = Callable[[Sequence[Any]], "list[Status | None]"]


def post(
    db: Db,
    config: Config,
    uid: int,
    parsed: Parsed,
    form: str,
    place: Place | None = None,
    limit: Rate | None = None,
    draft: str = "",
    **said: Unpack[Said],
) -> int:
    """Posts a status and returns its id; the same id again for the same text with the same form key, whose draft goes.
    `limit`: how often this member may, counted with what is posted in one step. `draft`: when the draft that is posted
    was saved. Raises Unavailable, Forbidden, RateLimited, Conflict; NotFound, also when the draft is another one.
    """
    p = partition_of(uid)
    parent = answerable(db, uid, reply) if (reply := said.get("reply")) else None
    quoted = quotable(db, uid, quote).author.uid if (quote := said.get("quote")) else ""
    visibility = chosen(said.get("visibility"), parent.visibility if parent else None)
    named = addressed(db, parsed.entities, parent.author.uid if parent else None) if visibility.limited else ()
    # A browser that goes back to a form keeps its key: with another text, other pictures or for others it is another.
    meant = f"{form} {telling(said)} {visibility.value} {parsed.text}"
    once = hashlib.sha256(meant.encode()).hexdigest()[:32]
    names = [keys.user(uid), keys.last_id(p), keys.posted(uid, once), keys.profile(uid), keys.home(uid)]
    names += [keys.outbox(p), keys.status_prefix(uid), keys.active(p), keys.post_limit(uid), keys.draft(uid, form)]
    names += [keys.drafts(uid), keys.later(p), keys.replied(uid), keys.blocks(uid), keys.blockers(uid)]
    names += [keys.uploads(p), keys.limited_prefix(uid), keys.ending(p)]
    given = [uid, p, parsed.text, pack(parsed.entities), config.post_key_hours * 3600]
    given += [config.home_max, config.home_slack, config.outbox_max, *trace()]
    given += [*((limit.burst, limit.period) if limit else (0, 0)), form, draft]
    may = ruled(db, uid, parsed.entities, said.get("answerers"), parent.may if parent else None)
    given += [*answering(parent), *stored(said), "may", may, "quoted", quoted]
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
    names += [keys.pinned(uid), keys.uploads(partition), keys.limited_prefix(uid), keys.boosters(status_id)]
    names += [keys.votes(status_id), keys.ending(partition), keys.quotes(status_id), keys.detached(status_id)]
    names.append(keys.user(uid))
    return names_in(db.run(DELETE(names, uid, status_id, partition, config.outbox_max, *trace())))


def get(db: Db, status_id: int, viewer: int | None = None) -> Status:
    """One status, in two trips. Raises NotFound, also where it is not for the viewer; Forbidden when its author is
    suspended, or hidden from the viewer.
    """
    (status,), _, between = named(db, [status_id], viewer)
    return between.admit(status)


def seen(db: Db, status_id: int, viewer: int | None) -> tuple[Status, Acts]:
    """The same, with what a viewer did with it, just now too."""
    (status,), acts, between = named(db, [status_id], viewer)
    return between.admit(status), acts_now(db, viewer, acts)


def named(db: Db, status_ids: Sequence[int], viewer: int | None) -> tuple[list[Status | None], Acts, Between]:
    """Statuses whose authors are not known yet, in this order, None for one that is gone; what a viewer did with them,
    of which what they did just now is still to be looked up; and what is between the viewer and their authors. Two
    trips, none without ids.
    """
    entries = authored(db, status_ids)
    commands, read = hydration(entries)
    there = [status_id for status_id, _ in entries]
    own, ties = acts_commands(viewer, entries), between_commands(viewer, writers := [author for _, author in entries])
    replies = db.trip(*ties, *commands, *own)
    between = between_from(viewer, writers, replies[: len(ties)])
    found = dict(zip(there, read(replies[len(ties) : len(replies) - len(own)]), strict=True))
    acts = acts_read(viewer, entries, replies[len(replies) - len(own) :])
    return [found.get(status_id) for status_id in status_ids], acts, between


def authored(db: Db, status_ids: Sequence[int]) -> list[Entry]:
    """Those of the statuses that are there, with their authors. One trip, none without ids."""
    authors = db.trip(*(("HGET", keys.status(status_id), "author") for status_id in status_ids))
    return [(status_id, int(author)) for status_id, author in zip(status_ids, authors, strict=True) if author]


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
