"""`linnet upgrade`: how far upgrades of stored data are, and having one done again.

`linnet reseal`: seal stored secrets with the present SECRET_KEY, after a change of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import click

from webapp.accounts.factors import keys as factor_keys
from webapp.accounts.factors.store import purpose as app_purpose
from webapp.accounts.tokens import keys as token_keys
from webapp.accounts.tokens.apps import purpose as oauth_purpose
from webapp.admin.command_options import data_dir_option, on_site, open_site
from webapp.admin.store_findings import Finding
from webapp.chat.bots import keys as bot_keys
from webapp.chat.bots.webhooks import secret_purpose
from webapp.core.net import encryption
from webapp.core.store import Site, script
from webapp.core.store.schema import MemberKey
from webapp.notifications.push import keys as push_keys
from webapp.notifications.push.apps import purpose as push_purpose

RESEAL = script("admin/lua/reseal.lua")
SLOTS = 1_000  # of the store's table, looked at in one trip


@click.command()
@data_dir_option
@click.argument("names", nargs=-1)
def upgrade(names: tuple[str, ...], **options: Any) -> None:
    """Show what the worker still brings up to date, or have it do NAMES again.

    NAMES: pictures (restrict them), media (tabs of profiles), names (completion), search, chats,
    quota (of pictures), promotions (that wait for a review),
    leftovers (of older versions).
    """
    from webapp.registry.upgrades import UPGRADES, ask_again, pending

    known = [one.name for one in UPGRADES]
    for name in names:
        if name not in known:
            raise click.BadParameter(f"{name} is none of {', '.join(known)}.")
    with open_site(options) as site:
        for name in names:
            ask_again(site.db, name)
        waiting = site.db.read(pending())
    for one in waiting:
        click.echo(one)
    if not waiting:
        click.echo("All data is up to date.")


def upgrades_finding(site: Site) -> Finding:
    """Return the upgrades of stored data that have not ended, for `linnet doctor`."""
    from webapp.registry.upgrades import pending

    waiting = ", ".join(map(str, site.db.read(pending())))
    return Finding(
        not waiting,
        f"upgrades of older data: {waiting or 'all are done'}",
        "Workers do them by themselves, one after the other, once no process of another version"
        " runs. Without a worker, start one: linnet worker.",
    )


@dataclass(frozen=True, slots=True)
class Sealed:
    """A secret in the store. `purpose`: for which it is sealed, from the uid and the facet."""

    key: MemberKey
    field: str
    purpose: Callable[[int, str], str]


SECRETS = (
    Sealed(factor_keys.authenticator, "secret", lambda uid, _: app_purpose(uid)),
    Sealed(token_keys.app, "secrets", lambda uid, id_: oauth_purpose(f"{uid}-{id_}")),
    Sealed(bot_keys.webhook, "secret", lambda uid, _: secret_purpose(uid)),
)
# Push services know the key with which a browser subscribed: sealing it anew is of no use.
DEVICES = Sealed(push_keys.push_device, "subscription", lambda uid, _: push_purpose(uid))


@click.command()
@on_site
def reseal(site: Site) -> None:
    """Seal stored secrets with the present SECRET_KEY, so that SECRET_KEY_PREVIOUS can go."""
    count = sum(seal_anew(site, one) for one in SECRETS)
    click.echo(f"{count} secrets are sealed with the present SECRET_KEY.")


def old_secrets(site: Site) -> tuple[int, int]:
    """Return how many secrets and devices need SECRET_KEY_PREVIOUS. Walks over the store's keys."""
    secrets = sum(1 for one in SECRETS for _ in _old(site, one))
    return secrets, sum(1 for _ in _old(site, DEVICES))


def seal_anew(site: Site, sealed: Sealed) -> int:
    """Seal the secrets of one kind anew. Return how many. Walks over the store's keys."""
    count = 0
    for name, purpose, old in _old(site, sealed):
        secret = encryption.unseal(site.config, purpose, old)
        new = encryption.seal(site.config, purpose, secret or "")
        count += site.run(RESEAL, entry=name, field=sealed.field, old=old, new=new)
    return count


def _old(site: Site, sealed: Sealed) -> Iterator[tuple[str, str, str]]:
    """Yield (key, purpose, sealed secret) of those that need SECRET_KEY_PREVIOUS."""
    for names in site.db.scan(f"{sealed.key.noun}:*", SLOTS):
        found = [name for name in names if sealed.key.pattern.match(name)]
        replies = site.db.trip_all(("HGET", name, sealed.field) for name in found)
        for name, text in zip(found, replies, strict=True):
            _, _, uid, *facets = name.split(":")
            purpose = sealed.purpose(int(uid), "".join(facets))
            if text and encryption.needs_previous(site.config, purpose, text):
                yield name, purpose, text
