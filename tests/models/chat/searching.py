"""Compare what search finds in chats with the model, and the index with the messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise

from tests.models.chat.model import Chat, Message
from webapp.chat.search import keys as search_keys
from webapp.chat.search.query import chat_plan, parse_query
from webapp.chat.search.store import Hit, search
from webapp.core.store.client import Db

PAGE_SIZE = 2
AUTHOR = "lark"  # who is searched for
Matches = Callable[[Message, int], bool]
QUERIES: dict[str, Matches] = {
    "messages": lambda message, _: "message" in message.text,  # in another form
    '"edited by"': lambda message, _: message.text.startswith("edited"),
    "-edited": lambda message, _: "edited" not in message.text,
    "hello OR edited": lambda message, _: "message" not in message.text,
    f"from:{AUTHOR}": lambda message, author: message.author == author,
    f"message -from:{AUTHOR}": lambda message, author: (
        "message" in message.text and message.author != author
    ),
    "has:media": lambda *_: False,
    "since:2020-01-01 message": lambda message, _: "message" in message.text,
    "until:2026-01-02 message": lambda *_: False,
}


def compare(db: Db, uid: int, chats: Mapping[str, Chat], author: int) -> None:
    """Compare all pages of some queries in chats. `author`: the uid of AUTHOR.

    A page after the last may be empty. Everything is found once, newest first.
    """
    for text, matches in QUERIES.items():
        expected = {
            (cid, message_id)
            for cid, chat in chats.items()
            if uid in chat.members
            for message_id, message in chat.visible(uid).items()
            if not message.deleted and matches(message, author)
        }
        found = all_hits(db, uid, list(chats), text)
        assert [hit.position for hit in found] == sorted(
            {hit.position for hit in found}, reverse=True
        )
        assert {(hit.chat.id, hit.message.id) for hit in found} == expected, text
        for newer, older in pairwise(found):
            assert newer.message.sent_at >= older.message.sent_at


def all_hits(db: Db, uid: int, cids: list[str], text: str) -> list[Hit]:
    """Return what a query finds, page by page."""
    plan = db.read(chat_plan(parse_query(text).plan))
    page = db.read(search(uid, cids, plan, None, PAGE_SIZE))
    found = list(page.hits)
    while page.next:
        assert len(page.hits) <= PAGE_SIZE
        page = db.read(search(uid, cids, plan, page.next, PAGE_SIZE))
        found += page.hits
    return found


def compare_index(db: Db, cid: str, chat: Chat) -> None:
    """Assert that the index has the messages of a chat that are not deleted, and no others."""
    kept = {number for number, message in chat.messages.items() if not message.deleted}
    assert set(map(int, db.run(("HKEYS", search_keys.chat_search_records(cid))))) == kept
    postings = db.run(("ZRANGE", search_keys.chat_postings(cid), 0, -1))
    assert {int(re.findall(r"\d+$", posting)[0]) for posting in postings} == kept
