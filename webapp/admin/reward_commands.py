"""`linnet drops`, `points`, `items` and `promotions`: what operators do with rewards."""

import uuid
from datetime import UTC, datetime, timedelta

import click

from webapp.admin.command_options import format_time, on_site
from webapp.admin.member_commands import find_member
from webapp.core.store import Site

kind_option = click.option(
    "--kind", type=click.Choice(["badge", "thing"]), default="thing", show_default=True
)
time_type = click.DateTime(["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"])
GIFT_MAX = 1_000_000  # points at once
TITLE_MAX, ABOUT_MAX, REASON_MAX = 100, 500, 200  # characters


def _line(text: str, most: int, least: int = 1) -> str:
    """Return a text of an operator as members read it. Raises ClickException."""
    from webapp.core.text.cleaning import clean_line
    from webapp.core.text.parser import Unacceptable

    try:
        line = clean_line(text, most)
    except Unacceptable:
        line = None
    if line is None or len(line) < least:
        raise click.ClickException(f"Write {least} to {most} characters: {text[:40]!r}.")
    return line


@click.group()
def drops() -> None:
    """Offer pieces of a thing for points."""


@drops.command()
@click.argument("title")
@click.option("--about", default="", help="A sentence below the title.")
@kind_option
@click.option("--price", type=click.IntRange(1, 1_000_000), required=True, help="In points.")
@click.option("--stock", type=click.IntRange(1, 100_000), required=True, help="How many pieces.")
@click.option("--opens", type=time_type, help="In UTC: 2026-12-01 18:00. [now]")
@click.option("--hours", type=click.IntRange(1, 24 * 90), default=24, show_default=True)
@click.option("--days", type=click.IntRange(0, 3_650), default=0, help="Since joining, at least.")
@click.option(
    "--share", type=click.IntRange(0, 100), default=0, help="Percent for first pieces, at first."
)
@on_site
def add(
    site: Site,
    title: str,
    about: str,
    kind: str,
    price: int,
    stock: int,
    opens: datetime | None,
    hours: int,
    days: int,
    share: int,
) -> None:
    """Offer pieces of a thing, one to a member, from a time on and for so many hours."""
    from webapp.rewards.drops.store import Drop, save

    now = datetime.now(UTC)
    begins = (opens or now).replace(tzinfo=UTC)
    if begins - now > timedelta(days=36_525):
        raise click.ClickException("Choose a time within the next 100 years.")
    ends = begins + timedelta(hours=hours)
    title, about = _line(title, TITLE_MAX), _line(about, ABOUT_MAX, 0)
    if ends < now:
        raise click.ClickException("This drop would be closed already.")
    opens_ms, closes_ms = (int(one.timestamp() * 1000) for one in (begins, ends))
    drop = Drop(0, title, about, kind, price, stock, stock, opens_ms, closes_ms, days, share)
    number = save(site, drop)
    click.echo(f"/drops/{number} opens {format_time(begins)} and closes {format_time(ends)}.")


@drops.command()
@click.argument("number", type=int)
@on_site
def close(site: Site, number: int) -> None:
    """Close a drop now. Orders that were made are still delivered."""
    from webapp.rewards.drops.store import close as close_drop

    close_drop(site, number)
    click.echo(f"/drops/{number} is closed.")


@click.group()
def points() -> None:
    """Give points to a member."""


@points.command()
@click.argument("login")
@click.argument("number", type=click.IntRange(1, GIFT_MAX))
@click.argument("reason")
@on_site
def give(site: Site, login: str, number: int, reason: str) -> None:
    """Give a member points, with a reason that they read."""
    from webapp.rewards.points import ledger

    member = find_member(site, login)
    reference = f"gift:{uuid.uuid4().hex}"
    balance = ledger.book(site, member.uid, number, "gift", reference, _line(reason, REASON_MAX))
    click.echo(f"@{member.login} has {balance} points now.")


@click.group()
def items() -> None:
    """Give items to a member."""


@items.command("give")
@click.argument("login")
@click.argument("title")
@kind_option
@on_site
def give_item(site: Site, login: str, title: str, kind: str) -> None:
    """Give a member an item, which the member can keep or sell in the market."""
    from webapp.rewards.items import store as item_store

    title = _line(title, TITLE_MAX)
    member = find_member(site, login)
    number = item_store.give(site, member.uid, kind, title)
    click.echo(f"/market/{number} belongs to @{member.login} now.")


@click.group()
def promotions() -> None:
    """Review the posts that members pay points to show."""


@promotions.command(name="list")
@on_site
def list_all(site: Site) -> None:
    """List the promotions that have not ended, those that wait for a review first."""
    from webapp.rewards.promotions.store import reviewed
    from webapp.statuses.lookup import statuses

    found = sorted(reviewed(site), key=lambda one: one.state != "waiting")
    posts = site.db.read(statuses([(one.id, one.uid) for one in found]))
    for one, post in zip(found, posts, strict=True):
        terms = one.terms
        text = " ".join(post.text.split())[:200] if post else "(deleted)"
        author = f"@{post.author.login}" if post else ""
        spent = f"{one.spent / 1000:.1f} of {terms.budget} points"
        click.echo(f"{one.id}  {one.state}  {spent}  {author}: {text}")
        click.echo(
            f"    {terms.price} points for {terms.kind}; {' '.join(terms.words) or 'no words'}"
        )
    if not found:
        click.echo("There are no promotions.")


@promotions.command()
@click.argument("post", type=int)
@on_site
def accept(site: Site, post: int) -> None:
    """Let a promotion run. POST is the number that `list` shows."""
    _move(site, post, "accept")
    click.echo(f"{post} is running.")


@promotions.command()
@click.argument("post", type=int)
@click.argument("reason", default="")
@on_site
def end(site: Site, post: int, reason: str) -> None:
    """End or refuse a promotion, with a reason that its member reads.

    The member gets back what is left of the budget.
    """
    _move(site, post, "refuse", reason[:TITLE_MAX])
    click.echo(f"{post} has ended.")


def _move(site: Site, post: int, act: str, why: str = "") -> None:
    from webapp.rewards.promotions import store

    store.move(site, store.get(site, post).uid, post, act, why=why)
