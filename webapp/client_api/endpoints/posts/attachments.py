"""Pictures for statuses: sending one, and describing it."""

from dataclasses import replace

from flask import g, request

from webapp.client_api import uploads
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.media import MediaAttachment, media_attachment, stored_focus
from webapp.client_api.http import Parameters, cleaned, invalid, site_address
from webapp.core.forms.fields import UploadedPicture, normalize_line
from webapp.core.media.decoding import BadPicture
from webapp.core.web import config, consume_for_viewer, db, site

bp = ApiBlueprint("media")


class MediaParameters(Parameters):
    """A picture's description, and its focus as `x,y` from -1 to 1."""

    description: str | None = None
    focus: str | None = None


def upload(params: MediaParameters) -> MediaAttachment:
    """Store the file of the request for a status to come."""
    file = request.files.get("file")
    if not file:
        raise invalid("File can't be blank")
    consume_for_viewer("pictures")
    described = UploadedPicture(file, _description(params) or "", _focus(params) or "")
    try:
        picture = uploads.keep(site(), g.viewer.uid, described)
    except BadPicture as error:
        raise invalid(f"File {error.sentence}") from None
    return media_attachment(picture, site_address())


bp.declare("POST /api/v2/media", "write:media", uploads=1)(upload)


@bp.declare("POST /api/v1/media", "write:media", uploads=1)
def upload_v1(params: MediaParameters) -> MediaAttachment:
    """Store the file of the request, as older clients send it."""
    return upload(params)


@bp.declare("GET /api/v1/media/<id:number>", "write:media")
def show(number: int) -> MediaAttachment:
    """Return a picture that no status shows yet."""
    return media_attachment(uploads.find(db(), g.viewer.uid, number), site_address())


@bp.declare("PUT /api/v1/media/<id:number>", "write:media")
def change(params: MediaParameters, number: int) -> MediaAttachment:
    """Change the description or the focus of a picture that no status shows yet."""
    stored = uploads.find(db(), g.viewer.uid, number)
    alt, focus = _description(params), _focus(params)
    changed = replace(
        stored,
        alt=stored.alt if alt is None else alt,
        focus=stored.focus if focus is None else focus,
    )
    uploads.remember(db(), g.viewer.uid, changed)
    return media_attachment(changed, site_address())


@bp.declare("DELETE /api/v1/media/<id:number>", "write:media")
def delete(number: int) -> None:
    """Remove a picture that no status shows yet."""
    uploads.drop(site(), g.viewer.uid, number)


def _description(params: MediaParameters) -> str | None:
    return None if params.description is None else description(params.description)


def description(text: str) -> str:
    """Return the description of a picture. Raises Invalid."""
    return cleaned("Description", normalize_line, text, config().alt_max)


def _focus(params: MediaParameters) -> str | None:
    try:
        return stored_focus(params.focus) if params.focus else None
    except ValueError:
        raise invalid("Focus is invalid") from None
