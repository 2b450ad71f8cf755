"""`linnet invite`: links to sign up with."""

import click

from webapp.accounts.invitations import invites
from webapp.core.store import Db, Site
from webapp.server.data_dir import site_url

from .command_options import format_time, number_option, on_site

DAY_SECONDS = 86_400


@click.command()
@number_option("--places", 1, "How many members may sign up with it.", 1, 1_000)
@number_option("--days", 7, "How long it is valid.", 1, 365)
@click.option("--note", default="", help="What the list says about it.")
@click.option("--list", "list_", is_flag=True, help="Show the valid invitations.")
@click.option("--cancel", metavar="CODE", help="Make one invalid.")
@on_site
def invite(site: Site, places: int, days: int, note: str, list_: bool, cancel: str | None) -> None:
    """Make a link to sign up with, for SIGNUP=invite."""
    if list_:
        _list(site.db)
    elif cancel:
        cancelled = invites.cancel(site.db, cancel)
        click.echo("It is invalid now." if cancelled else "There is no such invitation.")
    else:
        _create(site, places, days, note)


def _list(db: Db) -> None:
    for invitation in invites.list_invites(db):
        uses = f"{invitation.uses} of {invitation.max_uses} came"
        line = f"{invitation.code}  {uses}  until {format_time(invitation.expires)}"
        click.echo(f"{line}  {invitation.note}".rstrip())


def _create(site: Site, places: int, days: int, note: str) -> None:
    invitation = invites.create(site.db, places, days * DAY_SECONDS, note[: invites.NOTE_MAX])
    people = "one person" if places == 1 else f"{places} people"
    click.echo(f"{site_url(site.config)}/signup?invite={invitation.code}")
    click.echo(f"For {people}, until {format_time(invitation.expires)}.")
    if site.config.signup != "invite":
        click.echo(f"(SIGNUP is {site.config.signup}: nobody needs an invitation.)", err=True)
