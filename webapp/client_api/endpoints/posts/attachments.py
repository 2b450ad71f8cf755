"""Pictures for statuses: sending one, and describing it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flask import g, request

from webapp.client_api import uploads
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.media import (
    MediaAttachment,
    media_attachment,
    media_id,
    stored_focus,
)
from webapp.client_api.http import Id, Parameters, cleaned, converted, invalid, rows, site_address
from webapp.core.forms.fields import UploadedPicture, normalize_line
from webapp.core.media.decoding import BadPicture
from webapp.core.web import config, consume_for_viewer, db, site
from webapp.statuses import Picture

bp = ApiBlueprint("media")


class MediaParameters(Parameters):
    """A picture's description, and its focus as `x,y` from -1 to 1."""

    description: str | None = None
    focus: str | None = None


class EditedMedia(Parameters):
    """The pictures of a status that is edited. `media_attributes`: rows, each with an `id`."""

    media_ids: tuple[Id, ...] | None = None
    media_attributes: Any = None

    def described(self, pictures: Sequence[Picture]) -> list[Picture]:
        """Return the pictures of a status with what was sent for them. Raises Invalid."""
        if self.media_ids is not None and set(self.media_ids) != set(map(media_id, pictures)):
            raise invalid("Media of a post can't be changed")
        sent = rows(self.media_attributes)
        given = {str(row.get("id")): converted(MediaParameters, row) for row in sent}
        return [_described(one, given.get(str(media_id(one)))) for one in pictures]


@bp.declare("POST /api/v1/media", "write:media", "upload_v1", uploads=1)
@bp.declare("POST /api/v2/media", "write:media", uploads=1)
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


@bp.declare("GET /api/v1/media/<id:number>", "write:media")
def show(number: int) -> MediaAttachment:
    """Return a picture that no status shows yet."""
    return media_attachment(uploads.find(db(), g.viewer.uid, number), site_address())


@bp.declare("PUT /api/v1/media/<id:number>", "write:media", uploads=1)  # a thumbnail
def change(params: MediaParameters, number: int) -> MediaAttachment:
    """Change the description or the focus of a picture that no status shows yet."""
    changed = _described(uploads.find(db(), g.viewer.uid, number), params)
    uploads.remember(db(), g.viewer.uid, changed)
    return media_attachment(changed, site_address())


@bp.declare("DELETE /api/v1/media/<id:number>", "write:media")
def delete(number: int) -> None:
    """Remove a picture that no status shows yet."""
    uploads.drop(site(), g.viewer.uid, number)


def _described(picture: Picture, params: MediaParameters | None) -> Picture:
    """Return a picture with the description and the focus that were sent. Raises Invalid."""
    if params is None:
        return picture
    alt, focus = _description(params), _focus(params)
    return replace(
        picture,
        alt=picture.alt if alt is None else alt,
        focus=picture.focus if focus is None else focus,
    )


def _description(params: MediaParameters) -> str | None:
    text = params.description
    return text and cleaned("Description", normalize_line, text, config().alt_max)


def _focus(params: MediaParameters) -> str | None:
    try:
        return stored_focus(params.focus) if params.focus else None
    except ValueError:
        raise invalid("Focus is invalid") from None
