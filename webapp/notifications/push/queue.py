"""The queue of pushes: which devices have something to get, claimed under a lease.

The script that adds a notification queues the member's devices. Messages are read from the member's
list when they are sent. So the queue holds no copies, and nothing is sent that is gone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.core.logs import log
from webapp.core.store import Db, script
from webapp.notifications.kinds import GATHERED, PROMPT

from .apps import AppChoices

CLAIM_PUSH = script("notifications/push/lua/claim_push.lua")
FINISH_PUSH = script("notifications/push/lua/finish_push.lua")
LEASE_MS = 180_000  # longer than the requests of one claim can take
TEST = "test"  # the lane of the message that a member asks for
DONE, AGAIN, REFUSED, GONE = "done", "again", "refused", "gone"
REFUSALS_MAX = 5  # in a row; then a device is removed


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace of a lane: seconds between messages to a device, and most messages an hour."""

    pause: int
    hour_max: int


PACES = {PROMPT: Pace(10, 30), GATHERED: Pace(900, 12), TEST: Pace(5, 30)}
APP_PACE = Pace(2, 240)  # of each lane: apps get each notification, and sort out themselves


@dataclass(frozen=True, slots=True)
class Push:
    """A claimed device. `seen_us`: the newest notification that it had, in unix µs.

    `tries` have failed since then. The lease's end is unix ms, as text. `app`: what an app asked
    for, None for a browser.
    """

    uid: int
    sha: str
    lane: str
    lease_expires: str
    sealed_subscription: str = field(repr=False)
    site_url: str
    locale: str
    seen_us: int
    tries: int
    app: AppChoices | None = None

    @property
    def pace(self) -> Pace:
        """Return how often the device may get messages."""
        return APP_PACE if self.app else PACES[self.lane]


def claim(db: Db, partition: int, limit: int, skipped_uids: Sequence[int] = ()) -> list[Push]:
    """Claim devices of a partition that are due. One trip."""
    rows = db.run(
        CLAIM_PUSH(partition=partition, limit=limit, lease=LEASE_MS, skipped=skipped_uids)
    )
    return [_parse(row) for row in rows]


def finish(
    db: Db,
    push: Push,
    outcome: str,
    *,
    seen_us: int = 0,
    sent: int = 0,
    delay: int = 0,
    error: str = "",
) -> None:
    """Note how a push went: DONE up to `seen_us`, AGAIN after a delay, REFUSED or GONE. One trip.

    `sent` messages were taken by the push service, and one more was tried if there is an `error`.
    `delay`: seconds.
    """
    log.info("push to member %d (%s): %s, %d sent %s", push.uid, push.lane, outcome, sent, error)
    command = FINISH_PUSH(
        uid=push.uid,
        sha=push.sha,
        lane=push.lane,
        lease_expires=push.lease_expires,
        outcome=outcome,
        seen=seen_us,
        sent=sent,
        hour_max=push.pace.hour_max,
        refusals_max=REFUSALS_MAX,
        delay=delay * 1000,
        failure=error,
    )
    db.run(command)


def _parse(row: Sequence[Any]) -> Push:
    uid, sha, lane, lease_expires, subscription, site_url, locale, seen, tries, *app = row
    return Push(
        uid=int(uid),
        sha=sha,
        lane=lane,
        lease_expires=lease_expires,
        sealed_subscription=subscription,
        site_url=site_url,
        locale=locale,
        seen_us=int(seen),
        tries=int(tries),
        app=AppChoices.load(*app),
    )
