"""Boosts in profiles and homes."""

from collections.abc import Callable, Iterator

from tests.support.timelines import home_timeline
from webapp.accounts.store import get_or_404
from webapp.core.store import Site
from webapp.statuses import Item
from webapp.statuses.items import Boost
from webapp.timelines import store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page

Entry = int | tuple[str, int]  # a status id, or the login of a booster and the id


def entry(item: Item) -> Entry:
    return (item.booster.login, item.status.id) if isinstance(item, Boost) else item.id


def home_entries(site: Site, uid: int) -> list[Entry]:
    """Return the entries on all pages of a home timeline."""
    return list(all_entries(lambda before: home_timeline(site, uid, before)))


def profile_entries(site: Site, login: str, viewer: int = 0, replies: bool = False) -> list[Entry]:
    """Return the entries on all pages of a profile."""
    reader = site.db.read(get_or_404(viewer)) if viewer else None
    return list(
        all_entries(
            lambda before: profile_page(site, ProfileQuery(login, reader, before, replies)).timeline
        )
    )


def all_entries(
    read: Callable[[int | None], timelines.Timeline[Item]], short: bool = False
) -> Iterator[Entry]:
    """Yield the entries of all pages. Only the last may be short, unless `short` allows more."""
    before, size = None, 0
    while True:
        page = read(before)
        yield from map(entry, page.items)
        size, before = size or len(page.items), page.next
        if before is None:
            return
        assert short or (len(page.items) == size and page.items[-1].id == before)
