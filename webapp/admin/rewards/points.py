"""`linnet points …`: give points to a member."""

from __future__ import annotations

import uuid
from typing import Any

import click

from webapp.accounts import store
from webapp.admin.options import data_dir_option, open_site

GIFT_MAX = 1_000_000  # points at once


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
