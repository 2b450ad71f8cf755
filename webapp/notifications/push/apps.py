"""Apps among a member's devices: each has a subscription under the sha of its token.

The token is sealed with the subscription. An app knows by it which of its members is notified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.net import encryption
from webapp.core.net.web_push import Subscription
from webapp.core.store import Site, read
from webapp.notifications.kinds import CLIENT_TYPES

from . import keys

EVERYBODY, FOLLOWED, FOLLOWERS, NOBODY = POLICIES = ("all", "followed", "follower", "none")


@dataclass(frozen=True, slots=True)
class AppChoices:
    """The notifications that an app gets: types (CLIENT_TYPES), and from whom (one of POLICIES)."""

    alerts: frozenset[str]
    policy: str

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of notifications that the app gets."""
        is_on = self.policy != NOBODY
        types = CLIENT_TYPES.items()
        return frozenset(kind for kind, name in types if is_on and name in self.alerts)

    def fields(self) -> dict[str, str]:
        """Return the fields of the device. `kinds` is for scripts, with blanks around each."""
        return {
            "alerts": " ".join(sorted(self.alerts)),
            "policy": self.policy,
            "kinds": f" {' '.join(sorted(self.kinds))} ",
        }

    @classmethod
    def load(cls, alerts: str | None, policy: str | None) -> AppChoices | None:
        """Return the choices of a device's fields, None for a browser, which has none."""
        if alerts is None or policy is None:
            return None
        return cls(frozenset(alerts.split()), policy)


@dataclass(frozen=True, slots=True)
class AppSubscription:
    """An app's subscription. `added`: unix ms."""

    subscription: Subscription
    choices: AppChoices
    added: int


def find(site: Site, uid: int, sha: str) -> AppSubscription | None:
    """Return the subscription under a token's sha, None without one. One trip."""

    def parse(found: Sequence[str | None]) -> AppSubscription | None:
        sealed, added, alerts, policy = found
        choices = AppChoices.load(alerts, policy)
        text = encryption.unseal(site.config, purpose(uid), sealed) if sealed else None
        if choices is None or text is None:
            return None
        return AppSubscription(Subscription.load(text), choices, int(added or 0))

    fields = ("subscription", "added", "alerts", "policy")
    return site.db.read(read(("HMGET", keys.push_device(uid, sha), *fields), parse))


def purpose(uid: int) -> str:
    """Return the purpose for which the subscriptions of a member are sealed."""
    return f"push {uid}"
