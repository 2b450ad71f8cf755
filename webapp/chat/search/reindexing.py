"""Index the messages of a site that had chats before there was an index of them."""

from collections.abc import Iterable, Iterator

from webapp.chat import keys as chat_keys
from webapp.chat.codec import parse_message
from webapp.chat.documents import message_document
from webapp.chat.inbox import keys as inbox_keys
from webapp.core.store import Db, Site, script

REINDEX = script("chat/search/lua/reindex.lua")
BATCH = 200  # messages of one trip


def reindex_chats_of(site: Site, uids: Iterable[int]) -> None:
    """Index all messages of the chats of which a member is the first. Safe to repeat.

    Two trips a member, one a chat, and two for each batch of messages.
    """
    for uid in uids:
        cids = site.db.run(("ZRANGE", inbox_keys.member_chats(uid), 0, -1))
        firsts = site.db.trip_all(("ZRANGE", chat_keys.chat_members(cid), 0, 0) for cid in cids)
        for cid, first in zip(cids, firsts, strict=True):
            if first == [str(uid)]:
                reindex_chat(site.db, cid)


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
    document = message_document(message.author_uid, message.content)
    yield from (message_id, raw, document.record, document.terms)
