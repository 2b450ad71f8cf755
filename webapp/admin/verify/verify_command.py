"""`linnet doctor --verify`, which says what is wrong, and `--repair`, which mends it."""

from __future__ import annotations

from typing import Any

import click

from webapp.admin.options import open_site

from .checking import Found, check_all, mend, still_wrong

SHOWN_MAX = 50


def verify(options: dict[str, Any], repair: bool) -> int:
    """Check all that the store holds, and mend it if `repair`. Return the exit code.

    Raises StoreError, Unavailable.
    """
    with open_site(options) as site:
        found: list[Found] = []
        keys = sum(site.db.on_every_primary("DBSIZE"))
        with click.progressbar(length=keys, label="Checking") as bar:
            for count, faults in check_all(site):
                bar.update(count)
                found += faults
        wrong = still_wrong(site, found)
        for one in wrong[:SHOWN_MAX]:
            click.echo(f"FAIL  {one.fault.text}")
        if len(wrong) > SHOWN_MAX:
            click.echo(f"      and {len(wrong) - SHOWN_MAX:,} more")
        if not wrong:
            click.echo(f"ok    {keys:,} keys agree with each other")
        elif repair:
            left = mend(site, wrong)
            click.echo(f"Mended {len(wrong) - len(left):,} of {len(wrong):,}.")
            wrong = left
        else:
            click.echo("      Mend it with: linnet doctor --verify --repair")
    return 1 if wrong else 0
