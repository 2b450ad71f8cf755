"""`linnet trends`: the trends, and hiding one from everybody."""

from __future__ import annotations

from typing import Any

import click

from webapp.core.store.client import Db
from webapp.timelines.trends import hidden, store
from webapp.timelines.trends.items import parse_item

from .options import data_dir_option, open_site


@click.command()
@click.option("--hide", metavar="TREND", help="Hide a #hashtag or the address of a link.")
@click.option("--show", metavar="TREND", help="Let it trend again.")
@data_dir_option
def trends(hide: str | None, show: str | None, **options: Any) -> None:
    """Show what trends, or hide a trend from everybody."""
    with open_site(options) as site:
        if hide:
            _hide(site.db, _parse(hide))
        elif show:
            changed = hidden.unsuppress(site.db, _parse(show))
            click.echo("It may trend again." if changed else "It was not hidden.")
        else:
            _list(site.db)


def _hide(db: Db, item: str) -> None:
    ranking = db.read(store.current())
    changed = hidden.suppress(db, item)
    click.echo("It is hidden from everybody." if changed else "It was hidden already.")
    if changed and not any(trend.item == item for trend in (*ranking.tags, *ranking.links)):
        click.echo(f"It does not trend now: {item}")


def _list(db: Db) -> None:
    ranking, suppressed = db.fetch(store.current(), hidden.suppressed())
    for trend in (*ranking.tags, *ranking.links):
        click.echo(f"{trend.members:>7}  {trend.item}")
    for item in suppressed:
        click.echo(f" hidden  {item}")
    if not (ranking.tags or ranking.links or suppressed):
        click.echo("Nothing trends.")


def _parse(text: str) -> str:
    """Return the item of an option. Raises UsageError."""
    item = parse_item(text)
    if item is None:
        raise click.UsageError("Give a hashtag such as '#birds', or the address of a link.")
    return item
