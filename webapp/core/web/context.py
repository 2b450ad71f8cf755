"""What views need of the app that serves them: its store and its configuration."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TypeVar, cast

from flask import current_app, g

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Unavailable

T = TypeVar("T")


def unwrap(proxy: T) -> T:
    """What one of Flask's proxies (`g`, `request` …) stands for by now: it looks for that anew each time it is used."""
    return cast(T, proxy._get_current_object())  # type: ignore[attr-defined]


def viewer_context() -> Sequence[Any]:
    """What all pages show of the member who asks, as the app's `linnet.viewer_context` asks for it: read beside the session or,
    where a form was sent, which most often leads to another page, once one is shown all the same. Nothing for
    visitors, nor where the store does not answer.
    """
    request_g = unwrap(g)
    if "viewer_context" not in request_g:
        request_g.viewer_context = ()
        if request_g.get("viewer"):
            with suppress(Unavailable):
                request_g.viewer_context = db().trip(
                    *(make(request_g.viewer.uid, "") for make in current_app.extensions["linnet.viewer_context"])
                )
    return cast("Sequence[Any]", request_g.viewer_context)


def db() -> Db:
    """The store of the current app."""
    return cast(Db, unwrap(current_app).extensions["linnet.db"])


def config() -> Config:
    """The configuration of the current app."""
    return cast(Config, unwrap(current_app).extensions["linnet.config"])
