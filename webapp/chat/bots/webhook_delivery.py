"""Telling bots of messages: a delayed queue (after Redis in Action, 6.4.2) whose entries are claimed under a lease.

Any worker claims what is due in any partition, one message of a bot at a time. A worker that dies leaves its claims to
run out, and the next one makes the same request again, with the same id: at least once, and in order as far as it goes.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from webapp.accounts.store import member_command, member_from
from webapp.chat.api.serializers import chat_to_json, message_to_json
from webapp.chat.messages import reading
from webapp.config import Config
from webapp.core.logs import log
from webapp.core.net import encryption, safe_http
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.scripts import script
from webapp.errors import Refused, Unavailable

from . import keys
from .webhooks import UNDELIVERED_MAX, dump_delivery, secret_purpose, webhook_keys

CLAIM = script("chat/bots/lua/claim_delivery.lua")
FINISH = script("chat/bots/lua/finish_delivery.lua")
REQUESTS_MAX = 8  # requests of one worker
REQUESTS_PER_OWNER = (
    2  # of them, those to bots of one member: slow ones must not hold up those of others
)
TIMEOUT_SECONDS = 10.0  # seconds for an answer
LEASE_MS = 90_000  # longer than a request can take
RETRY_DELAYS = (
    10,
    30,
    120,
    600,
    1_800,
    3_600,
    7_200,
)  # seconds before each further try; after the last it is given up
AGE_MAX_SECONDS = (
    86_400  # seconds after which one that fails is given up however often it was tried
)
PAUSE_MAX_MS = 300_000  # that a bot is left in peace after failures
POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message that a bot is to be told of. `lease`: when the claim runs out, unix ms of the store."""

    bot_uid: int
    id: str
    data: dict[str, Any]
    url: str
    sealed_secret: str = field(repr=False)
    lease_expires: str


class MessageGone(Exception):
    """There is nothing to tell any more."""


class Deliverer:
    """Makes requests beside the worker's other work, a few at a time."""

    def __init__(self, db: Db, config: Config) -> None:
        self._db, self._config = db, config
        self._slots = threading.Semaphore(REQUESTS_MAX)
        self._lock = threading.Lock()
        self._in_flight: Counter[int] = Counter()  # uid of an owner → requests to their bots

    def run(self, stop: threading.Event) -> None:
        """Works until told to stop; waits out a store that is down. What is under way then comes again."""
        while not stop.is_set():
            try:
                started = self._start_due(stop)
            except Exception as error:  # a loop that ends would leave bots without news
                log.warning(
                    "deliveries pause: %r", error, exc_info=not isinstance(error, Unavailable)
                )
                started = False
            if not started:
                stop.wait(POLL_SECONDS)

    def _start_due(self, stop: threading.Event) -> bool:
        """Begins one delivery of each partition in which one is due, as there is room; False when nothing was."""
        started = False
        for partition in due_partitions(self._db):
            while not self._slots.acquire(timeout=POLL_SECONDS):
                if stop.is_set():
                    return False
            started = self._start_one(partition) or started
        return started

    def _start_one(self, partition: int) -> bool:
        started = False
        try:
            for delivery in claim(self._db, partition, 1, self._saturated_bots()):
                owner = _owner_uid(self._db, delivery.bot_uid)
                self._track(owner, 1)
                threading.Thread(
                    target=self._deliver, args=(delivery, owner), daemon=True, name="delivery"
                ).start()
                started = True
        finally:
            if not started:
                self._slots.release()
        return started

    def _saturated_bots(self) -> list[str]:
        """The bots of members who have their part of the requests. One trip, mostly none."""
        with self._lock:
            owners = [
                owner
                for owner, requests in self._in_flight.items()
                if requests >= REQUESTS_PER_OWNER
            ]
        return [
            bot
            for bots in self._db.trip(*(("ZRANGE", keys.bots(one), 0, -1) for one in owners))
            for bot in bots
        ]

    def _track(self, owner: int, delta: int) -> None:
        with self._lock:
            self._in_flight[owner] += delta
            if not self._in_flight[owner]:
                del self._in_flight[owner]

    def _deliver(self, delivery: Delivery, owner: int) -> None:
        try:
            deliver(self._db, self._config, delivery)
        except Exception as error:  # it comes again when the lease runs out
            log.warning(
                "delivery %s: %r", delivery.id, error, exc_info=not isinstance(error, Unavailable)
            )
        finally:
            self._track(owner, -1)
            self._slots.release()


def deliver_due(db: Db, config: Config) -> int:
    """Makes the requests that are due, here and now, one after the other; returns how many."""
    count = 0
    while deliveries := [
        one for partition in due_partitions(db) for one in claim(db, partition, REQUESTS_MAX)
    ]:
        for delivery in deliveries:
            deliver(db, config, delivery)
        count += len(deliveries)
    return count


def due_partitions(db: Db) -> list[int]:
    """The partitions in which something is due, or will be in a moment: the store's clock decides. One trip."""
    now = int(time.time() * 1000)
    counts = db.trip(*(("ZCOUNT", keys.due_webhooks(p), "-inf", now) for p in range(PARTITIONS)))
    return [p for p, count in enumerate(counts) if count]


def claim(db: Db, partition: int, limit: int, skipped_bots: Sequence[str] = ()) -> list[Delivery]:
    """Claims what is due in a partition, one message a bot. `passed`: bots that are passed over."""
    rows = db.run(
        CLAIM(
            due_webhooks=keys.due_webhooks(partition),
            webhook_prefix=keys.webhook.prefix(partition),
            queue_prefix=keys.webhook_queue.prefix(partition),
            limit=limit,
            lease=LEASE_MS,
            skipped=skipped_bots,
        )
    )
    return [
        Delivery(int(uid), id_, orjson.loads(facts or "{}"), url, sealed, lease)
        for uid, id_, facts, url, sealed, lease in rows
    ]


def deliver(db: Db, config: Config, delivery: Delivery) -> None:
    """Makes one request and notes how it went. Raises Unavailable."""
    try:
        body = _request_body(db, delivery)
    except MessageGone:
        return _finish(db, delivery, "dropped")
    secret = encryption.unseal(config, secret_purpose(delivery.bot_uid), delivery.sealed_secret)
    if secret is None:
        return _retry_or_give_up(db, delivery, "no_secret", final=True)
    try:
        status = safe_http.post(
            delivery.url,
            body,
            _headers(delivery.id, secret, body),
            config.webhook_private,
            TIMEOUT_SECONDS,
        )
    except safe_http.RequestFailed as error:
        return _retry_or_give_up(db, delivery, str(error))
    if 200 <= status < 300:
        return _finish(db, delivery, "done")
    return _retry_or_give_up(db, delivery, f"answer {status}")


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """The signature of a request: HMAC-SHA256 over `timestamp.body`."""
    mac = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    return f"sha256={mac.hexdigest()}"


def _owner_uid(db: Db, bot_uid: int) -> int:
    """Whose bot it is; 0 when it is gone."""
    member = member_from(bot_uid, db.run(member_command(bot_uid)))
    return member.bot_owner if member else 0


def _request_body(db: Db, delivery: Delivery) -> bytes:
    """What a bot is told, as it is now. Raises Gone when the message is not there for it any more, or the bot has lost
    its rights; Unavailable.
    """
    if not delivery.data:
        raise MessageGone
    cid, message_id = delivery.data["chat"], delivery.data["message"]
    bot = member_from(delivery.bot_uid, db.run(member_command(delivery.bot_uid)))
    owner = (
        member_from(bot.bot_owner, db.run(member_command(bot.bot_owner)))
        if bot and bot.bot_owner
        else None
    )
    if not bot or not owner or bot.suspended or owner.suspended:
        raise MessageGone
    try:
        chat_page = reading.open_page(db, delivery.bot_uid, cid, around=message_id, size=1)
    except Unavailable:
        raise
    except Refused:
        raise MessageGone from None
    messages = [
        message
        for message in chat_page.messages
        if message.id == message_id and not message.deleted
    ]
    if not messages:
        raise MessageGone
    people = reading.hydrate(db, messages).people
    return orjson.dumps(
        {
            "event": "message",
            "delivery": delivery.id,
            "bot": {"id": bot.uid, "login": bot.login},
            "chat": chat_to_json(chat_page.chat),
            "message": message_to_json(cid, messages[0], people),
        }
    )


def _headers(delivery_id: str, secret: str, body: bytes) -> dict[str, str]:
    timestamp = str(int(time.time()))
    return {
        "Content-Type": "application/json",
        "User-Agent": "Linnet-Webhook/1",
        "X-Linnet-Delivery": delivery_id,
        "X-Linnet-Timestamp": timestamp,
        "X-Linnet-Signature": sign(secret, timestamp, body),
    }


def _retry_or_give_up(db: Db, delivery: Delivery, error: str, final: bool = False) -> None:
    """Tries again later, or gives it up."""
    attempts = delivery.data["tries"] + 1
    data = delivery.data | {"tries": attempts, "error": error}
    expired = time.time() - delivery.data["at"] / 1000 > AGE_MAX_SECONDS
    if final or expired or attempts > len(RETRY_DELAYS):
        return _finish(db, delivery, "given up", data, 0, error)
    _finish(db, delivery, "again", data, RETRY_DELAYS[attempts - 1] * 1000, error)


def _finish(
    db: Db,
    delivery: Delivery,
    outcome: str,
    data: dict[str, Any] | None = None,
    delay: int = 0,
    error: str = "",
) -> None:
    log.info("delivery %s to bot %d: %s %s", delivery.id, delivery.bot_uid, outcome, error)
    bot_uid = delivery.bot_uid
    db.run(
        FINISH(
            **webhook_keys(bot_uid),
            uid=bot_uid,
            delivery=delivery.id,
            lease_expires=delivery.lease_expires,
            outcome=outcome,
            payload=dump_delivery(data) if data else "",
            delay=delay,
            error=error,
            failures_max=UNDELIVERED_MAX,
            pause_max=PAUSE_MAX_MS,
        )
    )
