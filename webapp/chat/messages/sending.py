"""Sending messages, and what may be done to them afterwards."""

from __future__ import annotations

from dataclasses import replace

from webapp.chat import keys as chat_keys
from webapp.chat.members import policy as members_policy
from webapp.chat.scripts import ChatScript
from webapp.chat.store import (
    Draft,
    Message,
    digest,
    message_from,
    other_member_uid,
    to_stored,
)
from webapp.config import Config
from webapp.core.events.outbox import request_id
from webapp.core.store.client import Db
from webapp.core.text.parser import Entity
from webapp.core.web import rate_limits
from webapp.errors import Forbidden, NotFound

SEND = ChatScript("chat/messages/lua/send.lua")
CHANGE = ChatScript("chat/messages/lua/change_message.lua")
REACT = ChatScript("chat/messages/lua/react.lua")


def send(db: Db, config: Config, uid: int, cid: str, draft: Draft, idempotency_key: str) -> int:
    """Sends a message and returns its id: the same again for the same text with the same key. To a group that is one
    trip; to a member it first asks whether they may be written to. Raises NotFound; Forbidden for who is no member or
    owner, or blocked; Conflict while they have not answered; Unavailable.
    """
    other_uid = other_member_uid(cid, uid)
    is_request = 0
    if other_uid is not None:
        is_request = _needs_request(db, config, uid, cid, other_uid)
    # A browser that goes back to a form keeps its key: with other words it is another message.
    key_digest = digest(f"{idempotency_key} {draft.text}")
    return int(
        db.run(
            SEND(
                cid,
                idempotency=chat_keys.message_idempotency(cid, uid, key_digest),
                uid=uid,
                body=to_stored(draft),
                key_seconds=config.post_key_hours * 3600,
                history_max=config.chat_history,
                other=other_uid or "",
                needs_request=is_request,
                request_max=config.chat_request_max,
                outbox_max=config.outbox_max,
                rid=request_id.get(),
            )
        )
    )


def edit(
    db: Db,
    config: Config,
    uid: int,
    cid: str,
    message_id: int,
    text: str,
    entities: tuple[Entity, ...] = (),
) -> None:
    """Changes the text of one's own message; the rest of it stays. Raises NotFound, Forbidden, Conflict when it is too
    late or somebody was quicker, Unavailable.
    """
    message = _load_message(db, cid, message_id)
    _require_no_block(db, uid, cid)
    draft = replace(_to_draft(message), text=text, entities=entities)
    _change(db, config, uid, cid, message_id, message.raw, to_stored(draft))


def delete(db: Db, config: Config, uid: int, cid: str, message_id: int) -> None:
    """Deletes a message for everybody: one's own, or any as an owner; again is no change. Raises NotFound, Forbidden,
    Unavailable.
    """
    _change(db, config, uid, cid, message_id, "", "")


def react(
    db: Db, config: Config, uid: int, cid: str, message_id: int, emoji: str, on: bool
) -> None:
    """Answers a message with an emoji, or takes that back; again is no change. Raises NotFound, Forbidden, Conflict."""
    if on:
        _require_no_block(db, uid, cid)
    db.run(
        REACT(
            cid,
            uid=uid,
            message_id=message_id,
            emoji=emoji,
            add=int(on),
            limit=config.chat_reactions_max,
        )
    )


def _needs_request(db: Db, config: Config, uid: int, cid: str, other_uid: int) -> int:
    """1 when a first message to this member is a request. Raises Forbidden, NotFound, Conflict, and RateLimited for who
    writes to many strangers.
    """
    if uid not in map(int, cid.split("-")):
        raise Forbidden("not_in_chat")
    is_new_chat = not db.run(("EXISTS", chat_keys.chat(cid)))
    needs_request = bool(
        members_policy.check_invitees(db, config, uid, [other_uid], is_new_chat).must_accept
    )
    if is_new_chat:
        members_policy.require_chat_quota(db, config, uid)
    if is_new_chat and needs_request:
        rate_limits.consume(db, ("group", str(uid), config.limit_group))
    return int(needs_request)


def _require_no_block(db: Db, uid: int, cid: str) -> None:
    """Raises Forbidden where one member of a direct chat blocks the other: no new words come by an old message."""
    other_uid = other_member_uid(cid, uid)
    if other_uid is not None and members_policy.is_blocked(db, uid, other_uid):
        raise Forbidden("cannot_write_them")


def _load_message(db: Db, cid: str, message_id: int) -> Message:
    raw = db.run(("HGET", chat_keys.chat_messages(cid), message_id))
    message = message_from(message_id, raw) if raw else None
    if message is None or message.deleted:
        raise NotFound("no_message")
    return message


def _to_draft(message: Message) -> Draft:
    return Draft(message.text, message.entities, message.reply_to, message.pictures, message.card)


def _change(
    db: Db, config: Config, uid: int, cid: str, message_id: int, old_body: str, new_body: str
) -> None:
    db.run(
        CHANGE(
            cid,
            uid=uid,
            message_id=message_id,
            old_body=old_body,
            new_body=new_body,
            edit_window=config.chat_edit_hours * 3_600_000,
            outbox_max=config.outbox_max,
        )
    )
