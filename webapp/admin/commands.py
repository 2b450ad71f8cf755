"""The operator's commands about members: `linnet member …`, `linnet invite` and `linnet reports`."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import click

from webapp.accounts import invites, lifecycle, store
from webapp.accounts.sessions import credentials
from webapp.chat.reports import store as reports_store
from webapp.chat.reports.store import Report
from webapp.config import Config, load
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.errors import Refused

DAY_SECONDS = 86_400  # seconds

data_dir_option = click.option(
    "--data-dir", type=click.Path(file_okay=False), help="Folder of the data. [DATA_DIR, var]"
)
login_argument = click.argument("login")


@click.group()
def member() -> None:
    """Suspend, restore or remove a member, or help one."""


@member.command()
@login_argument
@data_dir_option
def suspend(login: str, **options: Any) -> None:
    """Sign a member out everywhere and show nothing of theirs, until they are restored."""
    with _open_member(login, options) as (db, config, account):
        changed = lifecycle.suspend(db, config, account.uid)
    click.echo(
        f"@{account.login} is suspended." if changed else f"@{account.login} was suspended already."
    )


@member.command()
@login_argument
@data_dir_option
def restore(login: str, **options: Any) -> None:
    """Show a suspended member again, as before."""
    with _open_member(login, options) as (db, config, account):
        changed = lifecycle.suspend(db, config, account.uid, suspended=False)
    click.echo(
        f"@{account.login} is restored." if changed else f"@{account.login} was not suspended."
    )


@member.command()
@login_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_dir_option
def remove(login: str, yes: bool, **options: Any) -> None:
    """Delete an account with everything it holds. This cannot be undone."""
    with _open_member(login, options) as (db, config, account):
        if not yes:
            click.confirm(
                f"Delete @{account.login} and everything they wrote, for good?", abort=True
            )
        lifecycle.delete_account(db, config, account.uid, None)
    click.echo(
        f"@{account.login} is deleted. The name is kept from others for {config.name_kept_days} days."
    )


@member.command("reset-password")
@login_argument
@data_dir_option
def reset_password(login: str, **options: Any) -> None:
    """Give a member a new password, end their sessions and revoke their tokens. The password is printed."""
    password = "-".join(secrets.token_hex(2) for _ in range(4))
    with _open_member(login, options) as (db, config, account):
        ended = credentials.reset_password(db, config, account.uid, password)
    click.echo(f"@{account.login} has a new password: {password}")
    click.echo(
        f"{ended} sessions ended, all tokens revoked. Ask them to choose another one in their settings."
    )


@member.command()
@login_argument
@click.argument("right", type=click.Choice(lifecycle.RIGHTS))
@click.option("--revoke", is_flag=True, help="Take it away instead.")
@data_dir_option
def grant(login: str, right: str, revoke: bool, **options: Any) -> None:
    """Give a member a right that others do not have: firehose, all public statuses as one stream; admin, the page that
    tells how the site is (/admin).
    """
    with _open_member(login, options) as (db, _, account):
        rights = lifecycle.grant(db, account.uid, right, not revoke)
    click.echo(f"@{account.login} has these rights: {', '.join(rights) or 'none'}.")


@click.command()
@click.option(
    "--places",
    default=1,
    show_default=True,
    type=click.IntRange(1, 1_000),
    help="How many may come.",
)
@click.option(
    "--days",
    default=7,
    show_default=True,
    type=click.IntRange(1, 365),
    help="How long it is valid.",
)
@click.option("--list", "list_", is_flag=True, help="Show the invitations that are still valid.")
@click.option("--cancel", metavar="CODE", help="Make one invalid.")
@data_dir_option
def invite(places: int, days: int, list_: bool, cancel: str | None, **options: Any) -> None:
    """Make a link to sign up with, for SIGNUP=invite."""
    with _open_store(options) as (db, config):
        if list_:
            for invitation in invites.list_invites(db):
                click.echo(
                    f"{invitation.code}  {invitation.uses} of {invitation.max_uses} came  until {_format_time(invitation.expires)}"
                )
        elif cancel:
            click.echo(
                "It is invalid now."
                if invites.cancel(db, cancel)
                else "There is no such invitation."
            )
        else:
            new_invitation = invites.create(db, places, days * DAY_SECONDS)
            people = "one person" if places == 1 else f"{places} people"
            click.echo(f"{_site_url(config)}/signup?invite={new_invitation.code}")
            click.echo(f"For {people}, until {_format_time(new_invitation.expires)}.")
            if config.signup != "invite":
                click.echo(f"(SIGNUP is {config.signup}: nobody needs an invitation.)", err=True)


@click.command()
@click.option(
    "--most",
    default=20,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="How many, the newest first.",
)
@click.option(
    "--dismiss", metavar="REPORT", help="Take one off the list, by the name it has there."
)
@data_dir_option
def reports(most: int, dismiss: str | None, **options: Any) -> None:
    """Show what members have reported in chats, the newest first."""
    with _open_store(options) as (db, _):
        if dismiss:
            click.echo(
                "It is off the list."
                if reports_store.dismiss(db, dismiss)
                else "There is no such report."
            )
            return
        listed_reports = reports_store.list_newest(db, most)
        for report in listed_reports:
            click.echo(_format_report(report))
        if not listed_reports:
            click.echo("Nobody has reported anything.")


@contextmanager
def _open_store(options: dict[str, Any]) -> Iterator[tuple[Db, Config]]:
    """The store, for the time of a command; what it refuses is one line."""
    config = load(options)
    db = connect(config)
    try:
        yield db, config
    except Refused as refusal:
        raise click.ClickException(str(refusal.sentence)) from None
    finally:
        db.close()


@contextmanager
def _open_member(login: str, options: dict[str, Any]) -> Iterator[tuple[Db, Config, store.Member]]:
    with _open_store(options) as (db, config):
        yield db, config, store.get_by_login(db, login.removeprefix("@"))


def _format_report(report: Report) -> str:
    """A report in lines."""
    about = (
        f"message {report.message_id} of chat {report.cid}"
        if report.message_id
        else f"chat {report.cid}"
    )
    reporter, author = (
        f"@{account.login}" if account else "" for account in (report.reporter, report.author)
    )
    lines = [
        f"{report.id}  {_format_time(report.reported_at)}  {reporter or 'somebody who is gone'} reports {about}"
    ]
    lines += [f"  because: {_printable_line(report.reason)}"] if report.reason else []
    lines += [
        f"  {author or 'several, or somebody who is gone'}: {_printable_line(text)}"
        for text in report.texts
    ]
    return "\n".join(lines)


def _printable_line(text: str) -> str:
    """Words of a member on one line, without what a terminal would obey."""
    return "".join(character if character.isprintable() else " " for character in text)


def _site_url(config: Config) -> str:
    return config.site_url.rstrip("/") or f"http://{config.host}:{config.port}"


def _format_time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC")
