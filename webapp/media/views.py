"""Pictures of members and of statuses. A chat's pictures are shown by the chat's own pages."""

from __future__ import annotations

from flask import Blueprint, Response

from webapp.core.media.responses import picture_response
from webapp.core.media.storage import PICTURE_FILE
from webapp.core.web.context import config
from webapp.core.web.view_options import public, storeless
from webapp.errors import NotFound

bp = Blueprint("media", __name__)


@bp.get("/media/<uid>/<name>", defaults={"folder": ""})
@bp.get("/media/posts/<uid>/<name>", defaults={"folder": "posts/"})
@public
@storeless
def show(folder: str, uid: str, name: str) -> Response:
    """Show a picture. Shared caches may store a member's, but no status's: that can be deleted."""
    file = f"{folder}{uid}/{name}"
    if not PICTURE_FILE.fullmatch(file):
        raise NotFound("no_picture")
    return picture_response(config(), file, private=bool(folder))
