"""Sending messages, and what may be done to them afterwards."""

from __future__ import annotations

from dataclasses import replace

from .. import keys, limits
from ..config import Config
from ..db import Db
from ..errors import Forbidden, NotFound
from ..events import trace
from ..scripts import script
from ..text import Entity
from . import asking
from .store import Draft, Message, body, digest, message_from, names, other

SEND = script("chat/send.lua")
CHANGE = script("chat/change_message.lua")
REACT = script("chat/react.lua")


def send(db: Db, config: Config, uid: int, cid: str, draft: Draft, key: str) -> int:
    """Sends a message and returns its id: the same again for the same text with the same key. To a group that is one
    trip; to a member it first asks whether they may be written to. Raises NotFound; Forbidden for who is no member or
    owner, or blocked; Conflict while they have not answered; Unavailable.
    """
    to = other(cid, uid)
    ask = 0
    if to is not None:
        ask = _asked(db, config, uid, cid, to)
    # A browser that goes back to a form keeps its key: with other words it is another message.
    form = digest(f"{key} {draft.text}")
    return int(
        db.run(
            SEND(
                [*names(cid), keys.sent(cid, uid, form)],
                *(cid, keys.chat_partition(cid), uid, body(draft), config.post_key_hours * 3600, config.chat_history),
                *(config.outbox_max, *trace(), to or "", ask, config.chat_request_max),
            )
        )
    )


def edit(
    db: Db, config: Config, uid: int, cid: str, message_id: int, text: str, entities: tuple[Entity, ...] = ()
) -> None:
    """Changes the text of one's own message; the rest of it stays. Raises NotFound, Forbidden, Conflict when it is too
    late or somebody was quicker, Unavailable.
    """
    was = _read(db, cid, message_id)
    _check_blocks(db, uid, cid)
    draft = replace(_draft(was), text=text, entities=entities)
    _change(db, config, uid, cid, message_id, was.raw, body(draft))


def delete(db: Db, config: Config, uid: int, cid: str, message_id: int) -> None:
    """Deletes a message for everybody: one's own, or any as an owner; again is no change. Raises NotFound, Forbidden,
    Unavailable.
    """
    _change(db, config, uid, cid, message_id, "", "")


def react(db: Db, config: Config, uid: int, cid: str, message_id: int, emoji: str, on: bool) -> None:
    """Answers a message with an emoji, or takes that back; again is no change. Raises NotFound, Forbidden, Conflict."""
    if on:
        _check_blocks(db, uid, cid)
    db.run(REACT(names(cid), cid, uid, message_id, emoji, int(on), config.chat_reactions_max))


def _asked(db: Db, config: Config, uid: int, cid: str, to: int) -> int:
    """1 when a first message to this member is a request. Raises Forbidden, NotFound, Conflict, and RateLimited for who
    writes to many strangers.
    """
    if uid not in map(int, cid.split("-")):
        raise Forbidden("not_in_chat")
    new = not db.run(("EXISTS", keys.chat(cid)))
    asked = bool(asking.invited(db, config, uid, [to], new).asked)
    if new:
        asking.check_own_room(db, config, uid)
    if new and asked:
        limits.take(db, ("group", str(uid), config.limit_group))
    return int(asked)


def _check_blocks(db: Db, uid: int, cid: str) -> None:
    """Raises Forbidden where one member of a direct chat blocks the other: no new words come by an old message."""
    to = other(cid, uid)
    if to is not None and asking.blocked(db, uid, to):
        raise Forbidden("cannot_write_them")


def _read(db: Db, cid: str, message_id: int) -> Message:
    raw = db.run(("HGET", keys.chat_messages(cid), message_id))
    message = message_from(message_id, raw) if raw else None
    if message is None or message.deleted:
        raise NotFound("no_message")
    return message


def _draft(message: Message) -> Draft:
    return Draft(message.text, message.entities, message.reply, message.pictures, message.card)


def _change(db: Db, config: Config, uid: int, cid: str, message_id: int, was: str, becomes: str) -> None:
    db.run(
        CHANGE(
            names(cid),
            *(cid, keys.chat_partition(cid), uid, message_id, was, becomes),
            *(config.chat_edit_hours * 3_600_000, config.outbox_max),
        )
    )
