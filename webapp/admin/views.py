"""How the site is, for members with the right to know (`linnet grant LOGIN admin`)."""

from __future__ import annotations

from flask import Blueprint, g, render_template

from webapp.accounts import lifecycle
from webapp.core.web.context import config, db
from webapp.errors import Forbidden
from webapp.pagecache import view_counts

from . import doctor

bp = Blueprint("admin", __name__)
ADMIN_RIGHT = "admin"


@bp.get("/admin")
def home() -> str:
    """What `linnet doctor` finds, and how the page cache does. Raises Forbidden."""
    if ADMIN_RIGHT not in lifecycle.rights(db(), g.viewer.uid):
        raise Forbidden("not_admin")
    stats, findings = view_counts.stats(db()), list(doctor.findings(db(), config()))
    return render_template(
        "admin/home.html", pages=stats, max_bytes=config().page_cache_bytes, findings=findings
    )
