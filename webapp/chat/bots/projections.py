"""Projections about bots: deliveries to their webhooks, and changes to accounts of their owners."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from webapp.accounts import lifecycle, store as accounts
from webapp.accounts.store import Member
from webapp.accounts.tokens import store as tokens
from webapp.chat import keys as chat_keys
from webapp.chat.codec import parse_message
from webapp.chat.ids import is_direct, other_member_uid
from webapp.chat.models import Message
from webapp.core.errors import Conflict, NotFound
from webapp.core.events.outbox import Context, Event
from webapp.core.store import (
    Command,
    Db,
    Read,
    Site,
    collect,
    gather,
    listed_in,
    partition_of,
    read,
)

from . import keys
from .deliveries import queue_command
from .store import bot_uids

UNBOUNDED_OUTBOX = 2**53  # an outbox that takes an event however many wait


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


def purge_webhooks(context: Context, events: Sequence[Event]) -> None:
    """Remove the webhooks of deleted accounts. Safe to run twice."""
    for event in events:
        context.db.trip(*remove_commands(event.number("uid")))


def purge_bots(context: Context, events: Sequence[Event]) -> None:
    """Delete the bots of deleted accounts. Safe to run twice."""
    # An event that waited for room in its own partition would wait for itself.
    unbounded = Site(context.db, replace(context.config, outbox_max=UNBOUNDED_OUTBOX))
    for event in events:
        uid = event.number("uid")
        for bot_uid in context.db.read(bot_uids(uid)):
            with suppress(NotFound, Conflict):
                lifecycle.delete_account(unbounded, bot_uid, None)
        context.db.run(("UNLINK", keys.bots(uid)))


def revoke_tokens(context: Context, events: Sequence[Event]) -> None:
    """Revoke the tokens of the bots of members who revoked all of theirs. Safe to run twice.

    Tokens that were created after the event stay.
    """
    for event in events:
        created_until = int(event.id.partition("-")[0]) // 1000
        for bot_uid in context.db.read(bot_uids(event.number("uid"))):
            tokens.revoke_before(context, bot_uid, created_until)


def _message_for_bots(event: Event) -> Read[Message | None]:
    """Read the message of an event, None if it is gone or written by a bot."""
    cid, message_id = event.data["chat"], event.data["id"]

    message = read(
        ("HGET", chat_keys.chat_messages(cid), message_id),
        lambda raw: parse_message(message_id, raw) if raw else None,
    )
    author = accounts.get(event.number("uid"))

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
    return db.read(listed_in(chat_keys.chat_members(cid), bots))


def remove_commands(bot_uid: int) -> list[Command]:
    """Return the commands that remove a bot's webhook and its queue."""
    removed_keys = (
        keys.webhook(bot_uid),
        keys.webhook_queue(bot_uid),
        keys.webhook_payloads(bot_uid),
        keys.webhook_failures(bot_uid),
    )
    due_webhooks = keys.due_webhooks(partition_of(bot_uid))
    return [("UNLINK", *removed_keys), ("ZREM", due_webhooks, bot_uid)]
