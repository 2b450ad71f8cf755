"""Linnet: a social site on Flask, Jinja and Redis. `webapp/app.py` wires it, in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

    from .config import Config


def create_app(config: Config | Mapping[str, Any] | None = None) -> Flask:
    """Return the web application; the arguments are those of `app.create_app`.

    The rooms are imported here: a process that supervises others or applies events needs no views.
    """
    from .app import create_app

    return create_app(config)
