"""`linnet reports`: the reports of members."""

from __future__ import annotations

from typing import Any

import click

from webapp.reports import listing, store
from webapp.reports.category import Category, parse_category
from webapp.reports.listing import Report

from .options import data_dir_option, format_time, open_site


@click.command()
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="How many to show.",
)
@click.option(
    "--category",
    type=click.Choice([category.value for category in Category]),
    help="Show only those of one category.",
)
@click.option("--dismiss", metavar="REPORT", help="Take one off the list, by its name there.")
@data_dir_option
def reports(limit: int, category: str | None, dismiss: str | None, **options: Any) -> None:
    """Show what members have reported, the newest first."""
    with open_site(options) as site:
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
    if not report.cid:
        return author
    chat = f"chat {report.cid}"
    return f"message {report.message_id} of {chat}" if report.message_id else chat


def _printable(text: str) -> str:
    """Return a member's text as one line, without characters that a terminal would obey."""
    return "".join(character if character.isprintable() else " " for character in text)
