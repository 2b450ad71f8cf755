"""`linnet status`: the processes of the site."""

from __future__ import annotations

from typing import Any

import click

from .options import data_dir_option, format_time, open_site


@click.command()
@data_dir_option
def status(**options: Any) -> None:
    """List the site's processes. Ends with 1 if one is lost or none reports."""
    from webapp.metrics.processes import with_leases

    with open_site(options) as site:
        processes, leases = site.db.read(with_leases())
    for one in processes:
        state = "lost" if one.is_lost else "running"
        held = f"  {leases.get(one.id, 0)} leases" if one.kind == "worker" else ""
        held = f"  {one.streams} streams" if one.kind == "stream" else held
        heard = f"heard {one.silent_ms // 1000} s ago"
        click.echo(
            f"{one.kind:<7} {one.id}  {state}, {heard}  version {one.version}"
            f"  since {format_time(one.started_at)}{held}"
        )
    if not processes:
        click.echo("No process reports. They do so every three seconds while the site runs.")
    if not processes or any(one.is_lost for one in processes):
        raise SystemExit(1)
