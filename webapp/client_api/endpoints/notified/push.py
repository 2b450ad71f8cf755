"""The subscription of an app: where the caller's notifications are pushed to, one a token."""

from typing import Literal

import msgspec
from flask import g

from webapp.accounts.tokens.store import sha_of
from webapp.client_api.callers import bearer_token
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.http import Parameters, invalid, site_address
from webapp.core.errors import NotFound
from webapp.core.i18n.preferences import language
from webapp.core.net import vapid
from webapp.core.net.web_push import BadSubscription, Subscription
from webapp.core.web import config, db, site
from webapp.notifications.kinds import CLIENT_TYPES
from webapp.notifications.push import apps, devices
from webapp.notifications.push.apps import EVERYBODY, AppChoices, AppSubscription

bp = ApiBlueprint("push")
PATH = "/api/v1/push/subscription"
ID_MAX = 2**31  # apps read the id as a number of 32 bits
# Apps may ask for the last three, which nothing here causes.
ALERTS = (*dict.fromkeys(CLIENT_TYPES.values()), "update", "admin.sign_up", "admin.report")
REASONS = {
    "endpoint": "Endpoint must be a public https address",
    "keys": "Keys are not valid",
    "off": "This site sends no push notifications",
}
Policy = Literal["all", "followed", "follower", "none"]


class Keys(msgspec.Struct):
    """The keys of a subscription, in base64."""

    p256dh: str = ""
    auth: str = ""


class PushTarget(msgspec.Struct, kw_only=True):
    """Where messages are sent. `standard`: encrypted as RFC 8291 says, not as its draft did."""

    endpoint: str = ""
    keys: Keys = msgspec.field(default_factory=Keys)
    standard: bool = False


class Choices(msgspec.Struct, kw_only=True):
    """Which notifications are sent, by type, and from whom."""

    alerts: dict[str, bool] | None = None
    policy: Policy | None = None


class ChoicesParameters(Parameters):
    """Which notifications are sent. Some clients send `policy` beside `data`, not in it."""

    data: Choices = msgspec.field(default_factory=Choices)
    policy: Policy | None = None


class SubscriptionParameters(ChoicesParameters):
    """A subscription, and which notifications are sent."""

    subscription: PushTarget = msgspec.field(default_factory=PushTarget)


class WebPushSubscription(msgspec.Struct):
    """The subscription of a token."""

    id: int
    endpoint: str
    standard: bool
    alerts: dict[str, bool]
    policy: str
    server_key: str


@bp.declare(f"GET {PATH}", "push")
def show() -> WebPushSubscription:
    """Return where this app's notifications are sent."""
    return _entity(_found())


@bp.declare(f"POST {PATH}", "push", limit="edit")
def subscribe(params: SubscriptionParameters) -> WebPushSubscription:
    """Send the caller's notifications to this app. An earlier subscription of the token ends."""
    sent = params.subscription
    keys = (_urlsafe(sent.keys.p256dh), _urlsafe(sent.keys.auth))
    subscription = Subscription(sent.endpoint.strip(), *keys, bearer_token(), sent.standard)
    return _save(subscription, params)


@bp.declare(f"PUT {PATH}", "push", limit="edit")
def change(params: ChoicesParameters) -> WebPushSubscription:
    """Change which notifications this app gets."""
    return _save(_found().subscription, params)


@bp.declare(f"DELETE {PATH}", "push")
def unsubscribe() -> None:
    """Stop pushing notifications to this app."""
    devices.remove(db(), g.viewer.uid, _sha())


def _save(subscription: Subscription, params: ChoicesParameters) -> WebPushSubscription:
    alerts = params.data.alerts or {}
    wanted = frozenset(name for name in ALERTS if alerts.get(name))
    choices = AppChoices(wanted, params.data.policy or params.policy or EVERYBODY)
    try:
        devices.subscribe(
            site(),
            g.viewer.uid,
            _sha(),
            subscription,
            site_url=site_address(),
            locale=language().locale,
            choices=choices,
        )
    except BadSubscription as error:
        raise invalid(REASONS[str(error)]) from None
    return _entity(_found())


def _urlsafe(key: str) -> str:
    """Return base64 of either alphabet as base64url."""
    return key.strip().replace("+", "-").replace("/", "_")


def _found() -> AppSubscription:
    return NotFound.unless(apps.find(site(), g.viewer.uid, _sha()), "no_push_device")


def _sha() -> str:
    return sha_of(bearer_token())


def _entity(found: AppSubscription) -> WebPushSubscription:
    return WebPushSubscription(
        id=found.added % ID_MAX,
        endpoint=found.subscription.endpoint,
        standard=found.subscription.is_standard,
        alerts={name: name in found.choices.alerts for name in ALERTS},
        policy=found.choices.policy,
        server_key=vapid.public_key(config()),
    )
