"""`linnet config …`: show and change live settings, also while no page works."""

from typing import Any

import click

from webapp.admin.command_options import data_dir_option, format_time, on_site, open_site
from webapp.config import load
from webapp.core.settings import store
from webapp.core.settings.declared import SETTINGS, as_text, live_setting, parse_change
from webapp.core.settings.live import LiveSettings
from webapp.core.store import Site


@click.group()
def config() -> None:
    """Show and change the settings that need no restart."""


@config.command("get")
@click.argument("name", required=False)
@on_site
def get(site: Site, name: str | None) -> None:
    """Print a setting, or all of them."""
    if name is not None:
        click.echo(as_text(getattr(site.config, live_setting(name).name)))
        return
    for setting in SETTINGS:
        click.echo(f"{setting.name.upper()}={as_text(getattr(site.config, setting.name))!r}")


@config.command("set")
@click.argument("name")
@click.argument("value", required=False)
@click.option("--reset", is_flag=True, help="Go back to the value of the environment.")
@click.option("--because", default="", help="The reason, for the history.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_dir_option
def set_(
    name: str, value: str | None, reset: bool, because: str, yes: bool, **options: Any
) -> None:
    """Change a setting in every process, within a second."""
    if (value is None) != reset:
        raise click.UsageError("Give a value, or --reset.")
    name = live_setting(name).name
    with open_site(options) as site:
        text = "" if value is None else parse_change(site.config, name, value)
        if name == "maintenance" and text == "yes" and not yes:
            click.confirm("Only members with the right admin get in then. Go on?", abort=True)
        live = LiveSettings(load(options))
        store.change(site.db, live, {name: None if reset else text}, reason=because[:200])
        click.echo(f"{name.upper()} is {as_text(getattr(live.current, name))!r} now.")


@config.command()
@on_site
def history(site: Site) -> None:
    """Print the last changes, the newest first."""
    for change in site.db.read(store.history()):
        after = "the environment's" if change.after is None else repr(change.after)
        who = f"@{change.by}" if change.by else "the command line"
        why = f": {change.reason}" if change.reason else ""
        click.echo(f"{format_time(change.at)}  {change.name.upper()} → {after}  {who}{why}")
