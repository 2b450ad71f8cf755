"""The queue of deliveries to webhooks: delayed, and claimed under a lease.

After Redis in Action, 6.4.2. Any worker claims due messages in any partition, one of a bot at a
time. If a worker dies, its claims expire and another worker makes the same requests again, with the
same ids. So delivery is at least once, and mostly in order.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import orjson

from webapp.chat.codec import from_unix_ms
from webapp.core.events.outbox import Event
from webapp.core.logs import log
from webapp.core.store import Command, Db, Site, script

QUEUE_DELIVERY = script("chat/bots/lua/queue_delivery.lua")
CLAIM_DELIVERY = script("chat/bots/lua/claim_delivery.lua")
FINISH_DELIVERY = script("chat/bots/lua/finish_delivery.lua")
LEASE_MS = 90_000  # longer than a request can take
PAUSE_MAX_MS = 300_000  # longest rest of a bot after failures
UNDELIVERED_MAX = 20  # deliveries of a bot that were given up and are still shown
TOO_MANY = "too_many"  # the error of a message that found the queue full


@dataclass(frozen=True, slots=True)
class Payload:
    """The message that a delivery is about, when it was queued (unix ms), and its failed tries.

    `error`: the last one.
    """

    cid: str
    message_id: int
    queued_ms: int
    tries: int = 0
    error: str = ""

    @property
    def queued_at(self) -> datetime:
        """Return when it was queued."""
        return from_unix_ms(self.queued_ms)

    @classmethod
    def parse(cls, text: str) -> Payload:
        """Return the payload of its JSON."""
        data = orjson.loads(text)
        return cls(data["chat"], data["message"], data["at"], data["tries"], data.get("error", ""))

    def dump(self) -> str:
        """Return the payload as JSON."""
        data = {
            "chat": self.cid,
            "message": self.message_id,
            "at": self.queued_ms,
            "tries": self.tries,
        }
        if self.error:
            data["error"] = self.error
        return orjson.dumps(data).decode()


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A claimed delivery. `payload` is None if it was lost; the lease's end is unix ms, as text."""

    bot_uid: int
    id: str
    payload: Payload | None
    url: str
    sealed_secret: str = field(repr=False)
    lease_expires: str


def queue_command(event: Event, bot_uid: int, queue_max: int) -> Command:
    """Return the command that queues the message of an event for a bot, once."""
    payload = Payload(event.data["chat"], event.number("id"), int(time.time() * 1000))
    return QUEUE_DELIVERY(
        event,
        uid=bot_uid,
        partition=event.partition,
        event_id=event.id,
        payload=payload.dump(),
        failed_payload=replace(payload, error=TOO_MANY).dump(),
        queue_max=queue_max,
        failures_max=UNDELIVERED_MAX,
    )


def claim(
    db: Db, partition: int, limit: int, skipped_bots: Sequence[int] = ()
) -> list[ClaimedDelivery]:
    """Claim due messages in a partition, one for each bot. One trip."""
    rows = db.run(
        CLAIM_DELIVERY(partition=partition, limit=limit, lease=LEASE_MS, skipped=skipped_bots)
    )
    return [
        ClaimedDelivery(
            bot_uid=int(uid),
            id=delivery_id,
            payload=Payload.parse(payload) if payload else None,
            url=url,
            sealed_secret=secret,
            lease_expires=lease_expires,
        )
        for uid, delivery_id, payload, url, secret, lease_expires in rows
    ]


def finish(
    site: Site,
    delivery: ClaimedDelivery,
    outcome: str,
    payload: Payload | None = None,
    delay_ms: int = 0,
) -> None:
    """Note how a delivery went: "done", "dropped", "again" (after a delay) or "given up". One trip.

    `payload` has the number of tries and the error; of a "done" one, why its answer cannot be sent.
    """
    error = payload.error if payload else ""
    log.info("delivery %s to bot %d: %s %s", delivery.id, delivery.bot_uid, outcome, error)
    site.run(
        FINISH_DELIVERY,
        uid=delivery.bot_uid,
        delivery=delivery.id,
        lease_expires=delivery.lease_expires,
        outcome=outcome,
        payload=payload.dump() if payload else "",
        delay=delay_ms,
        failure=error,
        failures_max=UNDELIVERED_MAX,
        pause_max=PAUSE_MAX_MS,
    )
