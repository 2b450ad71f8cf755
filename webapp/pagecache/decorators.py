"""What views say of pages that may be rendered once for all visitors (pagecache.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from flask import request

from webapp.core.store.client import Command

View = TypeVar("View", bound=Callable[..., Any])
CACHE_HINTS = "linnet.shared"  # in the environ of a request whose answer is for everybody: a Shared


class CacheHints:
    """What a view said of the page it rendered for everybody; `beside`: what was read with the look for a kept one."""

    uids: frozenset[int] | None = None  # the members on it; None: it did not say, so it is not kept

    def __init__(self, prefetched: Sequence[Any] = ()) -> None:
        self.prefetched = prefetched


def cached(*names: str, prefetch: Callable[..., Command] | None = None) -> Callable[[View], View]:
    """Lets a view's page be kept for visitors, whatever its parameters of these names; with others it is not. `beside`:
    makes a command of the view's arguments, to be sent in the trip that looks for a kept page (`told_beside`).
    """

    def decorate(view: View) -> View:
        view.cached = frozenset(names)  # type: ignore[attr-defined]
        view.cache_prefetch = (prefetch,) if prefetch else ()  # type: ignore[attr-defined]
        return view

    return decorate


def prefetched_replies() -> Sequence[Any]:
    """The replies to what was sent beside the look for a kept page; none where nobody looked for one."""
    hints: CacheHints | None = request.environ.get(CACHE_HINTS)
    return hints.prefetched if hints else ()


def depends_on_members(uids: Iterable[int]) -> None:
    """Says that these members are on the page, by name, picture or words. A view that does not say it is not kept."""
    hints: CacheHints | None = request.environ.get(CACHE_HINTS)
    if hints:
        hints.uids = (hints.uids or frozenset()) | frozenset(uids)
