"""Index the messages of a site that had chats before there was an index of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from webapp.accounts import keys as account_keys
from webapp.chat import keys as chat_keys
from webapp.chat.codec import parse_message
from webapp.chat.documents import message_document
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.models import Draft
from webapp.core.store.client import Db
from webapp.core.store.scripts import script

REINDEX = script("chat/search/lua/reindex.lua")
BATCH = 200  # messages of one trip


def reindex_chats(db: Db, on_progress: Callable[[int], None]) -> None:
    """Index all messages of all members' chats. `on_progress` counts the members.

    A trip a member, one a chat, and two for each batch of messages. Safe to repeat, also while the
    site runs.
    """
    done: set[str] = set()
    last_uid = int(db.run(("GET", account_keys.last_uid())) or 0)
    for uid in range(1, last_uid + 1):
        for cid in db.run(("ZRANGE", inbox_keys.member_chats(uid), 0, -1)):
            if cid not in done:
                done.add(cid)
                reindex_chat(db, cid)
        on_progress(1)


def reindex_chat(db: Db, cid: str) -> int:
    """Index all messages of a chat. Return how many. Messages that change meanwhile do so too."""
    first, last = db.run(("HMGET", chat_keys.chat(cid), "first", "last"))
    count = 0
    for start in range(max(int(first or 1), 1), int(last or 0) + 1, BATCH):
        ids = range(start, min(start + BATCH, int(last) + 1))
        bodies = db.run(("HMGET", chat_keys.chat_messages(cid), *ids))
        documents = [
            part
            for message_id, raw in zip(ids, bodies, strict=True)
            if raw
            for part in _document(message_id, raw)
        ]
        if documents:
            count += db.run(REINDEX(cid=cid, documents=documents))
    return count


def _document(message_id: int, raw: str) -> Iterator[str | int]:
    """Yield the script's arguments for a message, none for a deleted one."""
    message = parse_message(message_id, raw)
    if message.deleted:
        return
    draft = Draft(message.text, message.entities, message.reply_to, message.pictures, message.card)
    document = message_document(message.author_uid, draft)
    yield from (message_id, raw, document.record, document.terms)
