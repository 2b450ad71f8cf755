"""`/healthz`: this process serves. `/readyz`: its store answers too."""

from flask import Blueprint

from webapp.core.errors import Unavailable

from .context import db
from .view_options import storeless

bp = Blueprint("health", __name__)
HEADERS = {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"}


@bp.get("/healthz")
@storeless
def healthz() -> tuple[str, dict[str, str]]:
    """Answer 200 while this process serves."""
    return "ok\n", HEADERS


@bp.get("/readyz")
@storeless
def readyz() -> tuple[str, int, dict[str, str]]:
    """Answer 200 while the store answers, 503 otherwise."""
    try:
        db().on_every_primary("PING")
    except Unavailable as error:
        return f"{error.sentence}\n", 503, HEADERS
    return "ok\n", 200, HEADERS
