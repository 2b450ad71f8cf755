"""Webhooks: bots are told of messages that mention them, or that are sent to them alone, by a request to their owner's
server. Here they are set up and queued; `delivering.py` makes the requests.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from .. import keys, secrets_box
from ..accounts.store import Member, find_all, member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..events import Context, Event
from ..ids import partition_of
from ..scripts import script
from .store import Message, is_direct, message_from, moment, other

SET = script("chat/set_webhook.lua")
QUEUE = script("chat/queue_delivery.lua")
KEPT = 20  # deliveries that were given up and are still shown
TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class Failed:
    """A message that a bot was never told of: which, how often that was tried, and what stood in the way."""

    chat: str
    message: int
    at: datetime
    tries: int
    error: str


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where a bot is told of messages. `delivered`: when last; `failures`: in a row, and the last `error`; `waiting`:
    how many it is still to be told of; `undelivered`: those that were given up, the newest first.
    """

    url: str
    delivered: datetime | None
    failures: int
    error: str
    waiting: int
    undelivered: list[Failed]


def change(db: Db, config: Config, bot: int, url: str) -> str:
    """Sets where a bot is told of messages; returns the secret its requests are signed with, which can be read this one
    time. Raises NotFound.
    """
    secret = f"whsec_{secrets.token_urlsafe(32)}"
    db.run(SET([keys.webhook(bot), keys.user(bot)], bot, url, secrets_box.seal(config, purpose(bot), secret)))
    return secret


def take_away(db: Db, bot: int) -> None:
    """A bot is told of nothing any more; what it was still to be told of is dropped."""
    db.trip(*_cleared(bot))


def show(db: Db, bot: int) -> Webhook | None:
    """A bot's webhook, or None. One trip."""
    fields, waiting, given_up = db.trip(
        ("HMGET", keys.webhook(bot), "url", "delivered", "failures", "error"),
        ("ZCARD", keys.unsent(bot)),
        ("LRANGE", keys.undelivered(bot), 0, KEPT - 1),
    )
    url, delivered, failures, error = fields
    if not url:
        return None
    found = [_failed(entry) for entry in given_up]
    return Webhook(url, moment(int(delivered)) if delivered else None, int(failures or 0), error or "", waiting, found)


def queue(context: Context, events: Sequence[Event]) -> None:
    """Lets bots be told of new messages, each once. Messages of bots are told to none, or two could go on for ever."""
    replies = context.db.trip(*(command for event in events for command in _asked(event)))
    wanted: list[tuple[Event, int]] = []
    for event, raw, author in zip(events, replies[::2], replies[1::2], strict=True):
        by = member_from(int(event.data["by"]), author)
        if raw and by and not by.bot:
            message = message_from(event.data["id"], raw)
            wanted += [(event, bot) for bot in _bots(context.db, event, message)]
    context.db.trip(*(_queueing(context, event, bot) for event, bot in wanted))


def clear(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts are told of nothing. Safe to run twice."""
    for event in events:
        context.db.trip(*_cleared(int(event.data["uid"])))


def purpose(bot: int) -> str:
    """What the secret of a bot's webhook is sealed for."""
    return f"webhook {bot}"


def _asked(event: Event) -> list[Command]:
    message = ("HGET", keys.chat_messages(event.data["chat"]), event.data["id"])
    return [message, member_command(int(event.data["by"]))]


def _bots(db: Db, event: Event, message: Message) -> list[int]:
    """The bots that a message is for."""
    cid = event.data["chat"]
    if is_direct(cid):
        to = other(cid, message.author) or 0
        named: list[Member | None] = [member_from(to, db.run(member_command(to)))]
    else:
        named = list(find_all(db, {one.text for one in message.entities if one.kind == "mention"}).values())
    bots = [member.uid for member in named if member and member.bot]
    there = db.run(("ZMSCORE", keys.chat_members(cid), *bots)) if bots else []
    return [bot for bot, belongs in zip(bots, there, strict=True) if belongs]


def _queueing(context: Context, event: Event, bot: int) -> Command:
    facts = {"chat": event.data["chat"], "message": int(event.data["id"]), "at": int(time.time() * 1000), "tries": 0}
    names = [
        *(keys.fences(keys.tag(bot)), keys.webhook(bot), keys.unsent(bot), keys.unsent_words(bot)),
        *(keys.deliveries(partition_of(bot)), keys.undelivered(bot)),
    ]
    return QUEUE(
        names,
        *(*event.fence, bot, event.partition, event.id, packed(facts)),
        *(context.config.webhook_waiting, KEPT, packed(facts | {"error": TOO_MANY})),
    )


def packed(facts: dict[str, Any]) -> str:
    """What a delivery is about, as it is kept."""
    return orjson.dumps(facts).decode()


def _cleared(bot: int) -> list[Command]:
    names = (keys.webhook(bot), keys.unsent(bot), keys.unsent_words(bot), keys.undelivered(bot))
    return [("UNLINK", *names), ("ZREM", keys.deliveries(partition_of(bot)), bot)]


def _failed(entry: str) -> Failed:
    facts = orjson.loads(entry)
    at = datetime.fromtimestamp(facts["at"] / 1000, UTC)
    return Failed(facts["chat"], facts["message"], at, facts["tries"], facts.get("error", ""))
