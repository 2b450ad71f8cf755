"""`linnet points …` and `linnet items …`: give points and items to a member."""

from __future__ import annotations

import uuid
from typing import Any

import click

from webapp.accounts import store
from webapp.admin.options import data_dir_option, open_site

GIFT_MAX = 1_000_000  # points at once
TITLE_MAX = 100  # characters


@click.group()
def points() -> None:
    """Give points to a member."""


@points.command()
@click.argument("login")
@click.argument("number", type=click.IntRange(1, GIFT_MAX))
@click.argument("reason")
@data_dir_option
def give(login: str, number: int, reason: str, **options: Any) -> None:
    """Give a member points, with a reason that they read."""
    from webapp.rewards.points import ledger

    with open_site(options) as site:
        member = store.get_by_login(site.db, login.removeprefix("@"))
        reference = f"gift:{uuid.uuid4().hex}"
        balance = ledger.book(site, member.uid, number, "gift", reference, reason[:200])
    click.echo(f"@{member.login} has {balance} points now.")


@click.group()
def items() -> None:
    """Give items to a member."""


@items.command("give")
@click.argument("login")
@click.argument("title")
@click.option("--kind", type=click.Choice(["badge", "thing"]), default="thing", show_default=True)
@data_dir_option
def give_item(login: str, title: str, kind: str, **options: Any) -> None:
    """Give a member an item, which the member can keep or sell in the market."""
    from webapp.core.text.cleaning import clean_line
    from webapp.core.text.parser import Unacceptable
    from webapp.rewards.items import store as item_store

    try:
        title = clean_line(title, TITLE_MAX)
    except Unacceptable:
        title = ""
    if not title:
        raise click.ClickException("A title has 1 to 100 characters.")
    with open_site(options) as site:
        member = store.get_by_login(site.db, login.removeprefix("@"))
        number = item_store.give(site, member.uid, kind, title)
    click.echo(f"/market/{number} belongs to @{member.login} now.")
