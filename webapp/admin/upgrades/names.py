"""`linnet reindex-names`: index the members and hashtags of a site that had some before."""

from __future__ import annotations

from typing import Any

import click

from webapp.admin.options import data_dir_option, open_site
from webapp.autocomplete.reindexing import request_reindex


@click.command("reindex-names")
@data_dir_option
def reindex_names(**options: Any) -> None:
    """Let members be suggested after an @, and hashtags after a #: once, after an upgrade.

    The running worker does it. If this is interrupted, it goes on from there the next time.
    """
    with open_site(options) as site:
        for done, last in request_reindex(site.db):
            click.echo(f"{done} of {last} members are handed to the worker.")
    click.echo("All members are handed to the worker.")
