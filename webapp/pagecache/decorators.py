"""What views say of pages that may be rendered once for all visitors (pagecache.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from flask import request

View = TypeVar("View", bound=Callable[..., Any])
CACHE_HINTS = "linnet.shared"  # in the environ of a request whose answer is for everybody: a Shared


class CacheHints:
    """What a view said of the page it rendered for every visitor."""

    uids: frozenset[int] | None = None  # the members on it; None: it did not say, so it is not kept


def cached(*names: str, prefetch: bool = False) -> Callable[[View], View]:
    """Let visitors get a cached page, for any values of the query parameters `names`; with others it is not cached.

    With `prefetch`, what the view prefetches travels with the cache lookup. Its `make` then runs outside a request.
    """

    def decorate(view: View) -> View:
        view.cached = frozenset(names)  # type: ignore[attr-defined]
        view.prefetch_in_cache = prefetch  # type: ignore[attr-defined]
        return view

    return decorate


def depends_on_members(uids: Iterable[int]) -> None:
    """Says that these members are on the page, by name, picture or words. A view that does not say it is not kept."""
    hints: CacheHints | None = request.environ.get(CACHE_HINTS)
    if hints:
        hints.uids = (hints.uids or frozenset()) | frozenset(uids)
