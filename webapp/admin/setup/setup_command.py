"""`linnet setup`: make the owner of a new site, or print the link of the page that does."""

import secrets
from typing import Any

import click

from webapp.accounts.forms import RESERVED_LOGINS
from webapp.accounts.owner import is_fresh
from webapp.accounts.store import LOGIN_PATTERN
from webapp.admin.command_options import data_dir_option, open_site
from webapp.config import CHOICES, load
from webapp.core.secret_key import with_secret
from webapp.core.settings import store
from webapp.core.settings.declared import parse_change
from webapp.core.settings.live import LiveSettings
from webapp.core.store import Site
from webapp.core.text.cleaning import clean_name
from webapp.core.text.parser import Unacceptable

from .notice import setup_link
from .store import make_owner


@click.command()
@click.argument("login", required=False)
@click.option("--name", default="", help="Display name of the owner. [LOGIN]")
@click.option("--site-name", help="Name of the site.")
@click.option("--signup", type=click.Choice(CHOICES["signup"]), help="Who may sign up.")
@click.option("--contact-email", help="An email address, or an https:// page.")
@data_dir_option
def setup(
    login: str | None,
    name: str,
    site_name: str | None,
    signup: str | None,
    contact_email: str | None,
    **options: Any,
) -> None:
    """Make the owner of a new site. Without LOGIN, print the link of the page that does it."""
    with open_site(options) as site:
        if not is_fresh(site.db):
            raise click.ClickException(
                "There are members already. Make one an admin with `linnet grant LOGIN admin`."
            )
        if login is None:
            click.echo(setup_link(with_secret(site.config)))
            return
        texts = {"site_name": site_name, "signup": signup, "contact_email": contact_email}
        values = {
            key: parse_change(site.config, key, text)
            for key, text in texts.items()
            if text is not None
        }
        _make(site, login, name)
        if values:
            store.change(site.db, LiveSettings(load(options)), values, reason="linnet setup")


def _make(site: Site, login: str, name: str) -> None:
    login = login.removeprefix("@")
    if not LOGIN_PATTERN.match(login):
        raise click.ClickException("A username has 1 to 15 letters (a to z), digits or _.")
    if login.lower() in RESERVED_LOGINS:
        raise click.ClickException(f"The username {login} is reserved. Choose another one.")
    most = site.config.name_max
    try:
        name = clean_name(name or login, most)
    except Unacceptable:
        raise click.ClickException(f"--name has 1 to {most} characters, not @username.") from None
    password = "-".join(secrets.token_hex(2) for _ in range(4))
    make_owner(site, login, name, password)
    click.echo(f"@{login} owns this site, as an admin. Their password: {password}")
    click.echo("They choose another one in their settings.")
