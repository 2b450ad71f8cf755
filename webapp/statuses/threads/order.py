"""The order of replies that a request asks for."""

from __future__ import annotations

from flask import request

from webapp.pagecache.decorators import cached_for

SORTED_PAGE_SECONDS = 60  # a page for visitors is cached: likes alone do not renew it


def is_by_likes() -> bool:
    """Return True if the request asks for the first page of replies, the most liked first."""
    if request.args.get("sort") != "likes" or request.args.get("after"):
        return False
    cached_for(SORTED_PAGE_SECONDS)
    return True
