"""What lists need done from time to time."""

from __future__ import annotations

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.scripts import script

from . import keys

EXPIRE_INACTIVE = script("timelines/lua/expire_inactive.lua")
EXPIRE_BATCH = 500  # timelines one call retires


def expire_inactive(db: Db, config: Config, partition: int) -> int:
    """Stops keeping the timelines of lists at which nobody has looked for HOME_DAYS; returns how many. A periodic
    job.
    """
    command = EXPIRE_INACTIVE(
        active=keys.active_lists(partition),
        timelines=keys.list_home.prefix(partition),
        max_age=config.home_days * 86_400,
        limit=EXPIRE_BATCH,
    )
    return int(db.run(command))
