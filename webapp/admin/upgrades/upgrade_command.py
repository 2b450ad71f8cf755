"""`linnet upgrade`: how far the upgrades of stored data are, and how to have one done again."""

from __future__ import annotations

from typing import Any

import click

from webapp.admin.options import data_dir_option, open_site
from webapp.admin.store_findings import Finding
from webapp.core.site import Site


@click.command()
@data_dir_option
@click.argument("names", nargs=-1)
def upgrade(names: tuple[str, ...], **options: Any) -> None:
    """Show what the worker still brings up to date, or have it do NAMES again.

    NAMES: pictures (restrict them), media (tabs of profiles), names (completion), search, chats.
    """
    from webapp.registry.upgrades import UPGRADES, ask_again, pending

    known = [one.name for one in UPGRADES]
    for name in names:
        if name not in known:
            raise click.BadParameter(f"{name} is none of {', '.join(known)}.")
    with open_site(options) as site:
        for name in names:
            ask_again(site.db, name)
        waiting = site.db.read(pending())
    for one in waiting:
        click.echo(one)
    if not waiting:
        click.echo("All data is up to date.")


def upgrades_finding(site: Site) -> Finding:
    """Return what is still to be brought up to date, for `linnet doctor`."""
    from webapp.registry.upgrades import pending

    waiting = ", ".join(map(str, site.db.read(pending())))
    return Finding(
        not waiting,
        f"upgrades of older data: {waiting or 'all are done'}",
        "Workers do them by themselves, one after the other, once no process of another version"
        " runs. Without a worker, start one: linnet worker.",
    )
