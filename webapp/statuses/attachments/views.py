"""Suggesting the description of a picture that somebody is about to post."""

from flask import Blueprint, request

from webapp.core.web import accepts_uploads, config, rate_limited

from .own_descriptions import own_description

bp = Blueprint("attachments", __name__)


@bp.post("/pictures/description")
@accepts_uploads(1)
@rate_limited("autosave", "describe")
def describe() -> dict[str, str]:
    """Return the `description` within the file `picture`, or within its first part; or ""."""
    file = request.files.get("picture")
    return {"description": own_description(file.stream, config().alt_max) if file else ""}
