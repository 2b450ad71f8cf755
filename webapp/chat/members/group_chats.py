"""Make, change and delete group chats."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from webapp.accounts.store import link_mentions
from webapp.chat import keys as chat_keys
from webapp.chat.codec import dump_content
from webapp.chat.documents import NO_DOCUMENT, message_document
from webapp.chat.ids import digest
from webapp.chat.members import keys as member_keys
from webapp.chat.models import Content
from webapp.core.store import Db, Site, script

from . import policy

CREATE_GROUP_CHAT = script("chat/members/lua/create_group_chat.lua")
EDIT_GROUP_CHAT = script("chat/members/lua/edit_group_chat.lua")
DELETE_GROUP_CHAT = script("chat/members/lua/delete_group_chat.lua")
EDITABLE_FIELDS = {"name", "topic", "picture", "shared", "retention", "kind"}


def create(
    site: Site,
    uid: int,
    kind: str,
    name: str,
    member_uids: Sequence[int],
    content: Content | None,
    key: str,
    topic: str = "",
    shared: bool = False,
    retention: str = "history",
) -> str:
    """Make a group chat with its first members and message. Return its id.

    The same key and values give the same id. Members who do not follow its maker must accept first.
    At most ten trips. Raises NotFound, Forbidden (blocked), Conflict (full).
    """
    invitees = [member for member in dict.fromkeys(member_uids) if member != uid]
    form = kind, name, topic, shared, retention, sorted(invitees), content and content.text
    cid = _allocate_cid(site, uid, key, form)
    if site.db.run(("EXISTS", chat_keys.chat(cid))):
        return cid
    invite_check = policy.check_invitees(site, uid, invitees)
    policy.require_chat_quota(site, uid)
    site.run(
        CREATE_GROUP_CHAT,
        cid=cid,
        uid=uid,
        kind=kind,
        name=name,
        topic=topic,
        shared=int(shared),
        retention=retention,
        invitees=spaced(invitees),
        must_accept=spaced(invite_check.must_accept),
        bots=spaced(invite_check.bots),
        **_first_message(site.db, uid, content),
    )
    return cid


def change(site: Site, uid: int, cid: str, **fields: Any) -> None:
    """Change fields of a group chat (EDITABLE_FIELDS), as an owner. One trip.

    Raises NotFound, Forbidden, Unavailable.
    """
    assert fields and fields.keys() <= EDITABLE_FIELDS
    flat_fields = []
    for name, value in fields.items():
        flat_fields += [name, int(value) if name == "shared" else value]
    site.run(EDIT_GROUP_CHAT, cid=cid, uid=uid, fields=flat_fields)


def delete(site: Site, uid: int, cid: str) -> None:
    """Delete a group chat with all its messages, as an owner. One trip.

    Raises NotFound, Forbidden, Unavailable.
    """
    site.run(DELETE_GROUP_CHAT, cid=cid, uid=uid)


def spaced(uids: Sequence[int]) -> str:
    """Return uids as scripts take them: in one text, with spaces between."""
    return " ".join(map(str, uids))


def _allocate_cid(site: Site, uid: int, key: str, form: object) -> str:
    """Return the number of a new group chat. A form that is sent again gets the same. Two trips.

    A browser that goes back to a form sends its key again: changed, it makes another chat.
    """
    number = site.db.run(("INCR", member_keys.last_chat_id()))
    idempotency_key = member_keys.group_idempotency(uid, digest(f"{key} {form}"))
    seconds = site.config.post_key_hours * 3600
    previous = site.db.run(("SET", idempotency_key, number, "NX", "GET", "EX", seconds))
    return str(previous or number)


def _first_message(db: Db, uid: int, content: Content | None) -> dict[str, str]:
    if content:
        content = replace(content, entities=link_mentions(db, content.entities))
    document = message_document(uid, content) if content else NO_DOCUMENT
    body = dump_content(content) if content else ""
    return {"body": body, "record": document.record, "terms": document.terms}
