"""What a page that is open asks for, to be added to it: statuses by their numbers, some of them as somebody boosts
them.
"""

from __future__ import annotations

from collections.abc import Mapping

from .. import keys
from ..accounts.store import member_command, member_from
from ..db import Command, Db
from ..ids import parse_id
from .acts import Acts, acts_commands, acts_read
from .boosts import Boost, Item, every, member_of
from .seeing import Between, between_commands, between_from
from .store import authored, hydration

Asked = tuple[int, int]  # a status, and who boosts it; 0 for nobody


def parse_asked(text: str) -> Asked | None:
    """What `id` or `id-booster` names; None for anything else."""
    status, dash, by = text.partition("-")
    number, uid = parse_id(status), parse_id(by) if dash else 0
    return (number, uid) if number is not None and uid is not None else None


def items(db: Db, asked: Mapping[int, int], viewer: int | None) -> tuple[list[Item], Acts]:
    """Those of the statuses that are there and that a viewer who asks is shown, newest first, and what the viewer did
    with them, but for what they did just now. `asked`: who boosts each, 0 for nobody: where that is not so any more, it
    is left out. Two trips.
    """
    entries = authored(db, list(asked))
    boosts = [(asked[status_id], status_id, author) for status_id, author in entries if asked[status_id]]
    uids = sorted({author for _, author in entries} | {by for by, *_ in boosts})
    commands, read = hydration(entries)
    parts: list[list[Command]] = [between_commands(viewer, uids), acts_commands(viewer, entries), commands]
    parts += [[("ZSCORE", keys.boosts(by), member_of(*entry)) for by, *entry in boosts]]
    parts += [[member_command(by) for by, *_ in boosts]]
    ties, done, told, scores, fields = db.parts(*parts)
    between = between_from(viewer, uids, ties)
    found = {one.id: one for one in read(told) if one and between.shown(one)}
    shown = [
        Boost(int(at), by, found[status_id])
        for (uid, status_id, _), at, told_by in zip(boosts, scores, fields, strict=True)
        if at is not None and status_id in found and (by := member_from(uid, told_by))
    ]
    alone = [one for one in found.values() if not asked[one.id]]
    return every(alone, [one for one in shown if _shows(between, one)]), acts_read(viewer, entries, done)


def _shows(between: Between, boost: Boost) -> bool:
    by = boost.by
    return not by.suspended and between.asked(by.uid) and between.passes_on(boost.status, by)
