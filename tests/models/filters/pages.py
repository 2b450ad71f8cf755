"""Tokens of pages: statuses, folded statuses, boosts, quote cards, and the next page."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from flask.testing import FlaskClient

from webapp.core.errors import Forbidden, NotFound

PAGES = 3  # compared in a row
# The groups of VISIBLE, in order.
BOOST, FILTERED, STATUS, QUOTE_CARD, GAP = range(1, 6)
VISIBLE = re.compile(
    r'<p class="boosted" data-boost="(\d+)"|<details class="filtered"><summary>.*?<bdi>(.*?)</bdi>'
    r'|<article [^>]*id="status-(\d+)"|<a class="post-card" href="/@\w+/(\d+)"'
    r'|<p class="thread-(gap)"',
    re.DOTALL,
)
NOTIFICATION = re.compile(
    r'<p class="notification-status"[^>]*><a href="/@\w+/(\d+)">(?:Filtered: <bdi>(.*?)</bdi>)?'
)
NOTIFICATION_START = '<li class="notification'
NEXT_PAGE = re.compile(r'<a\s(?=[^>]*rel="next")[^>]*href="[^"?]+\?(?:max_id|after)=([^"&]+)"')
HIDDEN_COUNT = re.compile(r"Your filters hide (\d+) post")
# A group of VISIBLE, with the boost's id, the filter's words or the status's id.
Token = tuple[int, str]


def walk_pages(
    client: FlaskClient, path: str, cursor_name: str, read: Callable[[Any], Any]
) -> Iterator[tuple[str, Any]]:
    """Yield each page as shown and as read; both must have the same next page."""
    cursor: Any = None
    for _ in range(PAGES):
        try:
            page = read(cursor)
        except (NotFound, Forbidden) as refusal:
            assert client.get(path).status_code == refusal.status
            return
        query = {cursor_name: cursor} if cursor is not None else {}
        response = client.get(path, query_string=query)
        assert response.status_code == 200, path
        html = response.text.partition("<main")[2]
        yield html, page
        cursor = page.next
        link = NEXT_PAGE.search(html)
        assert (link[1] if link else None) == (str(cursor) if cursor is not None else None), path
        if cursor is None:
            return


def visible_tokens(html: str) -> list[Token]:
    """Return what a page shows, in order."""
    matches = VISIBLE.finditer(html)
    return [(kind, match[kind]) for match in matches if (kind := match.lastindex)]


def without_cards(tokens: list[Token]) -> list[Token]:
    """Return tokens without quote cards, and without the words for which cards are folded."""
    followers = (*tokens[1:], (STATUS, ""))
    return [
        token
        for token, follower in zip(tokens, followers, strict=False)
        if token[0] != QUOTE_CARD and (token[0] != FILTERED or follower[0] != QUOTE_CARD)
    ]


def hidden_count(html: str) -> int:
    """Return the number of statuses that filters hide, according to the page."""
    match = HIDDEN_COUNT.search(html)
    return int(match[1]) if match else 0
