"""The groups that apply events, one by one."""

from tests.support import worker
from webapp.core.events.group_loop import GroupLoop
from webapp.core.store import PARTITIONS, Site


def run_groups(site: Site, *groups: str) -> None:
    """Apply all events of all partitions for these groups, as one worker."""
    for group in groups:
        loop = acquired(site, group, "first")
        while loop.poll(range(PARTITIONS)):
            pass
        loop.release()


def acquired(site: Site, group: str, owner: str) -> GroupLoop:
    """Return the loop of a worker that holds all partitions."""
    loop = worker.group_loop(site, group, owner)
    loop.acquire()
    return loop
