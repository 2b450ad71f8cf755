"""The pages of search: in one chat, and in all chats of a member, with excerpts."""

from collections.abc import Sequence

from flask import g, request

from webapp.accounts import store as accounts
from webapp.chat import reading
from webapp.chat.ids import direct_members
from webapp.chat.inbox import listing
from webapp.chat.inbox.listing import ListEntry
from webapp.chat.models import Chat
from webapp.chat.web import chat_blueprint
from webapp.core.search.problems import describe
from webapp.core.search.syntax import Query
from webapp.core.text.folding import fold
from webapp.core.web import Response, config, consume_for_requester, db, prefetch, private_page

from . import store
from .query import ChatPlan, chat_plan, parse_query, query_words
from .store import NOTHING, Found, Position, parse_cursor

bp = chat_blueprint("chat_search", __name__)
CHATS_MAX = 50  # chats that are searched together
EXCERPT_MAX = 240  # characters
LEAD = 60  # characters before the first word that was searched for


@bp.get("/search")
@prefetch(lambda requester: listing.list_entries(requester.uid or accounts.NO_UID))
def show_all(entries: list[ListEntry]) -> Response:
    """Search the member's chats for `q`: those with the newest messages. Requests are left out."""
    query, cursor = parse_query(request.args.get("q", "")), parse_cursor(request.args.get("before"))
    cids = [entry.cid for entry in entries if not entry.request_state]
    found = NOTHING
    if not query.plan.is_empty:
        consume_for_requester("search")
        plan = db().read(chat_plan(query.plan))
        found = _search(cids[:CHATS_MAX], plan, cursor)
    return _render(query, found, is_cut=len(cids) > CHATS_MAX)


@bp.get("/<cid:cid>/search")
def show(cid: str) -> Response:
    """Search a chat that the member belongs to for `q`."""
    query, cursor = parse_query(request.args.get("q", "")), parse_cursor(request.args.get("before"))
    if not query.plan.is_empty:
        consume_for_requester("search")
    page, plan = db().fetch(reading.open_chat(g.viewer.uid, cid), chat_plan(query.plan))
    found = NOTHING if query.plan.is_empty else _search([cid], plan, cursor)
    return _render(query, found, page.chat)


def _search(cids: Sequence[str], plan: ChatPlan, cursor: Position | None) -> Found:
    return db().read(store.search(g.viewer.uid, cids, plan, cursor, config().page_size))


def _render(
    query: Query, found: Found, chat: Chat | None = None, *, is_cut: bool = False
) -> Response:
    """Render a page of results. One trip. `is_cut`: some chats were not searched."""
    chats = [hit.chat for hit in found.hits] + ([chat] if chat else [])
    uids = {uid for one in chats for uid in direct_members(one.id) or ()}
    uids.update(hit.message.author_uid for hit in found.hits)
    words = query_words(query)
    return private_page(
        "chat/search.html",
        chat=chat,
        query=query,
        problems=[describe(problem) for problem in query.problems],
        found=found,
        people=db().read(accounts.get_many(sorted(uids))),
        excerpts=[excerpt(hit.message.text, words) for hit in found.hits],
        is_cut=is_cut,
    )


def excerpt(text: str, words: Sequence[str]) -> str:
    """Return the part of a text around the first of some words, all of a short one."""
    flat = " ".join(text.split())
    if len(flat) <= EXCERPT_MAX:
        return flat
    start = max(_first_place(flat, words) - LEAD, 0)
    if start:
        start = flat.find(" ", start, start + LEAD) + 1 or start
    excerpt = flat[start : start + EXCERPT_MAX]
    end = "…" if start + EXCERPT_MAX < len(flat) else ""
    return f"{'…' if start else ''}{excerpt}{end}"


def _first_place(text: str, words: Sequence[str]) -> int:
    """Return the place of the first of some words, 0 without any. Case does not matter."""
    folded = [fold(char) for char in text]
    # A folded character may be several: the place in the text of each.
    places = [place for place, chars in enumerate(folded) for _ in chars]
    whole = "".join(folded)
    found = [whole.find(fold(word)) for word in words]
    return min((places[place] for place in found if place >= 0), default=0)
