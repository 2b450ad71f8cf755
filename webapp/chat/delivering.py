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

from .. import keys, outgoing, secrets_box
from ..accounts.store import member_command, member_from
from ..config import Config
from ..db import Db
from ..errors import Refused, Unavailable
from ..ids import PARTITIONS, partition_of
from ..logs import log
from ..scripts import script
from . import reading
from .shapes import chat_shape, message_shape
from .webhooks import KEPT, packed, purpose

CLAIM = script("chat/claim_delivery.lua")
FINISH = script("chat/finish_delivery.lua")
AT_ONCE = 8  # requests of one worker
OF_OWNER = 2  # of them, those to bots of one member: slow ones must not hold up those of others
DEADLINE = 10.0  # seconds for an answer
LEASE_MS = 90_000  # longer than a request can take
DELAYS = (10, 30, 120, 600, 1_800, 3_600, 7_200)  # seconds before each further try; after the last it is given up
AGE_MAX = 86_400  # seconds after which one that fails is given up however often it was tried
PAUSE_MAX_MS = 300_000  # that a bot is left in peace after failures
POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message that a bot is to be told of. `lease`: when the claim runs out, unix ms of the store."""

    bot: int
    id: str
    facts: dict[str, Any]
    url: str
    sealed: str = field(repr=False)
    lease: str


class Gone(Exception):
    """There is nothing to tell any more."""


class Deliverer:
    """Makes requests beside the worker's other work, a few at a time."""

    def __init__(self, db: Db, config: Config) -> None:
        self._db, self._config = db, config
        self._free = threading.Semaphore(AT_ONCE)
        self._lock = threading.Lock()
        self._busy: Counter[int] = Counter()  # uid of an owner → requests to their bots

    def run(self, stop: threading.Event) -> None:
        """Works until told to stop; waits out a store that is down. What is under way then comes again."""
        while not stop.is_set():
            try:
                busy = self._step(stop)
            except Exception as error:  # a loop that ends would leave bots without news
                log.warning("deliveries pause: %r", error, exc_info=not isinstance(error, Unavailable))
                busy = False
            if not busy:
                stop.wait(POLL_SECONDS)

    def _step(self, stop: threading.Event) -> bool:
        """Begins one delivery of each partition in which one is due, as there is room; False when nothing was."""
        begun = False
        for partition in due_partitions(self._db):
            while not self._free.acquire(timeout=POLL_SECONDS):
                if stop.is_set():
                    return False
            begun = self._begin(partition) or begun
        return begun

    def _begin(self, partition: int) -> bool:
        begun = False
        try:
            for delivery in claim(self._db, partition, 1, self._passed()):
                owner = _owner(self._db, delivery.bot)
                self._count(owner, 1)
                threading.Thread(target=self._deliver, args=(delivery, owner), daemon=True, name="delivery").start()
                begun = True
        finally:
            if not begun:
                self._free.release()
        return begun

    def _passed(self) -> list[str]:
        """The bots of members who have their part of the requests. One trip, mostly none."""
        with self._lock:
            busy = [owner for owner, requests in self._busy.items() if requests >= OF_OWNER]
        return [bot for bots in self._db.trip(*(("ZRANGE", keys.bots(one), 0, -1) for one in busy)) for bot in bots]

    def _count(self, owner: int, more: int) -> None:
        with self._lock:
            self._busy[owner] += more
            if not self._busy[owner]:
                del self._busy[owner]

    def _deliver(self, delivery: Delivery, owner: int) -> None:
        try:
            deliver(self._db, self._config, delivery)
        except Exception as error:  # it comes again when the lease runs out
            log.warning("delivery %s: %r", delivery.id, error, exc_info=not isinstance(error, Unavailable))
        finally:
            self._count(owner, -1)
            self._free.release()


def deliver_due(db: Db, config: Config) -> int:
    """Makes the requests that are due, here and now, one after the other; returns how many."""
    made = 0
    while claimed := [one for partition in due_partitions(db) for one in claim(db, partition, AT_ONCE)]:
        for delivery in claimed:
            deliver(db, config, delivery)
        made += len(claimed)
    return made


def due_partitions(db: Db) -> list[int]:
    """The partitions in which something is due, or will be in a moment: the store's clock decides. One trip."""
    now = int(time.time() * 1000)
    counts = db.trip(*(("ZCOUNT", keys.deliveries(p), "-inf", now) for p in range(PARTITIONS)))
    return [p for p, count in enumerate(counts) if count]


def claim(db: Db, partition: int, most: int, passed: Sequence[str] = ()) -> list[Delivery]:
    """Claims what is due in a partition, one message a bot. `passed`: bots that are passed over."""
    names = [keys.deliveries(partition), keys.webhook_prefix(partition), keys.unsent_prefix(partition)]
    found = db.run(CLAIM(names, most, LEASE_MS, *passed))
    return [
        Delivery(int(uid), id_, orjson.loads(facts or "{}"), url, sealed, lease)
        for uid, id_, facts, url, sealed, lease in found
    ]


def deliver(db: Db, config: Config, delivery: Delivery) -> None:
    """Makes one request and notes how it went. Raises Unavailable."""
    try:
        body = _body(db, delivery)
    except Gone:
        return _finish(db, delivery, "dropped")
    secret = secrets_box.unseal(config, purpose(delivery.bot), delivery.sealed)
    if secret is None:
        return _failed(db, delivery, "no_secret", final=True)
    try:
        status = outgoing.post(
            delivery.url, body, _headers(delivery.id, secret, body), config.webhook_private, DEADLINE
        )
    except outgoing.Undeliverable as error:
        return _failed(db, delivery, str(error))
    if 200 <= status < 300:
        return _finish(db, delivery, "done")
    return _failed(db, delivery, f"answer {status}")


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """The signature of a request: HMAC-SHA256 over `timestamp.body`."""
    mac = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    return f"sha256={mac.hexdigest()}"


def _owner(db: Db, bot: int) -> int:
    """Whose bot it is; 0 when it is gone."""
    member = member_from(bot, db.run(member_command(bot)))
    return member.bot if member else 0


def _body(db: Db, delivery: Delivery) -> bytes:
    """What a bot is told, as it is now. Raises Gone when the message is not there for it any more, or the bot has lost
    its rights; Unavailable.
    """
    if not delivery.facts:
        raise Gone
    cid, message_id = delivery.facts["chat"], delivery.facts["message"]
    bot = member_from(delivery.bot, db.run(member_command(delivery.bot)))
    owner = member_from(bot.bot, db.run(member_command(bot.bot))) if bot and bot.bot else None
    if not bot or not owner or bot.suspended or owner.suspended:
        raise Gone
    try:
        opened = reading.opened(db, delivery.bot, cid, around=message_id, size=1)
    except Unavailable:
        raise
    except Refused:
        raise Gone from None
    found = [message for message in opened.messages if message.id == message_id and not message.deleted]
    if not found:
        raise Gone
    people = reading.hydrate(db, found).people
    return orjson.dumps(
        {
            "event": "message",
            "delivery": delivery.id,
            "bot": {"id": bot.uid, "login": bot.login},
            "chat": chat_shape(opened.chat),
            "message": message_shape(cid, found[0], people),
        }
    )


def _headers(id_: str, secret: str, body: bytes) -> dict[str, str]:
    timestamp = str(int(time.time()))
    return {
        "Content-Type": "application/json",
        "User-Agent": "Linnet-Webhook/1",
        "X-Linnet-Delivery": id_,
        "X-Linnet-Timestamp": timestamp,
        "X-Linnet-Signature": sign(secret, timestamp, body),
    }


def _failed(db: Db, delivery: Delivery, error: str, final: bool = False) -> None:
    """Tries again later, or gives it up."""
    tries = delivery.facts["tries"] + 1
    facts = delivery.facts | {"tries": tries, "error": error}
    old = time.time() - delivery.facts["at"] / 1000 > AGE_MAX
    if final or old or tries > len(DELAYS):
        return _finish(db, delivery, "given up", facts, 0, error)
    _finish(db, delivery, "again", facts, DELAYS[tries - 1] * 1000, error)


def _finish(
    db: Db, delivery: Delivery, outcome: str, facts: dict[str, Any] | None = None, delay: int = 0, error: str = ""
) -> None:
    log.info("delivery %s to bot %d: %s %s", delivery.id, delivery.bot, outcome, error)
    bot = delivery.bot
    names = [
        *(keys.deliveries(partition_of(bot)), keys.unsent(bot), keys.unsent_words(bot), keys.webhook(bot)),
        keys.undelivered(bot),
    ]
    body = packed(facts) if facts else ""
    db.run(FINISH(names, bot, delivery.id, delivery.lease, outcome, body, delay, error, KEPT, PAUSE_MAX_MS))
