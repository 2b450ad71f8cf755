"""`linnet reindex`: build another search index beside the one that is read."""

from __future__ import annotations

from typing import Any

import click

from webapp.accounts import keys as account_keys
from webapp.admin.options import data_dir_option, open_site
from webapp.chat.search.reindexing import reindex_chats
from webapp.search.index.rebuild import rebuild_index


@click.command()
@data_dir_option
def reindex(**options: Any) -> None:
    """Build another search index, after an upgrade or a change of SEARCH_SHARDS.

    The site may run meanwhile. Searches use the old index until the new one is complete, also
    after a change of SEARCH_SHARDS. What an interrupted run has left is removed first. The messages
    of chats are indexed too, each chat in its place.
    """
    with open_site(options) as site:
        members = int(site.db.run(("GET", account_keys.last_uid())) or 0)
        with click.progressbar(length=members, label="Indexing members") as bar:
            rebuild_index(site, bar.update)
        with click.progressbar(length=members, label="Indexing chats of members") as bar:
            reindex_chats(site.db, bar.update)
    click.echo("The search index is complete.")
