"""Compare what search finds in chats with the model, and the index with the messages."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise, product

from tests.models.chat.model import Chat, Message
from webapp.chat.search import keys as search_keys
from webapp.chat.search.query import chat_plan, parse_query
from webapp.chat.search.store import Hit, Position, search
from webapp.core.search.plan import Plan
from webapp.core.store import Db, collect

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


def compare(db: Db, uids: Sequence[int], chats: Mapping[str, Chat], author: int) -> None:
    """Compare all pages of some queries of members in chats. `author`: the uid of AUTHOR.

    A page after the last may be empty. Everything is found once, newest first.
    """
    searches = list(product(uids, QUERIES))
    for (uid, text), found in zip(searches, _all_hits(db, searches, list(chats)), strict=True):
        expected = {
            (cid, message_id)
            for cid, chat in chats.items()
            if uid in chat.members
            for message_id, message in chat.visible(uid).items()
            if not message.deleted and QUERIES[text](message, author)
        }
        seen = [hit.position for hit in found]
        assert seen == sorted({hit.position for hit in found}, reverse=True)
        assert {(hit.chat.id, hit.message.id) for hit in found} == expected, text
        for newer, older in pairwise(found):
            assert newer.message.sent_at >= older.message.sent_at


def _all_hits(db: Db, searches: Sequence[tuple[int, str]], cids: Sequence[str]) -> list[list[Hit]]:
    """Return what each member's query finds, page by page, with one trip for a page of all."""
    plans = dict(zip(QUERIES, db.read(collect(map(chat_plan, _parsed()))), strict=True))
    found: list[list[Hit]] = [[] for _ in searches]
    cursors: dict[int, Position | None] = dict.fromkeys(range(len(searches)))
    while cursors:
        reads = []
        for number, cursor in cursors.items():
            uid, text = searches[number]
            reads.append(search(uid, cids, plans[text], cursor, PAGE_SIZE))
        pages = dict(zip(cursors, db.read(collect(reads)), strict=True))
        for number, page in pages.items():
            assert len(page.hits) <= PAGE_SIZE
            found[number] += page.hits
        cursors = {number: page.next for number, page in pages.items() if page.next}
    return found


@cache
def _parsed() -> list[Plan]:
    """Return the plans of all queries. What they say does not depend on a store."""
    return [parse_query(text).plan for text in QUERIES]


def compare_index(db: Db, cid: str, chat: Chat) -> None:
    """Assert that the index has the messages of a chat that are not deleted, and no others."""
    kept = {number for number, message in chat.messages.items() if not message.deleted}
    assert set(map(int, db.run(("HKEYS", search_keys.chat_search_records(cid))))) == kept
    postings = db.run(("ZRANGE", search_keys.chat_postings(cid), 0, -1))
    assert {int(re.findall(r"\d+$", posting)[0]) for posting in postings} == kept
