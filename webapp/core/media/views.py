"""Pictures of members, groups and statuses. A chat's pictures are shown by the chat's own pages."""

from flask import Blueprint, Response

from webapp.core.errors import NotFound
from webapp.core.media import restrictions, signatures
from webapp.core.media.responses import picture_response, signed_picture_response
from webapp.core.media.storage import GROUP_PICTURE_FILE, LINK_PICTURE_FILE, PICTURE_FILE
from webapp.core.web import config, public, storeless

bp = Blueprint("media", __name__)


@bp.get("/media/<uid>/<name>", defaults={"folder": ""})
@bp.get("/media/posts/<uid>/<name>", defaults={"folder": "posts/"})
@public
@storeless
def show(folder: str, uid: str, name: str) -> Response:
    """Show a picture. Shared caches may store a member's, but no status's: that can be deleted.

    A restricted one needs the signature of the viewer's own page.
    """
    file = f"{folder}{uid}/{name}"
    if not PICTURE_FILE.fullmatch(file) or restrictions.is_suspended(config(), uid):
        raise NotFound("no_picture")
    if not folder or not restrictions.is_restricted(config(), file):
        return picture_response(config(), file, private=bool(folder))
    if not signatures.is_signed(file.rpartition("-")[0]):
        raise NotFound("no_picture")
    return signed_picture_response(config(), file)


@bp.get("/media/groups/<gid>/<name>")
@public
@storeless
def show_group_picture(gid: str, name: str) -> Response:
    """Show the picture of a group. Everybody sees it, as they see its name."""
    file = f"groups/{gid}/{name}"
    if not GROUP_PICTURE_FILE.fullmatch(file):
        raise NotFound("no_picture")
    return picture_response(config(), file, private=False)


@bp.get("/media/cards/<day>/<name>")
@public
@storeless
def show_link_picture(day: str, name: str) -> Response:
    """Show our copy of the picture of a linked page."""
    file = f"cards/{day}/{name}"
    if not LINK_PICTURE_FILE.fullmatch(file):
        raise NotFound("no_picture")
    return picture_response(config(), file, private=True)
