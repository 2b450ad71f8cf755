"""`linnet restrict-pictures`: note beside stored pictures which of them are restricted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from webapp.accounts.projections import sync_member_flags
from webapp.admin.options import data_dir_option, open_site
from webapp.config import Config
from webapp.core.media import restrictions
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.statuses import keys as status_keys
from webapp.statuses.drafts import keys as draft_keys
from webapp.statuses.values.pictures import picture_names

BATCH = 500  # statuses of one trip


@click.command("restrict-pictures")
@data_dir_option
def restrict_pictures(**options: Any) -> None:
    """Restrict the pictures of drafts and restricted posts, after an upgrade or a restore."""
    with open_site(options) as site:
        count = restrict_all(site)
    click.echo(f"The pictures of {count} posts and drafts are restricted.")


def restrict_all(site: Site) -> int:
    """Restrict pictures by the store's data. Return the number of posts and drafts.

    Safe to repeat, also while the site runs. Four trips a member and one for each batch of posts.
    """
    return sum(_restrict_pictures_of(site, uid) for uid in sorted(picture_owners(site.config)))


def picture_owners(config: Config) -> set[int]:
    """Return the uids of members with stored pictures."""
    folders = (*config.media_path.glob("*"), *config.media_path.glob("posts/*"))
    return {int(folder.name) for folder in folders if folder.name.isdecimal()}


def _restrict_pictures_of(site: Site, uid: int) -> int:
    sync_member_flags(site, uid)
    count = 0
    for stored in _stored_pictures(site.db, uid):
        restrictions.restrict(site.config, picture_names(stored))
        count += 1
    return count


def _stored_pictures(db: Db, uid: int) -> Iterator[str]:
    """Yield the pictures of each of a member's drafts and restricted posts that has some."""
    form_keys = db.run(("ZRANGE", draft_keys.drafts(uid), 0, -1))
    commands = [("HGET", draft_keys.draft(uid, form_key), "media") for form_key in form_keys]
    yield from filter(None, db.trip(*commands))
    entries = db.run(("ZRANGE", status_keys.restricted_statuses(uid, uid), 0, -1))
    ids = [int(entry.partition(":")[0]) for entry in entries]
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        commands = [("HGET", status_keys.status(status_id), "media") for status_id in batch]
        yield from filter(None, db.trip(*commands))
