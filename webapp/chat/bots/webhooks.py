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

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member, find_members, member_command, member_from
from webapp.chat import keys as chat_keys
from webapp.chat.store import Message, from_unix_ms, is_direct, message_from, other_member_uid
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.net import encryption
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script

from . import keys

SET_WEBHOOK = script("chat/bots/lua/set_webhook.lua")
QUEUE_DELIVERY = script("chat/bots/lua/queue_delivery.lua")
UNDELIVERED_MAX = 20  # deliveries that were given up and are still shown
TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class UndeliveredMessage:
    """A message that a bot was never told of: which, how often that was tried, and what stood in the way."""

    cid: str
    message_id: int
    queued_at: datetime
    tries: int
    error: str


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where a bot is told of messages. `delivered`: when last; `failures`: in a row, and the last `error`; `waiting`:
    how many it is still to be told of; `undelivered`: those that were given up, the newest first.
    """

    url: str
    last_delivered: datetime | None
    failures: int
    last_error: str
    waiting: int
    undelivered: list[UndeliveredMessage]


def set_webhook(db: Db, config: Config, bot_uid: int, url: str) -> str:
    """Sets where a bot is told of messages; returns the secret its requests are signed with, which can be read this one
    time. Raises NotFound.
    """
    secret = f"whsec_{secrets.token_urlsafe(32)}"
    db.run(
        SET_WEBHOOK(
            webhook=keys.webhook(bot_uid),
            user=account_keys.user(bot_uid),
            uid=bot_uid,
            url=url,
            sealed_secret=encryption.seal(config, secret_purpose(bot_uid), secret),
        )
    )
    return secret


def remove_webhook(db: Db, bot_uid: int) -> None:
    """A bot is told of nothing any more; what it was still to be told of is dropped."""
    db.trip(*_clear_commands(bot_uid))


def get_webhook(db: Db, bot_uid: int) -> Webhook | None:
    """A bot's webhook, or None. One trip."""
    fields, waiting, entries = db.trip(
        ("HMGET", keys.webhook(bot_uid), "url", "delivered", "failures", "error"),
        ("ZCARD", keys.webhook_queue(bot_uid)),
        ("LRANGE", keys.webhook_failures(bot_uid), 0, UNDELIVERED_MAX - 1),
    )
    url, delivered, failures, error = fields
    if not url:
        return None
    undelivered = [_parse_undelivered(entry) for entry in entries]
    return Webhook(
        url,
        from_unix_ms(int(delivered)) if delivered else None,
        int(failures or 0),
        error or "",
        waiting,
        undelivered,
    )


def queue_deliveries(context: Context, events: Sequence[Event]) -> None:
    """Lets bots be told of new messages, each once. Messages of bots are told to none, or two could go on for ever."""
    replies = context.db.trip(
        *(command for event in events for command in _message_commands(event))
    )
    deliveries: list[tuple[Event, int]] = []
    for event, raw, sender_reply in zip(events, replies[::2], replies[1::2], strict=True):
        sender = member_from(int(event.data["by"]), sender_reply)
        if raw and sender and not sender.bot_owner:
            message = message_from(event.data["id"], raw)
            deliveries += [(event, bot) for bot in _addressed_bots(context.db, event, message)]
    context.db.trip(*(_queue_command(context, event, bot) for event, bot in deliveries))


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts are told of nothing. Safe to run twice."""
    for event in events:
        context.db.trip(*_clear_commands(int(event.data["uid"])))


def secret_purpose(bot_uid: int) -> str:
    """What the secret of a bot's webhook is sealed for."""
    return f"webhook {bot_uid}"


def _message_commands(event: Event) -> list[Command]:
    message_command = ("HGET", chat_keys.chat_messages(event.data["chat"]), event.data["id"])
    return [message_command, member_command(int(event.data["by"]))]


def _addressed_bots(db: Db, event: Event, message: Message) -> list[int]:
    """The bots that a message is for."""
    cid = event.data["chat"]
    if is_direct(cid):
        other_uid = other_member_uid(cid, message.author_uid) or 0
        addressed: list[Member | None] = [member_from(other_uid, db.run(member_command(other_uid)))]
    else:
        addressed = list(
            find_members(
                db, {one.text for one in message.entities if one.kind == "mention"}
            ).values()
        )
    bots = [member.uid for member in addressed if member and member.bot_owner]
    memberships = db.run(("ZMSCORE", chat_keys.chat_members(cid), *bots)) if bots else []
    return [bot for bot, belongs in zip(bots, memberships, strict=True) if belongs]


def _queue_command(context: Context, event: Event, bot_uid: int) -> Command:
    data = {
        "chat": event.data["chat"],
        "message": int(event.data["id"]),
        "at": int(time.time() * 1000),
        "tries": 0,
    }
    source, token = event.fence
    return QUEUE_DELIVERY(
        fences=event_keys.fences(partition_tag(bot_uid)),
        **webhook_keys(bot_uid),
        source=source,
        token=token,
        uid=bot_uid,
        partition=event.partition,
        event_id=event.id,
        payload=dump_delivery(data),
        failed_payload=dump_delivery(data | {"error": TOO_MANY}),
        queue_max=context.config.webhook_waiting,
        failures_max=UNDELIVERED_MAX,
    )


def webhook_keys(bot_uid: int) -> dict[str, str]:
    """Return the keys of a bot's webhook, by the names that scripts use."""
    return {
        "webhook": keys.webhook(bot_uid),
        "webhook_queue": keys.webhook_queue(bot_uid),
        "webhook_payloads": keys.webhook_payloads(bot_uid),
        "webhook_failures": keys.webhook_failures(bot_uid),
        "due_webhooks": keys.due_webhooks(partition_of(bot_uid)),
    }


def dump_delivery(data: dict[str, Any]) -> str:
    """What a delivery is about, as it is kept."""
    return orjson.dumps(data).decode()


def _clear_commands(bot_uid: int) -> list[Command]:
    key_names = (
        keys.webhook(bot_uid),
        keys.webhook_queue(bot_uid),
        keys.webhook_payloads(bot_uid),
        keys.webhook_failures(bot_uid),
    )
    return [("UNLINK", *key_names), ("ZREM", keys.due_webhooks(partition_of(bot_uid)), bot_uid)]


def _parse_undelivered(entry: str) -> UndeliveredMessage:
    data = orjson.loads(entry)
    queued_at = datetime.fromtimestamp(data["at"] / 1000, UTC)
    return UndeliveredMessage(
        data["chat"], data["message"], queued_at, data["tries"], data.get("error", "")
    )
