"""What views need of the app that serves them: its store and its configuration."""

from __future__ import annotations

from typing import TypeVar, cast

from flask import current_app

from webapp.config import Config
from webapp.core.store.client import Db

T = TypeVar("T")


def unwrap(proxy: T) -> T:
    """What one of Flask's proxies (`g`, `request` …) stands for by now: it looks for that anew each time it is used."""
    return cast(T, proxy._get_current_object())  # type: ignore[attr-defined]


def db() -> Db:
    """The store of the current app."""
    return cast(Db, unwrap(current_app).extensions["linnet.db"])


def config() -> Config:
    """The configuration of the current app."""
    return cast(Config, unwrap(current_app).extensions["linnet.config"])
