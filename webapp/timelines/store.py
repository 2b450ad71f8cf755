"""Reading the home, public and hashtag timelines, and profiles."""

from __future__ import annotations

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Read
from webapp.statuses.items import Item
from webapp.statuses.status import Status

from . import keys
from .home.snapshot import home_snapshot
from .home.store import home_page
from .profile import profile_page as profile_page
from .shared import SharedEntries, shared_entries, shared_page
from .timeline import Timeline


def home(db: Db, config: Config, uid: int, before: int | None = None) -> Timeline[Item]:
    """Return a page of a member's home below the cursor `before`. At most three trips.

    Views prefetch the snapshot. Raises NotFound if there is no account.
    """
    return home_page(db, config, db.read(home_snapshot(db, config, uid, before)))


def public_entries(config: Config, before: int | None = None) -> Read[SharedEntries]:
    """Read the entries of a page of the public timeline below the cursor `before`."""
    return shared_entries(config, keys.public_timeline(), before)


def tagged_entries(config: Config, name: str, before: int | None = None) -> Read[SharedEntries]:
    """Read the entries of a page of a hashtag, by its folded name, below the cursor `before`."""
    return shared_entries(config, keys.hashtag_statuses(name), before)


def public(
    db: Db, config: Config, before: int | None = None, viewer: int | None = None
) -> Timeline[Status]:
    """Return a page of the public timeline. At most four trips: see `shared_page`."""
    return shared_page(db, config, viewer, db.read(public_entries(config, before)))


def tagged(
    db: Db, config: Config, name: str, before: int | None = None, viewer: int | None = None
) -> Timeline[Status]:
    """Return a page of a hashtag, by its folded name. At most four trips: see `shared_page`."""
    return shared_page(db, config, viewer, db.read(tagged_entries(config, name, before)))
