"""What views say of pages that may be rendered once for all visitors (pagecache.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from flask import request

View = TypeVar("View", bound=Callable[..., Any])
SHARED = "linnet.shared"  # in the environ of a request whose answer is for everybody: a Shared


class Shared:
    """What a view said of the page it rendered for everybody."""

    uids: frozenset[int] | None = None  # the members on it; None: it did not say, so it is not kept


def cached(*names: str) -> Callable[[View], View]:
    """Lets a view's page be kept for visitors, whatever its parameters of these names; with others it is not."""

    def mark(view: View) -> View:
        view.cached = frozenset(names)  # type: ignore[attr-defined]
        return view

    return mark


def shows(uids: Iterable[int]) -> None:
    """Says that these members are on the page, by name, picture or words. A view that does not say it is not kept."""
    shared: Shared | None = request.environ.get(SHARED)
    if shared:
        shared.uids = (shared.uids or frozenset()) | frozenset(uids)
