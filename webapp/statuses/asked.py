"""What a page that is open asks for, to be added to it: statuses by their numbers, some of them as somebody boosts
them.
"""

from __future__ import annotations

from collections.abc import Mapping

from .. import keys
from ..accounts.store import member_command, member_from
from ..db import Db
from ..ids import parse_id
from .acts import Acts
from .boosts import Boost, Item, every, member_of
from .seeing import between_commands, between_from
from .store import several

Asked = tuple[int, int]  # a status, and who boosts it; 0 for nobody


def parse_asked(text: str) -> Asked | None:
    """What `id` or `id-booster` names; None for anything else."""
    status, dash, by = text.partition("-")
    number, uid = parse_id(status), parse_id(by) if dash else 0
    return (number, uid) if number is not None and uid is not None else None


def items(db: Db, asked: Mapping[int, int], viewer: int | None) -> tuple[list[Item], Acts]:
    """Those of the statuses that are there and that a viewer who asks is shown, newest first, and what the viewer did
    with them. `asked`: who boosts each, 0 for nobody: where that is not so any more, it is left out. Two trips, and one
    more with boosts.
    """
    found, acts = several(db, list(asked), viewer)
    boosted = [one for one in found if asked[one.id]]
    uids = [asked[one.id] for one in boosted]
    ties = between_commands(viewer, uids) if uids else []
    replies = db.trip(
        *ties,
        *(("ZSCORE", keys.boosts(asked[one.id]), member_of(one.id, one.author.uid)) for one in boosted),
        *map(member_command, uids),
    )
    between, replies = between_from(viewer, uids, replies[: len(ties)]), replies[len(ties) :]
    people = [member_from(uid, fields) for uid, fields in zip(uids, replies[len(uids) :], strict=True)]
    shown = [
        Boost(int(at), by, status)
        for status, at, by in zip(boosted, replies, people, strict=False)
        if at is not None and by and not by.suspended and between.asked(by.uid) and between.passes_on(status, by)
    ]
    return every([one for one in found if not asked[one.id]], shown), acts
