"""What the entries of timelines show, in the trip that fetches it all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from .. import keys
from ..config import Config
from ..db import Command, Db
from ..statuses.acts import Acts, acts_commands, acts_read
from ..statuses.boosts import Item, Told, every, once, people, statuses_of, writers
from ..statuses.recent import Recent
from ..statuses.seeing import Between, between_commands, between_from
from ..statuses.status import Status
from ..statuses.store import Entry
from ..statuses.visibility import Visibility
from . import tags
from .boosted import Boosters, Shown, among, pair_of, sees
from .merged import Newest


class Read(NamedTuple):
    """What a home's entries show together with what is merged at read time, newest first and once, down to `end` (0:
    all); what the reader did with it; the entries that are gone, or not for the reader; and the authors of those left
    out that are not gone: who has just been suspended, or who is hidden from the reader and comes under a tag.
    """

    items: list[Item]
    acts: Acts
    gone: list[str]
    left_out: set[int]
    end: int


def read(
    db: Db, config: Config, uid: int, mixed: tags.Mixed, merged: Newest, own: Acts, also: Sequence[Command] = ()
) -> tuple[Read, list[Any]]:
    """It, and the replies to `also`. `own`: what the reader did with what the home's own entries show. One trip, none
    where this process read all of it just now.
    """
    shown, strangers = Shown(mixed.entries), sorted(mixed.strangers)
    followed = shown.by - mixed.strangers
    recent = Recent(db, shown.pairs, uid, config.status_seconds, shown.authors - followed)
    brought, end = _brought(config, mixed, merged)
    boosters = Boosters(uid, brought, home=True)
    pairs = [*map(pair_of, mixed.brought), *statuses_of(merged.statuses), *boosters.pairs]
    others, ties = _answered(uid, merged.statuses), between_commands(uid, strangers, home=True)
    parts = (recent.commands, _asking(uid, pairs, others), ties, shown.commands, boosters.commands, also)
    told, done, around, boosted, boosts, replies = db.parts(*parts)
    between = between_from(uid, strangers, around).following(followed)
    found, gone, left_out = _sifted(between, mixed.entries, shown.read(boosted, recent.read(told)))
    answered = {0, uid, *(other for other, at in zip(others, done[-1] if others else (), strict=True) if at)}
    more = [status for status in merged.statuses if status.id >= mixed.floor and status.to in answered]
    besides, end = list[Item]((*boosters.read(boosts), *more)), max(end, mixed.end, merged.end)
    if besides:
        found = every(list({item.id: item for item in (*found, *besides)}.values()))
    shown_now = [item for item in once(found) if item.id >= end]
    acts = own.joined(acts_read(uid, pairs, done)) if pairs else own
    return Read(shown_now, acts, gone, left_out, end), replies


def _sifted(
    between: Between, entries: Sequence[str], items: Sequence[Item | None]
) -> tuple[list[Item], list[str], set[int]]:
    """Of what entries of a home show, what is left; the entries that are gone or not for the reader; and the authors of
    what is left out for their sake.
    """
    there, gone, left_out, clear = list[Item](), list[str](), set[int](), between.clear
    for entry, item in zip(entries, items, strict=True):
        if clear and type(item) is Status and item.visibility is Visibility.PUBLIC and not item.author.suspended:
            there.append(item)  # as most are: nothing more is to be asked
            continue
        if item is None or not sees(between, item):
            gone.append(entry)
            continue
        there.append(item)
        for one in people(item):
            if one.suspended or not (clear or between.unasked(one.uid)):
                left_out.add(one.uid)
    return [item for item in there if not left_out & writers(item)] if left_out else there, gone, left_out


def fetch(
    db: Db,
    config: Config,
    viewer: int | None,
    entries: Sequence[str],
    others: Collection[int] = (),
    home: bool = False,
    also: Sequence[Command] = (),
) -> tuple[list[Item | None], Acts, Between, list[Any]]:
    """What the entries of any other timeline (`home`: or of one built anew) show, each in its place, None for what is
    gone; what the viewer did with it; what is between the viewer and whom it shows, and `others`; and the replies to
    `also`. One trip.
    """
    shown = Shown(entries)
    members = shown.people.union(others)
    recent = Recent(db, shown.pairs, viewer, config.status_seconds, shown.authors)
    ties, own = between_commands(viewer, members, home), acts_commands(viewer, shown.pairs)
    told = db.parts(ties, recent.commands, shown.commands, own, also)
    between = between_from(viewer, members, told[0])
    return shown.read(told[2], recent.read(told[1])), acts_read(viewer, shown.pairs, told[3]), between, told[4]


def _brought(config: Config, mixed: tags.Mixed, merged: Newest) -> tuple[list[Told], int]:
    """The boosts of merged authors that may stand among the entries and what is merged, and the id below which others
    were left aside.
    """
    if not merged.boosts:
        return [], 0
    ids = [*map(tags.id_of, mixed.entries), *(one.id for one in merged.statuses)]
    return among(ids, merged.boosts, max(config.page_size, len(mixed.entries) - 1), mixed.floor)


def _answered(uid: int, statuses: Sequence[Status]) -> list[int]:
    """The members whom some statuses answer, and whom a reader must follow to be shown these."""
    return sorted({status.to for status in statuses} - {0, uid})


def _asking(uid: int, pairs: Sequence[Entry], others: Sequence[int]) -> list[Command]:
    follows: list[Command] = [("ZMSCORE", keys.following(uid), *others)] if others else []
    return [*acts_commands(uid, pairs), *follows]
