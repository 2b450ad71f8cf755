"""Periodic job: delete the homes of members who stayed away."""

from __future__ import annotations

from webapp.accounts import keys as account_keys
from webapp.core.site import Site
from webapp.core.store.scripts import script

EXPIRE_INACTIVE = script("timelines/lua/expire_inactive.lua")
EXPIRE_BATCH = 500  # timelines that one call deletes


def expire_inactive(site: Site, partition: int) -> int:
    """Delete homes of members who stayed away for `home_days`; return how many. One trip."""
    return expire(site, account_keys.active_members(partition), account_keys.home.prefix(partition))


def expire(site: Site, active: str, timelines: str) -> int:
    """Delete timelines that nobody read for `home_days`; return how many. One trip.

    `active`: the key of their last visits by name. `timelines`: the prefixes of their keys.
    """
    command = EXPIRE_INACTIVE(
        active=active,
        timelines=timelines,
        max_age=site.config.home_days * 86_400,
        limit=EXPIRE_BATCH,
    )
    return int(site.db.run(command))
