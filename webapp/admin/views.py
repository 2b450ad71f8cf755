"""The state of the site, for members with the right `admin` (`linnet member grant LOGIN admin`)."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import ngettext
from werkzeug.wrappers import Response

from webapp.accounts.viewer import require_admin
from webapp.core.events.attempts import retry_parked
from webapp.core.events.status import ParkedEvent, parked_events
from webapp.core.rendering import feature_pages
from webapp.core.web.context import config, db, site
from webapp.core.web.prefetch import prefetch
from webapp.core.web.security import no_store
from webapp.pagecache import view_counts

from . import doctor

bp = Blueprint("admin", __name__)
bp.before_request(require_admin)
bp.after_request(no_store)


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
