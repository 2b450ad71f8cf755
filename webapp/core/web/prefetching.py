"""Reads that travel with the session's: they are sent before it is known who asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any

from flask import Flask, current_app, g, request

from webapp.core.errors import Refused, Unavailable
from webapp.core.store import Read, collect
from webapp.core.store.reads import failing

from .context import db, unwrap
from .view_options import MakeRead, set_options, view_options


@dataclass(frozen=True, slots=True)
class Requester:
    """The member whom a cookie or a token names, and the key of its session or of the token.

    Visitors have neither. Nothing is checked yet, so a read made for a requester must not change
    anything unless its script checks that key.
    """

    uid: int | None = None
    session_key: str = ""


VISITOR = Requester()
PREFETCHED = "linnet.prefetched"  # in a WSGI environ: a call gives the page cache's result


def prefetch(make: MakeRead) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Send a view's read with the session's. Its result is the view's first argument.

    `make` gets a Requester and the view's arguments. A refusal is raised when the view runs.
    Visitors have no session to load, so for them the read is the first trip.
    """

    def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def with_result(**arguments: Any) -> Any:
            return view(_result(make, arguments), **arguments)

        set_options(with_result, prefetch=make)
        return with_result

    return decorate


def page_read(view: object, requester: Requester, arguments: Mapping[str, Any]) -> Read[Any] | None:
    """Return the read that a view prefetches, or None."""
    make = view_options(view).prefetch
    if make is None:
        return None
    try:
        return make(requester, **arguments)
    except Refused as refusal:
        return failing(refusal)


def set_viewer_context(app: Flask, reads: Mapping[str, Callable[[int], Read[Any]]]) -> None:
    """Register values that every page shows of its viewer, by name; each read takes the uid."""
    app.extensions["linnet.viewer_context"] = dict(reads)


def viewer_context_read(app: Flask, uid: int) -> Read[dict[str, Any]]:
    """Return the read of everything registered with `set_viewer_context`."""
    reads = app.extensions["linnet.viewer_context"]
    return collect(make(uid) for make in reads.values()).map(
        lambda found: dict(zip(reads, found, strict=True))
    )


def viewer_context() -> Mapping[str, Any]:
    """Return the values that every page shows of its viewer, by name.

    Pages get it with the session. After a form it is read once a page is shown: one trip.
    Empty for visitors, and where the store does not answer.
    """
    request_g = unwrap(g)
    if "viewer_context" not in request_g:
        request_g.viewer_context = {}
        if request_g.get("viewer"):
            with suppress(Unavailable):
                read = viewer_context_read(unwrap(current_app), request_g.viewer.uid)
                request_g.viewer_context = db().read(read)
    context: Mapping[str, Any] = request_g.viewer_context
    return context


def _result(make: MakeRead, arguments: dict[str, Any]) -> Any:
    """Return the result prefetched with the session or the cached page; else read it now."""
    prefetched = unwrap(g).get("prefetched") or unwrap(request).environ.get(PREFETCHED)
    if prefetched is None:
        return db().read(make(VISITOR, **arguments))
    return prefetched()
