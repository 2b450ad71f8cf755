"""The state of the site, for members with the right `admin` (`linnet member grant LOGIN admin`)."""

from __future__ import annotations

from flask import Blueprint, g, render_template

from webapp.accounts import lifecycle
from webapp.core.errors import Forbidden
from webapp.core.web.context import config, db, site
from webapp.pagecache import view_counts

from . import doctor

bp = Blueprint("admin", __name__)
ADMIN_RIGHT = "admin"


@bp.get("/admin")
def home() -> str:
    """Show the findings of `linnet doctor` and the figures of the page cache. Raises Forbidden."""
    if ADMIN_RIGHT not in lifecycle.rights(db(), g.viewer.uid):
        raise Forbidden("not_admin")
    return render_template(
        "admin/home.html",
        pages=view_counts.stats(db()),
        max_bytes=config().page_cache_bytes,
        findings=list(doctor.findings(site())),
    )
