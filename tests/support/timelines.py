"""Read timelines as their pages do."""

from collections.abc import Callable

from tests.support import paging
from webapp.accounts import keys as account_keys
from webapp.core.store import Site, partition_of
from webapp.core.text.parser import parse
from webapp.statuses import Item, Timeline, store as statuses
from webapp.timelines.home import stored_home
from webapp.timelines.home.snapshot import home_snapshot
from webapp.timelines.home_page import home_page


def home_timeline(site: Site, uid: int, before: int | None = None) -> Timeline[Item]:
    """Return a page of a member's home below the cursor `before`. At most four trips.

    Views prefetch the snapshot. Raises NotFound if there is no account.
    """
    return home_page(site, site.db.read(home_snapshot(site, uid, before)))


def post(site: Site, uid: int, *texts: str) -> list[int]:
    """Post these texts and return their ids."""
    return [
        statuses.post(site, uid, parse(text), f"form-{uid}-{text}".replace(" ", "-"))
        for text in texts
    ]


def home(site: Site, uid: int) -> list[int]:
    """Return every id that a member can page to in home. Check that only the last page is short."""
    return walk(lambda before: home_timeline(site, uid, before), site.config.page_size)


def expire_home(site: Site, uid: int) -> None:
    """Make a member inactive, as after HOME_DAYS without a visit. The next rebuilds the home."""
    site.db.run(("ZADD", account_keys.active_members(partition_of(uid)), 1, uid))
    assert stored_home.expire_inactive(site, partition_of(uid)) == 1


def walk(read: Callable[[int | None], object], size: int) -> list[int]:
    """Return the ids of all pages. Check that they descend and that only the last page is short."""
    ids = paging.ids(read, size)
    assert ids == sorted(set(ids), reverse=True)
    return ids
