"""The periodic jobs of lists."""

from __future__ import annotations

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.timelines.home.expiry import expire

from . import keys


def expire_inactive(db: Db, config: Config, partition: int) -> int:
    """Delete timelines of lists that nobody read for `home_days`; return how many. One trip."""
    return expire(db, config, keys.active_lists(partition), keys.list_home.prefix(partition))
