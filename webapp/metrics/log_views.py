"""Log lines at /admin/log, by severity and words."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from webapp.accounts.viewer import require_admin
from webapp.core.web.context import db
from webapp.core.web.security import no_store

from . import lines

bp = Blueprint("log_lines", __name__)
bp.before_request(require_admin)
bp.after_request(no_store)


@bp.get("/admin/log")
def index() -> str:
    """Show the newest lines with all words of `q`, of one severity or of all. Two trips."""
    chosen, words = request.args.get("severity", ""), request.args.get("q", "")
    severities = (chosen,) if chosen in lines.SEVERITIES else lines.SEVERITIES
    return render_template(
        "metrics/log.html",
        found=db().read(lines.search(severities, words)),
        severities=lines.SEVERITIES,
        chosen=chosen,
        words=words,
        most=lines.FOUND_MAX,
    )
