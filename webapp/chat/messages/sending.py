"""Sending, editing and deleting messages, and reacting to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webapp.accounts.store import link_mentions
from webapp.chat import keys as chat_keys
from webapp.chat.codec import dump_content, parse_message
from webapp.chat.documents import NO_DOCUMENT, MessageDocument, message_document
from webapp.chat.ids import digest, direct_members, other_member_uid
from webapp.chat.members import policy
from webapp.chat.models import Content, Message
from webapp.core.errors import Forbidden, NotFound, Refused
from webapp.core.store import Db, Read, Site, read, script
from webapp.core.text.parser import Entity
from webapp.core.web import rate_limits

SEND = script("chat/messages/lua/send.lua")
CHANGE_MESSAGE = script("chat/messages/lua/change_message.lua")
REACT = script("chat/messages/lua/react.lua")


def send(site: Site, uid: int, cid: str, content: Content, idempotency_key: str) -> int:
    """Send a message and return its id: the same for the same text and pictures with the same key.

    One trip to a group chat; up to seven to a member, who may have to be asked first; two more with
    mentions. Raises NotFound, also for a reply to a message that the sender cannot see; Forbidden
    for somebody who is blocked, or no member or owner; Conflict while the other member has not
    answered; RateLimited.
    """
    # A browser that goes back to a form sends its key again: other content is a new message.
    pictures = (picture.digest for picture in content.pictures)
    key = digest(" ".join((idempotency_key, content.text, *pictures)))
    return _send(site, uid, cid, content, key, site.config.post_key_hours * 3600)


def send_once(site: Site, uid: int, cid: str, content: Content, key: str, key_seconds: int) -> int:
    """Send one message for a key, whatever the text, and return its id. Else as `send`."""
    return _send(site, uid, cid, content, digest(f" {key}"), key_seconds)


def _send(site: Site, uid: int, cid: str, content: Content, key: str, key_seconds: int) -> int:
    other_uid = other_member_uid(cid, uid)
    needs_request = other_uid is not None and _needs_request(site, uid, cid, other_uid)
    content = replace(content, entities=link_mentions(site.db, content.entities))
    document = message_document(uid, content)
    reply = site.run(
        SEND,
        cid=cid,
        partition=chat_keys.chat_partition(cid),
        key=key,
        uid=uid,
        body=dump_content(content),
        record=document.record,
        terms=document.terms,
        reply_to=content.reply_to or "",
        key_seconds=key_seconds,
        other=other_uid or "",
        needs_request=int(needs_request),
    )
    return int(reply)


def edit(
    site: Site,
    uid: int,
    cid: str,
    message_id: int,
    text: str | None,
    entities: tuple[Entity, ...] = (),
    alts: Sequence[str] = (),
) -> None:
    """Change one's own message: its text, unless None, and the descriptions of its pictures.

    The rest of it stays; so do the descriptions if `alts` has not one for each picture. These may
    be changed at any time. At most six trips. Raises NotFound; Forbidden; Conflict if it is too
    late, or the message was edited meanwhile; Refused if nothing is left of it.
    """
    message = site.db.read(_stored_message(cid, message_id))
    _require_no_block(site.db, uid, cid)
    content = message.content
    if text is not None:
        content = replace(content, text=text, entities=link_mentions(site.db, entities))
    if not (content.text or content.pictures or content.card):
        raise Refused("empty_message")
    if len(alts) == len(content.pictures):
        pairs = zip(content.pictures, alts, strict=True)
        content = replace(content, pictures=tuple(replace(one, alt=alt) for one, alt in pairs))
    has_same_text = content.text == message.text
    keeps_text = text is None or (has_same_text and content.pictures != message.pictures)
    bodies = message.raw, dump_content(content)
    _change(site, uid, cid, message_id, *bodies, keeps_text, message_document(uid, content))


def delete(site: Site, uid: int, cid: str, message_id: int) -> None:
    """Delete a message for everybody: one's own, or any as an owner. One trip.

    Does nothing if it is deleted already. Raises NotFound, Forbidden.
    """
    _change(site, uid, cid, message_id)


def react(site: Site, uid: int, cid: str, message_id: int, emoji: str, add: bool) -> None:
    """Add a reaction to a message, or remove it. At most three trips.

    Doing it again changes nothing. Raises NotFound, Forbidden, Conflict.
    """
    if add:
        _require_no_block(site.db, uid, cid)
    site.run(REACT, cid=cid, uid=uid, message_id=message_id, emoji=emoji, add=int(add))


def _needs_request(site: Site, uid: int, cid: str, other_uid: int) -> bool:
    """Return True if a first message to this member is a request. At most six trips.

    Raises Forbidden, NotFound, Conflict, and RateLimited for writing to many strangers.
    """
    if uid not in (direct_members(cid) or ()):
        raise Forbidden("not_in_chat")
    is_new_chat = not site.db.run(("EXISTS", chat_keys.chat(cid)))
    invite_check = policy.check_invitees(site, uid, [other_uid], is_new_chat)
    needs_request = bool(invite_check.must_accept)
    if is_new_chat:
        policy.require_chat_quota(site, uid)
    if is_new_chat and needs_request:
        rate_limits.consume(site.db, ("group", str(uid), site.config.limit_group))
    return needs_request


def _require_no_block(db: Db, uid: int, cid: str) -> None:
    """Raise Forbidden if one member of a direct chat blocks the other. At most two trips.

    Otherwise an old message could carry new words.
    """
    other_uid = other_member_uid(cid, uid)
    if other_uid is not None and policy.is_blocked(db, uid, other_uid):
        raise Forbidden("cannot_write_them")


def _stored_message(cid: str, message_id: int) -> Read[Message]:
    """Read a message, without a check of who may see it. Raises NotFound."""

    def parse(raw: str | None) -> Message:
        message = parse_message(message_id, raw) if raw else None
        if message is None or message.deleted:
            raise NotFound("no_message")
        return message

    return read(("HGET", chat_keys.chat_messages(cid), message_id), parse)


def _change(
    site: Site,
    uid: int,
    cid: str,
    message_id: int,
    old_body: str = "",
    new_body: str = "",
    keeps_text: bool = False,
    document: MessageDocument = NO_DOCUMENT,
) -> None:
    site.run(
        CHANGE_MESSAGE,
        cid=cid,
        uid=uid,
        message_id=message_id,
        old_body=old_body,
        new_body=new_body,
        keeps_text="1" if keeps_text else "",
        record=document.record,
        terms=document.terms,
        edit_window=site.config.chat_edit_hours * 3_600_000,
    )
