"""Taking the places off what a member wrote."""

from __future__ import annotations

from .. import keys
from ..config import Config
from ..db import Db
from ..events import trace
from ..ids import partition_of
from ..scripts import script

SCRUB = script("statuses/scrub.lua")
BATCH = 1_000  # statuses one script looks at


def scrub(db: Db, config: Config, uid: int) -> None:
    """Takes the places off all statuses of a member, in batches; again does no harm. Raises Unavailable."""
    for listed in (keys.profile(uid), keys.replied(uid)):
        names = [listed, keys.status_prefix(uid), keys.outbox(partition_of(uid))]
        bound = "-inf"
        while last := db.run(SCRUB(names, uid, bound, BATCH, partition_of(uid), config.outbox_max, *trace())):
            bound = f"({last}"
