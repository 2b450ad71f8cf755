"""What the entries of timelines show, in the trip that fetches it all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import Any

from .. import keys
from ..config import Config
from ..db import Command, Db
from ..statuses.acts import Acts, acts_commands, acts_read
from ..statuses.boosts import Boost, Item, every, statuses_of, suspended, writers
from ..statuses.recent import Recent
from ..statuses.seeing import Between, between_commands, between_from
from ..statuses.status import Status
from ..statuses.store import Entry
from . import tags
from .boosted import Boosters, Shown, among, sees
from .merged import Merged


def read(
    db: Db, config: Config, uid: int, mixed: tags.Mixed, merged: Merged
) -> tuple[list[Item], Acts, list[str], set[int]]:
    """What a home's entries show together with what is merged at read time, newest first; what the reader did with it;
    the entries that are gone, or not for the reader; and the authors of those left out that are not gone: who has just
    been suspended, or who is hidden from the reader and comes under a tag.
    """
    shown, strangers = Shown(mixed.entries), sorted(mixed.strangers)
    followed = {by for by in map(tags.author_of, mixed.entries) if by not in mixed.strangers}
    recent = Recent(db, shown.pairs, uid, config.status_seconds, {by for _, by in shown.pairs} - followed)
    pairs, others = [*shown.pairs, *statuses_of(merged.known)], _answered(uid, merged.known)
    asking, ties = _asking(uid, pairs, others), between_commands(uid, strangers, home=True)
    told = _trip(db, recent.commands, asking, ties, merged.commands, shown.commands)
    between = between_from(uid, strangers, told[2])
    between = between.following(followed)
    items = [item if item and sees(between, item) else None for item in shown.read(told[4], recent.read(told[0]))]
    gone = [entry for entry, item in zip(mixed.entries, items, strict=True) if item is None]
    there = [item for item in items if item]
    left_out = {by for item in there for by in writers(item) if by in suspended(item) or not between.unasked(by)}
    found: dict[int, Item] = {item.id: item for item in there if not writers(item) & left_out}
    more = [status for status in merged.read(told[3]) if status.id >= mixed.floor]
    acts, follows, boosts = acts_read(uid, pairs, told[1]), told[1], list[Boost]()
    brought = among([*found, *(one.id for one in more)], merged.boosts, config.page_size, mixed.floor)
    boosters = Boosters(uid, brought, home=True)
    if {status.id for status in more}.difference(one for one, _ in pairs) or boosters.pairs:
        pairs, others = list({*statuses_of([*found.values(), *more]), *boosters.pairs}), _answered(uid, more)
        asking = _asking(uid, pairs, others)
        follows = db.trip(*asking, *boosters.commands)
        follows, boosts = follows[: len(asking)], boosters.read(follows[len(asking) :])
        acts = acts_read(uid, pairs, follows)
    answered = {0, uid, *(other for other, at in zip(others, follows[-1] if others else (), strict=True) if at)}
    found |= {boost.id: boost for boost in boosts}
    found |= {status.id: status for status in more if status.to in answered}
    return every(list(found.values())), acts, gone, left_out


def fetch(
    db: Db, config: Config, viewer: int | None, entries: Sequence[str]
) -> tuple[list[Item | None], Acts, Between]:
    """What the entries of any other timeline show, each in its place, None for what is gone; what the viewer did with
    it; and what is between the viewer and whom it shows.
    """
    shown = Shown(entries)
    recent = Recent(db, shown.pairs, viewer, config.status_seconds, {by for _, by in shown.pairs})
    ties, own = between_commands(viewer, shown.people), acts_commands(viewer, shown.pairs)
    told = _trip(db, ties, recent.commands, shown.commands, own)
    between = between_from(viewer, shown.people, told[0])
    return shown.read(told[2], recent.read(told[1])), acts_read(viewer, shown.pairs, told[3]), between


def _trip(db: Db, *parts: Sequence[Command]) -> list[list[Any]]:
    """The replies to several parts of a trip, by part."""
    replies = iter(db.trip(*chain(*parts)))
    return [list(islice(replies, len(commands))) for commands in parts]


def _answered(uid: int, statuses: Sequence[Status]) -> list[int]:
    """The members whom some statuses answer, and whom a reader must follow to be shown these."""
    return sorted({status.to for status in statuses} - {0, uid})


def _asking(uid: int, pairs: Sequence[Entry], others: Sequence[int]) -> list[Command]:
    follows: list[Command] = [("ZMSCORE", keys.following(uid), *others)] if others else []
    return [*acts_commands(uid, pairs), *follows]
