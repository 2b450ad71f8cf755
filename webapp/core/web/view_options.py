"""The options of a view: decorators set them on the view, and other modules read them there.

The options cover access, the size of forms, prefetched reads and the page cache. Decorators that
wrap a view must use `functools.wraps`, which keeps its options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RoutingException, Rule

from webapp.core.store import Read

View = TypeVar("View", bound=Callable[..., Any])
MakeRead = Callable[..., Read[Any]]  # from a Requester and the view's arguments


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """The options of a view. Without any, it is for signed-in members."""

    public: bool = False
    storeless: bool = False
    visits_storeless: bool = False
    secret_path: bool = False
    anonymous: bool = False
    pictures_max: int = 0  # uploaded pictures of one form
    limit: tuple[str, str] | None = None  # of rates: its bucket, and its setting
    prefetch: MakeRead | None = None
    cached_params: frozenset[str] | None = None  # None: never cached
    prefetch_in_cache: bool = False
    from_replicas: bool = False
    in_loop: bool = False


DEFAULTS = ViewOptions()
READINESS_ENDPOINT = "health.readyz"  # it has no session to load, but asks the store


def view_options(view: object) -> ViewOptions:
    """Return a view's options."""
    options: ViewOptions = getattr(view, "options", DEFAULTS)
    return options


def set_options(view: object, **changes: Any) -> None:
    """Change some of a view's options."""
    view.options = replace(view_options(view), **changes)  # type: ignore[attr-defined]


def option(**changes: Any) -> Callable[[View], View]:
    """Make a decorator that changes some of a view's options."""

    def decorate(view: View) -> View:
        set_options(view, **changes)
        return view

    return decorate


# Opens a view to visitors. Every other view redirects them to the sign-in.
public = option(public=True)
# Opens a view to everybody without loading a session: members get the page of visitors.
anonymous = option(public=True, anonymous=True)
# Lets a page be read from replicas for visitors. Its view writes nothing that it needs.
from_replicas = option(from_replicas=True)
# Runs a view in the event loop for members, where it holds no thread. It must wait for nothing but
# the store. If it computes for long, it pauses (greenlets.py).
in_loop = option(in_loop=True)
# Opens a view to everybody without loading a session, so that it works without the store.
storeless = option(storeless=True)
# Keeps the arguments of a view's path out of the log, because they are secrets.
secret_path = option(secret_path=True)
# Notes that a view shows its page to visitors without the store.
visits_storeless = option(visits_storeless=True)


def storeless_paths(app: Flask) -> Callable[[str, bool], bool]:
    """Return a function that tells whether a path, read by a visitor or not, needs no store."""
    rules = _rules_by_prefix(app, lambda options: options.storeless)
    prefixes = tuple(prefix for prefix, rule in rules if rule.endpoint != READINESS_ENDPOINT)
    visited = dict(_rules_by_prefix(app, lambda options: options.visits_storeless))
    return lambda path, is_visit: path.startswith(prefixes) or (is_visit and path in visited)


def loop_views(app: Flask) -> Callable[[str, str], bool]:
    """Return a function that tells whether the view of a path and method runs in event loops.

    None does where requests wait in their threads: for replicas, or until events are applied.
    """
    adapter, config = app.url_map.bind("localhost"), app.extensions["linnet.config"]
    if config.write_replicas or config.inline_projections:
        return lambda path, method: False

    def is_for_loop(path: str, method: str) -> bool:
        try:
            endpoint, _ = adapter.match(path.encode("latin-1").decode(errors="replace"), method)
        except (HTTPException, RoutingException):  # no view, or a redirect
            return False
        return view_options(app.view_functions[endpoint]).in_loop

    return is_for_loop


def secret_rules(app: Flask) -> dict[str, str]:
    """Return the rules whose paths hold secrets, by the prefix of these paths."""
    rules = _rules_by_prefix(app, lambda options: options.secret_path)
    return {prefix: rule.rule for prefix, rule in rules}


def _rules_by_prefix(
    app: Flask, has_option: Callable[[ViewOptions], bool]
) -> Iterator[tuple[str, Rule]]:
    """Yield the rules of views with an option, and the part of each before its arguments."""
    for rule in app.url_map.iter_rules():
        if has_option(view_options(app.view_functions[rule.endpoint])):
            yield rule.rule.partition("<")[0], rule


def accepts_uploads(pictures_max: int) -> Callable[[View], View]:
    """Let a view's form hold so many pictures besides its fields."""
    return option(pictures_max=pictures_max)
