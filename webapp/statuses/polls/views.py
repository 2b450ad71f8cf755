"""Voting in polls. The form leads back to the status it stood in."""

from __future__ import annotations

from flask import Blueprint, abort, g, redirect, request, url_for
from werkzeug.wrappers import Response

from webapp.core.store.ids import parse_id
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.redirects import safe_path

from . import voting
from .poll import OPTIONS_MAX

bp = Blueprint("polls", __name__)
OPTION_INDEXES = {str(at): at for at in range(OPTIONS_MAX)}


@bp.post("/statuses/<status_id>/vote")
def vote(status_id: str) -> Response:
    """Votes for each `option`, by its place from 0."""
    parsed_id = parse_id(status_id)
    if parsed_id is None:
        abort(404)
    rate_limits.consume(db(), ("like", str(g.viewer.uid), config().limit_like))
    options = {OPTION_INDEXES.get(given, OPTIONS_MAX) for given in request.form.getlist("option")}
    voting.vote(db(), config(), g.viewer.uid, parsed_id, options)
    return_path = safe_path((request.form.get("next") or "").partition("#")[0]) or url_for(
        "timelines.home"
    )
    return redirect(f"{return_path}#status-{parsed_id}", 303)
