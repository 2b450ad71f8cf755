"""`linnet reports` and `linnet trends`: what members report, and what trends."""

import click

from webapp.core.store import Db, Site
from webapp.reports import listing, store
from webapp.reports.category import Category, parse_category
from webapp.reports.listing import Report
from webapp.timelines.trends import hidden, store as trend_store
from webapp.timelines.trends.items import parse_item

from .command_options import format_time, number_option, on_site


@click.command()
@number_option("--limit", 20, "How many to show.", 1, 10_000)
@click.option(
    "--category",
    type=click.Choice([category.value for category in Category]),
    help="Show only those of one category.",
)
@click.option("--dismiss", metavar="REPORT", help="Take one off the list, by its name there.")
@on_site
def reports(site: Site, limit: int, category: str | None, dismiss: str | None) -> None:
    """Show what members have reported, the newest first."""
    if dismiss and f":{store.DRAFT}." in dismiss:
        raise click.ClickException("Moderators decide on /moderation whether it is published.")
    if dismiss:
        dismissed = store.close(site, [dismiss], 0, "dismiss")
        click.echo("It is off the list." if dismissed else "There is no such report.")
        return
    newest = listing.list_newest(site.db, limit, parse_category(category))
    for report in newest:
        click.echo(_format(report))
    if not newest:
        kind = f" as {category}" if category else ""
        click.echo(f"Nobody has reported anything{kind}.")


def _format(report: Report) -> str:
    """Return a report as lines."""
    unnamed = "the site" if report.is_by_site else "a former member"
    reporter = f"@{report.reporter.login}" if report.reporter else unnamed
    author = f"@{report.author.login}" if report.author else "several, or a former member"
    what = f"{reporter} reports {_subject(report, author)}"
    category = report.category.value
    lines = [f"{report.id}  {format_time(report.reported_at)}  [{category}]  {what}"]
    if report.reason:
        lines.append(f"  because: {_printable(report.reason)}")
    lines += [f"  {author}: {_printable(text)}" for text in report.texts]
    return "\n".join(lines)


def _subject(report: Report, author: str) -> str:
    if report.status_id:
        return f"post {report.status_id}"
    if report.draft_saved:
        return f"a post by {author} that was held for review"
    if not report.cid:
        return author
    chat = f"chat {report.cid}"
    return f"message {report.message_id} of {chat}" if report.message_id else chat


def _printable(text: str) -> str:
    """Return a member's text as one line, without characters that a terminal would obey."""
    return "".join(character if character.isprintable() else " " for character in text)


@click.command()
@click.option("--hide", metavar="TREND", help="Hide a #hashtag or the address of a link.")
@click.option("--show", metavar="TREND", help="Let it trend again.")
@on_site
def trends(site: Site, hide: str | None, show: str | None) -> None:
    """Show what trends, or hide a trend from everybody."""
    if hide:
        _hide(site.db, _parse(hide))
    elif show:
        changed = hidden.unsuppress(site.db, _parse(show))
        click.echo("It may trend again." if changed else "It was not hidden.")
    else:
        _list(site.db)


def _hide(db: Db, item: str) -> None:
    ranking = db.read(trend_store.current())
    changed = hidden.suppress(db, item)
    click.echo("It is hidden from everybody." if changed else "It was hidden already.")
    if changed and not any(trend.item == item for trend in (*ranking.tags, *ranking.links)):
        click.echo(f"It does not trend now: {item}")


def _list(db: Db) -> None:
    ranking, suppressed = db.fetch(trend_store.current(), hidden.suppressed())
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
