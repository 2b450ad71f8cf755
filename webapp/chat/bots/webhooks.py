"""Webhooks: a bot's owner gets each message that mentions the bot, or is sent to it alone.

This module sets webhooks up and queues messages for them; webhook_delivery.py makes the requests.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from webapp.chat.codec import from_unix_ms
from webapp.core.net import encryption
from webapp.core.store import Db, Read, Site, gather, read, script

from . import keys
from .deliveries import UNDELIVERED_MAX, Payload
from .projections import remove_commands

WEBHOOK_FIELDS = ("url", "delivered", "failures", "error", "answer_error")
SET_WEBHOOK = script("chat/bots/lua/set_webhook.lua")


@dataclass(frozen=True, slots=True)
class Webhook:
    """The webhook of a bot, with the state of its deliveries.

    `failures` counts consecutive failures; `last_error` is the newest. `waiting` counts queued
    messages. `undelivered` lists messages that were given up, newest first. `answer_error` is the
    error code if the newest answer could not be sent, otherwise empty.
    """

    url: str
    last_delivered: datetime | None
    failures: int
    last_error: str
    answer_error: str
    waiting: int
    undelivered: list[Payload]


def set_webhook(site: Site, bot_uid: int, url: str) -> str:
    """Set a bot's webhook. Return the secret that signs its requests, which is not shown again.

    One trip. Raises NotFound.
    """
    secret = f"whsec_{secrets.token_urlsafe(32)}"
    site.run(
        SET_WEBHOOK,
        uid=bot_uid,
        url=url,
        sealed_secret=encryption.seal(site.config, secret_purpose(bot_uid), secret),
    )
    return secret


def remove_webhook(db: Db, bot_uid: int) -> None:
    """Remove a bot's webhook and its queue. One trip."""
    db.trip(*remove_commands(bot_uid))


def get_webhook(bot_uid: int) -> Read[Webhook | None]:
    """Read a bot's webhook, None without one."""
    fields = read(("HMGET", keys.webhook(bot_uid), *WEBHOOK_FIELDS), list)
    waiting = read(("ZCARD", keys.webhook_queue(bot_uid)), int)
    undelivered = read(
        ("LRANGE", keys.webhook_failures(bot_uid), 0, UNDELIVERED_MAX - 1),
        lambda entries: list(map(Payload.parse, entries)),
    )
    return gather(fields, waiting, undelivered).map(lambda found: _parse_webhook(*found))


def secret_purpose(bot_uid: int) -> str:
    """Return the purpose for which the secret of a bot's webhook is sealed."""
    return f"webhook {bot_uid}"


def _parse_webhook(
    fields: Sequence[str | None], waiting: int, undelivered: list[Payload]
) -> Webhook | None:
    url, delivered, failures, error, answer_error = fields
    if not url:
        return None
    return Webhook(
        url=url,
        last_delivered=from_unix_ms(int(delivered)) if delivered else None,
        failures=int(failures or 0),
        last_error=error or "",
        answer_error=answer_error or "",
        waiting=waiting,
        undelivered=undelivered,
    )
