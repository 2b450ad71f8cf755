"""`linnet index-media`: show posts from before the media tabs existed on these tabs."""

from __future__ import annotations

from typing import Any

import click

from webapp.admin.options import data_dir_option, open_site
from webapp.admin.upgrades.pictures import picture_owners
from webapp.core.site import Site
from webapp.statuses import keys as status_keys
from webapp.statuses.store import index_media


@click.command("index-media")
@data_dir_option
def index_media_tabs(**options: Any) -> None:
    """Fill the media tabs of profiles, after an upgrade from a version without them."""
    with open_site(options) as site:
        count = index_all(site)
    click.echo(f"The media tabs of {count} members are complete.")


def index_all(site: Site) -> int:
    """Complete the media tab of each member with stored pictures. Return how many they are.

    Safe to repeat and to interrupt, also while the site runs. A trip for each slice of a list.
    """
    uids = sorted(picture_owners(site.config))
    for uid in uids:
        for list_key in status_keys.authored_lists(uid):
            last: int | None = 0
            while last is not None:
                last = index_media(site.db, uid, list_key, last)
    return len(uids)
