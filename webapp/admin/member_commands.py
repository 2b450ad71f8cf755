"""`linnet member …`: suspend, restore or remove a member, or help one."""

import secrets
import time

import click

from webapp.accounts import lifecycle, store as accounts
from webapp.accounts.factors import store as factors
from webapp.accounts.member import Member
from webapp.accounts.passkeys import store as passkeys
from webapp.accounts.security_log.store import security_log
from webapp.accounts.sessions import credentials
from webapp.core.store import Site

from .command_options import on_site

TEMPORARY_HOURS = 48  # of a password that a command has made
login_argument = click.argument("login")


def find_member(site: Site, login: str) -> Member:
    """Return the member of a login, with or without an @. Two trips. Raises NotFound."""
    return accounts.get_by_login(site.db, login.removeprefix("@"))


@click.group()
def member() -> None:
    """Suspend, restore or remove a member, or help one."""


@member.command()
@login_argument
@on_site
def suspend(site: Site, login: str) -> None:
    """Sign a member out everywhere and hide all of theirs, until they are restored."""
    account = find_member(site, login)
    changed = lifecycle.suspend(site, account.uid)
    outcome = "is suspended" if changed else "was suspended already"
    click.echo(f"@{account.login} {outcome}.")


@member.command()
@login_argument
@on_site
def restore(site: Site, login: str) -> None:
    """Show a suspended member again, as before."""
    account = find_member(site, login)
    changed = lifecycle.suspend(site, account.uid, suspended=False)
    click.echo(f"@{account.login} {'is restored' if changed else 'was not suspended'}.")


@member.command()
@login_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@on_site
def remove(site: Site, login: str, yes: bool) -> None:
    """Delete an account with everything it holds. This cannot be undone."""
    account = find_member(site, login)
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
@on_site
def security(site: Site, login: str) -> None:
    """Show what happened to an account: log-ins, failures, changes of what secures it."""
    account = find_member(site, login)
    entries = site.db.read(security_log(account.uid))
    for entry in entries:
        times = f" x {entry.count}" if entry.count > 1 else ""
        agent = "".join(sign if sign.isprintable() else "?" for sign in entry.agent)
        click.echo(f"{entry.at:%Y-%m-%d %H:%M:%S}  {entry.kind}{times}  {agent}".rstrip())
    if not entries:
        click.echo(f"Nothing is known about @{account.login}.")


@member.command("reset-second-step")
@login_argument
@on_site
def reset_second_step(site: Site, login: str) -> None:
    """Let a member who lost their devices and recovery codes log in with the password alone."""
    account = find_member(site, login)
    changed = factors.switch_off(site, account.uid)
    found = site.db.read(passkeys.passkeys(account.uid))
    for passkey in found:
        passkeys.remove(site, account.uid, passkey.id)
    removed = f"; passkeys removed: {len(found)}" if found else ""
    click.echo(f"@{account.login} {'needs no code now' if changed else 'needed no code'}{removed}.")


@member.command("reset-password")
@login_argument
@on_site
def reset_password(site: Site, login: str) -> None:
    """Print a new password for a member, end their sessions and revoke their tokens."""
    password = "-".join(secrets.token_hex(2) for _ in range(4))
    account = find_member(site, login)
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
@on_site
def grant(site: Site, login: str, right: str, revoke: bool) -> None:
    """Give a member a right.

    firehose: all public statuses as one stream. moderator: the pages /moderation. admin: these,
    making moderators, and the page /admin.
    """
    account = find_member(site, login)
    rights = lifecycle.grant(site.db, account.uid, right, not revoke)
    click.echo(f"@{account.login} has these rights: {', '.join(rights) or 'none'}.")
