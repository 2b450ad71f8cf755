"""`linnet drops …`: offer pieces of a thing for points."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import click

from webapp.admin.options import data_dir_option, format_time, open_site

time_type = click.DateTime(["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"])


@click.group()
def drops() -> None:
    """Offer pieces of a thing for points."""


@drops.command()
@click.argument("title")
@click.option("--about", default="", help="A sentence below the title.")
@click.option("--kind", type=click.Choice(["badge", "thing"]), default="thing", show_default=True)
@click.option("--price", type=click.IntRange(1, 1_000_000), required=True, help="In points.")
@click.option("--stock", type=click.IntRange(1, 100_000), required=True, help="How many pieces.")
@click.option("--opens", type=time_type, help="In UTC: 2026-12-01 18:00. [now]")
@click.option("--hours", type=click.IntRange(1, 24 * 90), default=24, show_default=True)
@data_dir_option
def add(
    title: str,
    about: str,
    kind: str,
    price: int,
    stock: int,
    opens: datetime | None,
    hours: int,
    data_dir: str | None,
) -> None:
    """Offer pieces of a thing, one to a member, from a time on and for so many hours."""
    from webapp.rewards.drops.store import Drop
    from webapp.rewards.drops.store import add as add_drop

    begins = (opens or datetime.now(UTC)).replace(tzinfo=UTC)
    ends = begins + timedelta(hours=hours)
    if not title.strip() or len(title) > 100 or len(about) > 500:
        raise click.ClickException("A title has 1 to 100 characters, the sentence 500 at most.")
    if ends < datetime.now(UTC):
        raise click.ClickException("This drop would be closed already.")
    times = (int(one.timestamp() * 1000) for one in (begins, ends))
    drop = Drop(0, title.strip(), about.strip(), kind, price, stock, stock, *times)
    with open_site({"data_dir": data_dir}) as site:
        number = add_drop(site, drop)
    click.echo(f"/drops/{number} opens {format_time(begins)} and closes {format_time(ends)}.")


@drops.command()
@click.argument("number", type=int)
@data_dir_option
def close(number: int, **options: Any) -> None:
    """Close a drop now. Orders that were made are still delivered."""
    from webapp.rewards.drops.store import close as close_drop

    with open_site(options) as site:
        close_drop(site, number)
    click.echo(f"/drops/{number} is closed.")
