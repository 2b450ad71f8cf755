"""`linnet member …`: suspend, restore or remove a member, or help one."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from webapp.accounts import lifecycle, store
from webapp.accounts.factors import store as factors
from webapp.accounts.passkeys import store as passkeys
from webapp.accounts.security_log.store import security_log
from webapp.accounts.sessions import credentials
from webapp.core.site import Site

from .options import data_dir_option, open_site

TEMPORARY_HOURS = 48  # of a password that a command has made
login_argument = click.argument("login")


@click.group()
def member() -> None:
    """Suspend, restore or remove a member, or help one."""


@member.command()
@login_argument
@data_dir_option
def suspend(login: str, **options: Any) -> None:
    """Sign a member out everywhere and hide all of theirs, until they are restored."""
    with _open_member(login, options) as (site, account):
        changed = lifecycle.suspend(site, account.uid)
    outcome = "is suspended" if changed else "was suspended already"
    click.echo(f"@{account.login} {outcome}.")


@member.command()
@login_argument
@data_dir_option
def restore(login: str, **options: Any) -> None:
    """Show a suspended member again, as before."""
    with _open_member(login, options) as (site, account):
        changed = lifecycle.suspend(site, account.uid, suspended=False)
    click.echo(f"@{account.login} {'is restored' if changed else 'was not suspended'}.")


@member.command()
@login_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_dir_option
def remove(login: str, yes: bool, **options: Any) -> None:
    """Delete an account with everything it holds. This cannot be undone."""
    with _open_member(login, options) as (site, account):
        if not yes:
            question = f"Delete @{account.login} and everything they wrote, for good?"
            click.confirm(question, abort=True)
        lifecycle.delete_account(site, account.uid, None)
    click.echo(
        f"@{account.login} is deleted."
        f" The name stays reserved for {site.config.name_kept_days} days."
    )


@member.command()
@login_argument
@data_dir_option
def security(login: str, **options: Any) -> None:
    """Show what happened to an account: log-ins, failures, changes of what secures it."""
    with _open_member(login, options) as (site, account):
        entries = site.db.read(security_log(account.uid))
    for entry in entries:
        times = f" x {entry.count}" if entry.count > 1 else ""
        agent = "".join(sign if sign.isprintable() else "?" for sign in entry.agent)
        click.echo(f"{entry.at:%Y-%m-%d %H:%M:%S}  {entry.kind}{times}  {agent}".rstrip())
    if not entries:
        click.echo(f"Nothing is known about @{account.login}.")


@member.command("reset-second-step")
@login_argument
@data_dir_option
def reset_second_step(login: str, **options: Any) -> None:
    """Let a member who lost their devices and recovery codes log in with the password alone."""
    with _open_member(login, options) as (site, account):
        changed = factors.switch_off(site, account.uid)
        found = site.db.read(passkeys.passkeys(account.uid))
        for passkey in found:
            passkeys.remove(site, account.uid, passkey.id)
    removed = f"; passkeys removed: {len(found)}" if found else ""
    click.echo(f"@{account.login} {'needs no code now' if changed else 'needed no code'}{removed}.")


@member.command("reset-password")
@login_argument
@data_dir_option
def reset_password(login: str, **options: Any) -> None:
    """Print a new password for a member, end their sessions and revoke their tokens."""
    password = "-".join(secrets.token_hex(2) for _ in range(4))
    with _open_member(login, options) as (site, account):
        expires = int(time.time()) + TEMPORARY_HOURS * 3600
        ended = credentials.reset_password(site, account.uid, password, expires)
    click.echo(f"@{account.login} has a new password: {password}")
    click.echo(
        f"{ended} sessions ended, all tokens, apps, bot tokens and the private feed revoked."
    )
    click.echo(f"They can log in with it for {TEMPORARY_HOURS} hours, and have to choose another.")


@member.command()
@login_argument
@click.argument("right", type=click.Choice(lifecycle.RIGHTS))
@click.option("--revoke", is_flag=True, help="Take the right away instead.")
@data_dir_option
def grant(login: str, right: str, revoke: bool, **options: Any) -> None:
    """Give a member a right.

    firehose: all public statuses as one stream. moderator: the pages /moderation. admin: these,
    making moderators, and the page /admin.
    """
    with _open_member(login, options) as (site, account):
        rights = lifecycle.grant(site.db, account.uid, right, not revoke)
    click.echo(f"@{account.login} has these rights: {', '.join(rights) or 'none'}.")


@contextmanager
def _open_member(login: str, options: dict[str, Any]) -> Iterator[tuple[Site, store.Member]]:
    with open_site(options) as site:
        yield site, store.get_by_login(site.db, login.removeprefix("@"))
