"""`linnet promotions …`: review the posts that members pay points to show."""

from __future__ import annotations

from typing import Any

import click

from webapp.admin.options import data_dir_option, open_site


@click.group()
def promotions() -> None:
    """Review the posts that members pay points to show."""


@promotions.command(name="list")
@data_dir_option
def list_all(**options: Any) -> None:
    """List the promotions that have not ended, those that wait for a review first."""
    from webapp.rewards.promotions.store import reviewed
    from webapp.statuses.lookup import statuses

    with open_site(options) as site:
        found = sorted(reviewed(site), key=lambda one: one.state != "waiting")
        posts = site.db.read(statuses([(one.id, one.uid) for one in found]))
    for one, post in zip(found, posts, strict=True):
        terms = one.terms
        text = " ".join(post.text.split())[:200] if post else "(deleted)"
        author = f"@{post.author.login}" if post else ""
        click.echo(f"{one.id}  {one.state}  {one.spent} of {terms.budget} points  {author}: {text}")
        click.echo(
            f"    {terms.price} points for {terms.kind}; {' '.join(terms.words) or 'no words'}"
        )
    if not found:
        click.echo("There are no promotions.")


@promotions.command()
@click.argument("post", type=int)
@data_dir_option
def accept(post: int, **options: Any) -> None:
    """Let a promotion run. POST is the number that `list` shows."""
    _move(post, "accept", options)
    click.echo(f"{post} is running.")


@promotions.command()
@click.argument("post", type=int)
@data_dir_option
def end(post: int, **options: Any) -> None:
    """End or refuse a promotion. Its member gets back what is left of the budget."""
    _move(post, "end", options)
    click.echo(f"{post} has ended.")


def _move(post: int, act: str, options: dict[str, Any]) -> None:
    from webapp.core.errors import Refused
    from webapp.rewards.promotions import store

    with open_site(options) as site:
        try:
            store.move(site, store.get(site, post).uid, post, act)
        except Refused as refusal:
            raise click.ClickException(str(refusal.sentence)) from refusal
