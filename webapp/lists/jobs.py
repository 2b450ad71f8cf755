"""The periodic jobs of lists."""

from webapp.core.store import Site
from webapp.timelines.home.stored_home import expire

from . import keys


def expire_inactive(site: Site, partition: int) -> int:
    """Delete timelines of lists that nobody read for `home_days`; return how many. One trip."""
    return expire(site, keys.active_lists(partition), keys.list_home.prefix(partition))
