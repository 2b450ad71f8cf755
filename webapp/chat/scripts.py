"""Scripts that work on one chat: their calls name the chat once, and its keys follow from it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from webapp.core.events import keys as event_keys
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script

from . import keys
from .members import keys as member_keys
from .search import keys as search_keys

KEYS_CACHE_SIZE = 4_096  # chats whose keys a process remembers
KEYS = {
    "chat": keys.chat,
    "members": keys.chat_members,
    "owners": keys.chat_owners,
    "visible_from": keys.chat_visible_from,
    "messages": keys.chat_messages,
    "reactions": keys.chat_reactions,
    "changes": keys.chat_changes,
    "postings": search_keys.chat_postings,
    "records": search_keys.chat_search_records,
    "read_receipts": keys.chat_read_receipts,
    "sent": keys.chat_sent,
    "fetch_positions": keys.chat_fetch_positions,
    "invites": member_keys.chat_invites,
    "removed": member_keys.chat_removed,
}


class ChatScript:
    """A script of one chat, called with the chat's id and its other keys and arguments by name.

    The keys of `chat_keys_by_name`, `cid` and `partition` are filled in where the script's header
    declares them.
    """

    def __init__(self, path: str) -> None:
        self.script = script(path)
        shared = {*KEYS, "outbox"}
        self._keys = [name.name for name in self.script.keys if name.name in shared]
        arguments = [name.name for name in self.script.arguments]
        self._takes_cid = "cid" in arguments
        self._takes_partition = "partition" in arguments

    def __call__(self, cid: str, **values: Any) -> Command:
        """Return the EVALSHA command. Raises TypeError on a missing or unknown name."""
        chat_keys = chat_keys_by_name(cid)
        values |= {name: chat_keys[name] for name in self._keys}
        if self._takes_cid:
            values["cid"] = cid
        if self._takes_partition:
            values["partition"] = keys.chat_partition(cid)
        return self.script(**values)


@lru_cache(KEYS_CACHE_SIZE)
def chat_keys_by_name(cid: str) -> dict[str, str]:
    """Return the keys of a chat and of its partition's outbox, by the names that scripts use."""
    outbox = event_keys.outbox(keys.chat_partition(cid))
    return {name: key(cid) for name, key in KEYS.items()} | {"outbox": outbox}
