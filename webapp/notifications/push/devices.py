"""A member's devices that get their notifications, and the preferences for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from webapp.accounts import keys as account_keys
from webapp.accounts.member import datetime_from_ms
from webapp.core.errors import NotFound
from webapp.core.events.outbox import Context, Event
from webapp.core.net import encryption
from webapp.core.net.web_push import BadSubscription, Subscription, check
from webapp.core.store import Db, Read, Site, collect, read, script
from webapp.notifications.kinds import KINDS
from webapp.notifications.store import set_preferences_command, source_fields

from . import keys
from .apps import AppChoices, purpose

SUBSCRIBE = script("notifications/push/lua/subscribe.lua")
REMOVE_DEVICE = script("notifications/push/lua/remove_device.lua")
REMOVE_SIGNED_OUT = script("notifications/push/lua/remove_signed_out.lua")
REQUEST_TEST = script("notifications/push/lua/request_test.lua")
OFF, SHOWN = "off", "shown"


@dataclass(frozen=True, slots=True)
class PushPreferences:
    """The kinds that a member's devices get, and whether they show the text."""

    kinds: frozenset[str]
    shows_content: bool


@dataclass(frozen=True, slots=True)
class PushDevice:
    """A device as its owner sees it listed. `sha` names its session and opens nothing.

    `error`: why the newest try failed, "" if it did not.
    """

    sha: str
    user_agent: str
    added: datetime
    last_delivered: datetime | None
    error: str


def subscribe(
    site: Site,
    uid: int,
    sha: str,
    subscription: Subscription,
    *,
    site_url: str,
    locale: str,
    renewed: bool = False,
    choices: AppChoices | None = None,
) -> bool:
    """Let a session's browser get the member's notifications from now on, or an app. One trip.

    `sha`: of the session, or of the app's token; `choices`: the app's. `renewed`: only replace the
    subscription of a device; return False if there is none. Raises BadSubscription, NotFound,
    Forbidden, Conflict if the session or the token has ended.
    """
    if site.config.web_push == OFF:
        raise BadSubscription(OFF)
    check(subscription, site.config.web_push == "private")
    reply = site.run(
        SUBSCRIBE,
        uid=uid,
        sha=sha,
        subscription=encryption.seal(site.config, purpose(uid), subscription.dump()),
        site=site_url,
        locale=locale,
        renewed=int(renewed),
        choices=choices.fields() if choices else {},
    )
    return bool(reply)


def remove(db: Db, uid: int, sha: str) -> bool:
    """Remove one of a member's devices. Return False if there was none. One trip."""
    return bool(db.run(REMOVE_DEVICE(uid=uid, sha=sha)))


def request_test(db: Db, uid: int, sha: str) -> None:
    """Let the worker send a test message to a device. One trip. Raises NotFound."""
    if not db.run(REQUEST_TEST(uid=uid, sha=sha)):
        raise NotFound("no_push_device")


def device_shas(uid: int) -> Read[list[str]]:
    """Read the session hashes of a member's devices, the newest first."""
    return read(("ZRANGE", keys.push_devices(uid), 0, -1, "REV"), list[str])


def list_devices(uid: int, shas: Sequence[str]) -> Read[list[PushDevice]]:
    """Read those of a member's devices that are signed in, in the order of `shas`."""
    return collect(_device(uid, sha) for sha in shas).map(
        lambda found: [device for device in found if device]
    )


def preferences(uid: int) -> Read[PushPreferences]:
    """Read a member's preferences for their devices. All kinds, and no content, by default."""

    def parse(stored: Sequence[str | None]) -> PushPreferences:
        content, *choices = stored
        kinds = zip(KINDS, choices, strict=True)
        return PushPreferences(
            frozenset(kind for kind, choice in kinds if choice != OFF), content == SHOWN
        )

    fields = ("push:content", *(f"push:{kind}" for kind in KINDS))
    return read(("HMGET", account_keys.user(uid), *fields), parse)


def set_preferences(
    db: Db, uid: int, sources: Mapping[str, str], push: PushPreferences | None
) -> None:
    """Set a member's wanted sources by kind, and what their devices get unless None. One trip.

    Raises NotFound.
    """
    fields = source_fields(sources) | (_fields(push) if push else {})
    db.run(set_preferences_command(uid, fields))


def remove_signed_out(context: Context, events: Sequence[Event]) -> None:
    """Remove the devices of sessions that have ended. Safe to run twice. One trip."""
    context.db.trip_all(
        REMOVE_SIGNED_OUT(event, uid=uid) for event in events for uid in (event.number("uid"),)
    )


def _fields(push: PushPreferences) -> dict[str, str]:
    fields = {f"push:{kind}": "" if kind in push.kinds else OFF for kind in KINDS}
    return fields | {"push:content": SHOWN if push.shows_content else ""}


def _device(uid: int, sha: str) -> Read[PushDevice | None]:
    """Read a device, None if it is gone or its session has ended."""
    fields = read(("HMGET", keys.push_device(uid, sha), "added", "delivered", "error"), list)
    session = read(("HMGET", account_keys.session(uid, sha), "uid", "agent"), list)

    def parse(found: list[list[str | None]]) -> PushDevice | None:
        (added, delivered, error), (owner, agent) = found
        if not added or owner != str(uid):
            return None
        return PushDevice(
            sha,
            agent or "",
            datetime_from_ms(added),
            datetime_from_ms(delivered) if delivered else None,
            error or "",
        )

    return collect((fields, session)).map(parse)
