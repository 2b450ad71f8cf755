"""The state of the site, for members with the right `admin` (`linnet member grant LOGIN admin`)."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import ngettext
from werkzeug.wrappers import Response

from webapp.accounts import lifecycle
from webapp.accounts.factors.requirement import require_factor
from webapp.core.errors import Forbidden
from webapp.core.events.attempts import retry_parked
from webapp.core.events.status import ParkedEvent, parked_events
from webapp.core.rendering import feature_pages
from webapp.core.web.context import config, db, site
from webapp.core.web.prefetch import prefetch
from webapp.core.web.security import no_store
from webapp.pagecache import view_counts

from . import doctor

bp = Blueprint("admin", __name__)
bp.after_request(no_store)
ADMIN_RIGHT = "admin"


@bp.before_request
def require_right() -> Response | None:
    """Raise Forbidden for a member without the right. Visitors are asked to log in before.

    Lead those who lack a second factor that is required to the page that sets one up.
    """
    if g.viewer and ADMIN_RIGHT not in lifecycle.rights(db(), g.viewer.uid):
        raise Forbidden("not_admin")
    return require_factor()


@bp.get("/admin")
@prefetch(lambda requester: parked_events())
def home(parked: list[ParkedEvent]) -> str:
    """Show the panels of features, parked events, the page cache, and what `linnet doctor` finds.

    With `live` in its address, for a page that is open: without the page cache and the findings.
    """
    parts: dict[str, object] = {}
    if "live" not in request.args:
        parts = {"pages": view_counts.stats(db()), "findings": list(doctor.findings(site()))}
    return render_template(
        "admin/home.html",
        panels=[panel() for panel in feature_pages.admin_panels()],
        parked=parked,
        max_bytes=config().page_cache_bytes,
        **parts,
    )


@bp.post("/admin/retry")
def retry() -> Response:
    """Put all parked events back in line, as `linnet retry` does."""
    count = retry_parked(db())
    flash(ngettext("%(num)d event is back in line.", "%(num)d events are back in line.", count))
    return redirect(url_for("admin.home"), 303)
