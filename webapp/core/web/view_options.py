"""What a view declares about itself with decorators: one typed object that the view carries.

Everything else reads it from there: who may open the view, how large its forms may be, what is
prefetched for it, and whether visitors may get a cached page. Decorators that wrap a view must use
`functools.wraps`, which keeps its options.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from webapp.core.store.reads import Read

View = TypeVar("View", bound=Callable[..., Any])
MakeRead = Callable[..., Read[Any]]  # from a Requester and the view's arguments


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """The options of a view. Without any, it is for signed-in members."""

    public: bool = False
    storeless: bool = False
    pictures_max: int = 0  # uploaded pictures of one form
    prefetch: MakeRead | None = None
    cached_params: frozenset[str] | None = None  # None: never cached
    prefetch_in_cache: bool = False


DEFAULTS = ViewOptions()


def view_options(view: object) -> ViewOptions:
    """Return a view's options."""
    options: ViewOptions = getattr(view, "options", DEFAULTS)
    return options


def set_options(view: object, **changes: Any) -> None:
    """Change some of a view's options."""
    view.options = replace(view_options(view), **changes)  # type: ignore[attr-defined]


def public(view: View) -> View:
    """Open a view to visitors. Every other view redirects them to the sign-in."""
    set_options(view, public=True)
    return view


def storeless(view: View) -> View:
    """Open a view to everybody without loading a session, so that it works without the store."""
    set_options(view, storeless=True)
    return view


def accepts_uploads(pictures_max: int) -> Callable[[View], View]:
    """Let a view's form hold so many pictures besides its fields."""

    def decorate(view: View) -> View:
        set_options(view, pictures_max=pictures_max)
        return view

    return decorate
