"""Where members wrote what they wrote: taken off all of it when they say so."""

from __future__ import annotations

from .. import keys
from ..config import Config
from ..db import Db
from ..events import trace
from ..ids import partition_of
from ..scripts import script

SCRUB = script("statuses/scrub.lua")
SCRUB_BATCH = 1_000  # statuses one script looks at


def scrub(db: Db, config: Config, uid: int) -> None:
    """Takes the places off all statuses of a member, in batches; again does no harm. Raises Unavailable."""
    for listed in (keys.profile(uid), keys.replied(uid)):
        names = [listed, keys.status_prefix(uid), keys.outbox(partition_of(uid))]
        bound = "-inf"
        while last := db.run(SCRUB(names, uid, bound, SCRUB_BATCH, partition_of(uid), config.outbox_max, *trace())):
            bound = f"({last}"
