"""The order of replies that a request asks for."""

from __future__ import annotations

from dataclasses import replace

from flask import request

from webapp.core.web.context import config
from webapp.pagecache.decorators import cached_for

from .nodes import most_liked_first
from .store import Thread

SORTED_MAX = 100  # statuses that are sorted by likes; further ones follow by time, on other pages
SORTED_PAGE_SECONDS = 60  # a page for visitors is cached: likes alone do not renew it


def replies_wanted() -> int:
    """Return how many statuses below the one of the page to read."""
    return SORTED_MAX if _is_by_likes() else config().page_size


def in_wanted_order(thread: Thread) -> Thread:
    """Return a thread by time, or with the most liked direct replies first if asked for."""
    if not _is_by_likes():
        return thread
    cached_for(SORTED_PAGE_SECONDS)
    return replace(thread, by_likes=True, descendants=most_liked_first(thread.descendants))


def _is_by_likes() -> bool:
    return request.args.get("sort") == "likes" and not request.args.get("after")
