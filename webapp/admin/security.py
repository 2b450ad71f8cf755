"""The operator's security log at /admin/security."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for

from webapp.accounts import store as accounts
from webapp.accounts.security_log import site_log
from webapp.accounts.security_log.store import SENTENCES
from webapp.accounts.viewer import require_admin
from webapp.core.web.context import config, db
from webapp.core.web.pagination import Page, cursor
from webapp.core.web.security import no_store
from webapp.moderation.acts import ACTS

bp = Blueprint("security_log", __name__)
bp.before_request(require_admin)
bp.after_request(no_store)
NAME_MAX = 50  # characters of a typed username that are looked up


@bp.get("/admin/security")
def index() -> str:
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
