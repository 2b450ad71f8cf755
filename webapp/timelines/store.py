"""Read pages of the public timeline and of hashtags."""

from collections.abc import Sequence

from webapp.config import Config
from webapp.core.store import Read, Site, collect
from webapp.statuses import Skeleton, Status, Timeline

from . import keys
from .shared import joined_entries, shared_entries, shared_page


def public_entries(config: Config, before: int | None = None) -> Read[Skeleton[str]]:
    """Read the entries of a page of the public timeline below the cursor `before`."""
    return shared_entries(config, keys.public_timeline(), before)


def tagged_entries(config: Config, name: str, before: int | None) -> Read[Skeleton[str]]:
    """Read the entries of a page of a hashtag, by its folded name, below the cursor `before`."""
    return shared_entries(config, keys.hashtag_statuses(name), before)


def public(site: Site, before: int | None = None, viewer: int | None = None) -> Timeline[Status]:
    """Return a page of the public timeline. At most five trips: see `shared_page`."""
    return shared_page(site, viewer, site.db.read(public_entries(site.config, before)))


def tagged(
    site: Site,
    name: str,
    before: int | None = None,
    viewer: int | None = None,
    others: Sequence[str] = (),
) -> Timeline[Status]:
    """Return a page of hashtags, by their folded names. At most five trips: see `shared_page`."""
    names = dict.fromkeys((name, *others))
    parts = site.db.read(collect(tagged_entries(site.config, one, before) for one in names))
    return shared_page(site, viewer, joined_entries(parts))
