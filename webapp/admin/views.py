"""The state of the site and its security log, for members with the right `admin`."""

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _, ngettext

from webapp.accounts import store as accounts
from webapp.accounts.security_log import site_log
from webapp.accounts.security_log.store import SENTENCES
from webapp.accounts.viewer import admin_blueprint
from webapp.core.events.attempts import drop_parked, retry_parked
from webapp.core.events.status import ParkedEvent, parked_events
from webapp.core.rendering import feature_pages
from webapp.core.web import Page, Response, config, cursor, db, prefetch, site
from webapp.moderation.acts import ACTS
from webapp.pagecache import popularity

from . import doctor

bp = admin_blueprint("admin", __name__)
security_bp = admin_blueprint("security_log", __name__)
NAME_MAX = 50  # characters of a typed username that are looked up


@bp.get("/admin")
@prefetch(lambda requester: parked_events())
def home(parked: list[ParkedEvent]) -> str:
    """Show the panels of features, parked events, the page cache, and what `linnet doctor` finds.

    With `live` in its address, for a page that is open: without the page cache and the findings.
    """
    parts: dict[str, object] = {}
    if "live" not in request.args:
        parts = {"pages": popularity.stats(db()), "findings": list(doctor.findings(site()))}
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


@bp.post("/admin/drop")
def drop() -> Response:
    """Drop a parked event, unless it was retried or dropped meanwhile."""
    for event in db().read(parked_events()):
        if event.name == request.form.get("event"):
            drop_parked(db(), event, g.viewer.login)
            flash(_("The event is dropped."))
    return redirect(url_for("admin.home"), 303)


@security_bp.get("/admin/security", endpoint="index")
def security() -> str:
    """Show what happened to all accounts, newest first: by kind, and of one member."""
    kind = request.args.get("kind", "")
    kind = kind if kind in site_log.KINDS else ""
    login = request.args.get("login", "").strip().removeprefix("@")[:NAME_MAX]
    uid = db().read(accounts.claimed_uid(login)) if login.isascii() and login else None
    page: Page[site_log.SiteEntry] = Page(())
    if uid or not login:
        page = site_log.page(db(), kind, uid, cursor(), config().page_size)
    uids = {number for entry in page.items for number in (entry.uid, entry.by)}
    return render_template(
        "admin/security.html",
        page=page,
        pager_address=url_for("security_log.index", kind=kind or None, login=login or None),
        kind=kind,
        login=login,
        kinds=site_log.KINDS,
        sentences=SENTENCES,
        acts=ACTS,
        people=db().read(accounts.get_many(uids)),
    )
