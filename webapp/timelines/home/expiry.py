"""Periodic job: delete the homes of members who stayed away."""

from __future__ import annotations

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.scripts import script

EXPIRE_INACTIVE = script("timelines/lua/expire_inactive.lua")
EXPIRE_BATCH = 500  # timelines that one call deletes


def expire_inactive(db: Db, config: Config, partition: int) -> int:
    """Delete homes of members who stayed away for `home_days`; return how many. One trip."""
    return expire(
        db, config, account_keys.active_members(partition), account_keys.home.prefix(partition)
    )


def expire(db: Db, config: Config, active: str, timelines: str) -> int:
    """Delete timelines that nobody read for `home_days`; return how many. One trip.

    `active`: the key of their last visits by name. `timelines`: the prefixes of their keys.
    """
    command = EXPIRE_INACTIVE(
        active=active, timelines=timelines, max_age=config.home_days * 86_400, limit=EXPIRE_BATCH
    )
    return int(db.run(command))
