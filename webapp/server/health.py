"""The store of an app, and whether both are well: `/healthz` (this process) and `/readyz` (its store)."""

from __future__ import annotations

import atexit
import os
from dataclasses import replace

from flask import Blueprint, Flask

from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.core.web.context import db
from webapp.core.web.view_options import storeless
from webapp.errors import Unavailable

from . import embedded_store

STORE_STARTED_HERE = (
    "LINNET_STORE_STARTED_HERE"  # set in a process that started its store, and in its children
)
bp = Blueprint("health", __name__)


def ensure_store(config: Config) -> Config:
    """The configuration of an app whose store runs. Where nobody runs the embedded one yet, as under `flask run`, this
    process does, and applies the events itself since there is no worker either.
    """
    if not config.embedded:
        return config
    if not embedded_store.is_running(config.data_dir):
        atexit.register(embedded_store.stop, embedded_store.start(config.data_dir))
        os.environ[STORE_STARTED_HERE] = "1"
    # Flask's reloader serves from a child: there the store runs already, started by its parent.
    return (
        replace(config, inline_projections=True) if os.environ.get(STORE_STARTED_HERE) else config
    )


def init(app: Flask, config: Config) -> None:
    """Connects the app to its store. Raises StoreError."""
    app.extensions["linnet.config"] = config
    app.extensions["linnet.db"] = connect(config)


@bp.get("/healthz")
@storeless
def healthz() -> tuple[str, dict[str, str]]:
    """200 while this process serves."""
    return "ok\n", PLAIN_TEXT_HEADERS


@bp.get("/readyz")
@storeless
def readyz() -> tuple[str, int, dict[str, str]]:
    """200 while the store answers too, 503 otherwise."""
    try:
        db().on_every_primary("PING")
    except Unavailable as error:
        return f"{error.sentence}\n", 503, PLAIN_TEXT_HEADERS
    return "ok\n", 200, PLAIN_TEXT_HEADERS


PLAIN_TEXT_HEADERS = {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"}
