"""Declare views whose pages are cached for visitors, and the members whom a page depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flask import request

from webapp.core.web.context import SHARED_PAGE
from webapp.core.web.view_options import View, option


class CacheHints:
    """Facts that a view declares while it renders a page for all visitors."""

    uids: frozenset[int] | None = None  # members on the page; None if the view did not say
    seconds: int | None = None  # how long the page is cached; None: as long as any


def cached(*params: str, prefetch: bool = False) -> Callable[[View], View]:
    """Open a view to visitors, and let them get a cached page.

    It is cached for any values of these query parameters, but of no others. Such pages are rendered
    from replicas, where READ_REPLICAS is on. With `prefetch`, the view's read travels with the
    cache lookup. Its `make` then runs outside a request.
    """
    return option(
        public=True,
        cached_params=frozenset(params),
        prefetch_in_cache=prefetch,
        from_replicas=True,
    )


def depends_on_members(uids: Iterable[int]) -> None:
    """Declare whose name, picture or words are on the page: it is outdated once they change.

    A page whose view does not declare this is not cached.
    """
    hints: CacheHints | None = request.environ.get(SHARED_PAGE)
    if hints:
        hints.uids = (hints.uids or frozenset()) | frozenset(uids)


def cached_for(seconds: int) -> None:
    """Declare that the page is cached so long at most. No event that changes it needs to drop it.

    An event that hides something on it does.
    """
    hints: CacheHints | None = request.environ.get(SHARED_PAGE)
    if hints:
        hints.seconds = seconds
