"""Blueprints of endpoints: their refusals are answered with the sentences that clients know."""

from __future__ import annotations

from flask import Blueprint
from werkzeug.exceptions import HTTPException

from webapp.core.errors import Refused

from . import responses


def api_blueprint(name: str) -> Blueprint:
    """Return a blueprint of endpoints."""
    bp = Blueprint(f"client_{name}", __name__)
    bp.register_error_handler(Refused, responses.error)
    bp.register_error_handler(HTTPException, responses.http_error)
    return bp
