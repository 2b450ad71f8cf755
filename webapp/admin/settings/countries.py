"""`linnet load-countries`: take another table of countries. Also whether the table is too old."""

import csv
from datetime import UTC, datetime
from pathlib import Path

import click

from webapp.admin.command_options import on_site
from webapp.admin.store_findings import Finding
from webapp.config import Config
from webapp.core.net.countries import age_days, source
from webapp.core.net.country_files import BadTable, parse_table
from webapp.core.settings.bans_and_countries import use_no_table, use_table
from webapp.core.store import Site

TABLE_DAYS_MAX = 365


def countries_finding(config: Config) -> Finding:
    """Return which table of countries is in use, and whether it is less than a year old."""
    if not config.countries:
        return Finding(True, "countries: off")
    table = source(config)
    days = age_days(table)
    age = "of an unknown day" if days is None else f"of {table.date}, {days} days old"
    return Finding(
        days is not None and days <= TABLE_DAYS_MAX,
        f"countries: a table {age}; {table.licence}",
        "Load a newer one: linnet load-countries FILE.csv. Networks move to other countries.",
    )


@click.command("load-countries")
@click.argument(
    "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False
)
@click.option("--licence", default="", help="Whose it is and what allows its use, in one line.")
@click.option("--date", type=click.DateTime(["%Y-%m-%d"]), help="Its day. [that of the file]")
@on_site
def load_countries(site: Site, file: Path | None, licence: str, date: datetime | None) -> None:
    """Use the table of countries in a CSV file. Without a file: the one of the package again.

    Each row is a first address, a last address and a country in two letters, or a network and a
    country. Every process uses it within a second.
    """
    if file is None:
        use_no_table(site.db)
        return click.echo("The table of the package is in use.")
    if not licence.strip() or not licence.isprintable():
        raise click.UsageError('Give --licence, such as "DB-IP Lite, CC BY 4.0".')
    try:
        parts = parse_table(file.read_text("utf-8-sig").splitlines())
    except (BadTable, csv.Error, UnicodeDecodeError) as error:
        raise click.ClickException(f"{file} is not used. {error}") from None
    day = date or datetime.fromtimestamp(file.stat().st_mtime, UTC)
    if not use_table(site.db, parts, licence.strip(), day.date()):
        raise click.ClickException("The store took too long. The table before is in use.")
    count = sum(len(codes) // 2 for _, codes in parts.values())
    click.echo(f"A table of {count:,} ranges and gaps, of {day:%Y-%m-%d}, is in use.")
