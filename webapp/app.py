"""What views need of the app that serves them: its store and its configuration."""

from __future__ import annotations

from typing import cast

from flask import current_app

from .config import Config
from .db import Db


def db() -> Db:
    """The store of the current app."""
    return cast(Db, current_app.extensions["linnet.db"])


def config() -> Config:
    """The configuration of the current app."""
    return cast(Config, current_app.extensions["linnet.config"])
