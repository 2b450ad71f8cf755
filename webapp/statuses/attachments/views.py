"""Suggesting the description of a picture that somebody is about to post."""

from flask import Blueprint, request

from webapp.core.web.context import config
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.view_options import accepts_uploads

from .own_descriptions import own_description

bp = Blueprint("attachments", __name__)


@bp.post("/pictures/description")
@accepts_uploads(1)
@rate_limited("autosave", "describe")
def describe() -> dict[str, str]:
    """Return the `description` within the file `picture`, or within its first part; or ""."""
    file = request.files.get("picture")
    return {"description": own_description(file.stream, config().alt_max) if file else ""}
