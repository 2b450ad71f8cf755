"""Voting in polls."""

from flask import Blueprint, g, request

from webapp.core.web import Response, rate_limited, site
from webapp.statuses.interactions.buttons import lead_back
from webapp.statuses.values.poll import OPTIONS_MAX

from . import voting

bp = Blueprint("polls", __name__)
OPTION_INDEXES = {str(index): index for index in range(OPTIONS_MAX)}


@bp.post("/statuses/<id:status_id>/vote")
@rate_limited("like")
def vote(status_id: int) -> Response:
    """Vote for each `option`, by index from 0, and lead back to the status."""
    options = {OPTION_INDEXES.get(value, OPTIONS_MAX) for value in request.form.getlist("option")}
    voting.vote(site(), g.viewer.uid, status_id, options)
    return lead_back(status_id)
