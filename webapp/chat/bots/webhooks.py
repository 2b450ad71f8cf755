"""Webhooks: a bot's owner gets each message that mentions the bot, or is sent to it alone.

This module sets webhooks up and queues messages for them; webhook_delivery.py makes the requests.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from webapp.accounts import keys as account_keys
from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.chat import keys as chat_keys
from webapp.chat.codec import from_unix_ms, parse_message
from webapp.chat.ids import is_direct, other_member_uid
from webapp.chat.models import Message
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.net import encryption
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command, Read, collect, gather, read
from webapp.core.store.scripts import script

from . import keys
from .deliveries import UNDELIVERED_MAX, Payload, queue_command

SET_WEBHOOK = script("chat/bots/lua/set_webhook.lua")


@dataclass(frozen=True, slots=True)
class UndeliveredMessage:
    """A message that was given up: how often it was tried, and the last error."""

    cid: str
    message_id: int
    queued_at: datetime
    tries: int
    error: str


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where a bot's messages go, and how that went.

    `failures` counts those in a row, `last_error` is the newest. `waiting` counts queued messages.
    `undelivered` are those that were given up, newest first.
    """

    url: str
    last_delivered: datetime | None
    failures: int
    last_error: str
    waiting: int
    undelivered: list[UndeliveredMessage]


def set_webhook(db: Db, config: Config, bot_uid: int, url: str) -> str:
    """Set a bot's webhook. Return the secret that signs its requests, which is not shown again.

    One trip. Raises NotFound.
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
    """Remove a bot's webhook and what is queued for it. One trip."""
    db.trip(*_remove_commands(bot_uid))


def get_webhook(bot_uid: int) -> Read[Webhook | None]:
    """Read a bot's webhook, None without one."""
    fields = read(("HMGET", keys.webhook(bot_uid), "url", "delivered", "failures", "error"), list)
    waiting = read(("ZCARD", keys.webhook_queue(bot_uid)), int)
    undelivered = read(
        ("LRANGE", keys.webhook_failures(bot_uid), 0, UNDELIVERED_MAX - 1),
        lambda entries: [_parse_undelivered(entry) for entry in entries],
    )
    return gather(fields, waiting, undelivered).map(lambda found: _parse_webhook(*found))


def secret_purpose(bot_uid: int) -> str:
    """Return what the secret of a bot's webhook is sealed for."""
    return f"webhook {bot_uid}"


def queue_deliveries(context: Context, events: Sequence[Event]) -> None:
    """Queue new messages for the bots that they are for, each once.

    Messages of bots are queued for none: two bots could go on for ever. Safe to run twice.
    """
    db = context.db
    messages = db.read(collect(map(_message_for_bots, events)))
    queue_max = context.config.webhook_waiting
    commands = [
        queue_command(event, bot_uid, queue_max)
        for event, message in zip(events, messages, strict=True)
        if message
        for bot_uid in _addressed_bots(db, event.data["chat"], message)
    ]
    db.trip(*commands)


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove the webhooks of deleted accounts. Safe to run twice."""
    for event in events:
        context.db.trip(*_remove_commands(int(event.data["uid"])))


def _message_for_bots(event: Event) -> Read[Message | None]:
    """Read the message of an event, None if it is gone or written by a bot."""
    cid, message_id = event.data["chat"], event.data["id"]

    message = read(
        ("HGET", chat_keys.chat_messages(cid), message_id),
        lambda raw: parse_message(message_id, raw) if raw else None,
    )
    author = accounts.get(int(event.data["by"]))

    def written_by_person(found: tuple[Message | None, Member | None]) -> Message | None:
        message, author = found
        return message if author and not author.bot_owner else None

    return gather(message, author).map(written_by_person)


def _addressed_bots(db: Db, cid: str, message: Message) -> list[int]:
    """Return the bots that a message is for. At most three trips."""
    people: Iterable[Member | None]
    if is_direct(cid):
        people = [db.read(accounts.get(other_member_uid(cid, message.author_uid) or 0))]
    else:
        people = accounts.get_many_by_login(db, message.mentioned_logins()).values()
    bots = [member.uid for member in people if member and member.bot_owner]
    if not bots:
        return []
    scores = db.run(("ZMSCORE", chat_keys.chat_members(cid), *bots))
    return [bot for bot, score in zip(bots, scores, strict=True) if score]


def _remove_commands(bot_uid: int) -> list[Command]:
    removed_keys = (
        keys.webhook(bot_uid),
        keys.webhook_queue(bot_uid),
        keys.webhook_payloads(bot_uid),
        keys.webhook_failures(bot_uid),
    )
    due_webhooks = keys.due_webhooks(partition_of(bot_uid))
    return [("UNLINK", *removed_keys), ("ZREM", due_webhooks, bot_uid)]


def _parse_webhook(
    fields: Sequence[str | None], waiting: int, undelivered: list[UndeliveredMessage]
) -> Webhook | None:
    url, delivered, failures, error = fields
    if not url:
        return None
    return Webhook(
        url=url,
        last_delivered=from_unix_ms(int(delivered)) if delivered else None,
        failures=int(failures or 0),
        last_error=error or "",
        waiting=waiting,
        undelivered=undelivered,
    )


def _parse_undelivered(entry: str) -> UndeliveredMessage:
    payload = Payload.parse(entry)
    return UndeliveredMessage(
        cid=payload.cid,
        message_id=payload.message_id,
        queued_at=from_unix_ms(payload.queued_ms),
        tries=payload.tries,
        error=payload.error,
    )
