"""The pages of what the site refuses. Moderators read them, admins change them."""

from __future__ import annotations

import time

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.factors.store import is_on
from webapp.core.errors import Conflict, Forbidden
from webapp.core.web.context import config, db, live_settings
from webapp.core.web.pagination import Page, cursor
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.security import no_store
from webapp.moderation.acts import ADMIN
from webapp.moderation.views import require_rank
from webapp.site_settings import DOMAIN, WORD, Ban

from . import store
from .forms import BanForm, TermForm
from .labels import KINDS, TEXT_ACTIONS

bp = Blueprint("bans", __name__, url_prefix="/moderation")
bp.before_request(require_rank)
bp.after_request(no_store)
ViewResponse = str | Response | tuple[str, int]


@bp.before_request
def require_second_step() -> None:
    """Raise Forbidden for an admin without a second step, where the site wants one."""
    is_wanted = request.method == "POST" and g.viewer and config().admin_second_step
    if is_wanted and not db().read(is_on(g.viewer.uid)):
        raise Forbidden("second_step_needed")


@bp.get("/terms")
def terms() -> str:
    """Show the words and domains that public texts may not have, the newest first."""
    return _page(TermForm(formdata=None))


@bp.post("/terms")
@rate_limited("edit")
def add_term() -> ViewResponse:
    """Add a word or domain, or replace it."""
    form = TermForm()
    if not form.validate_on_submit():
        return _page(form), 422
    try:
        store.save(db(), live_settings(), g.viewer, form.to_ban(), form.version.data or "")
    except Conflict as refusal:
        return _conflict(form, refusal)
    flash(_("Saved. Every process uses it within a second."))
    return redirect(url_for("bans.terms"), 303)


@bp.post("/terms/remove")
@rate_limited("edit")
def remove_term() -> ViewResponse:
    """Remove a word or domain."""
    name = request.form.get("name", "")
    ban = next((one for one in _listed((WORD, DOMAIN)) if one.name == name), None)
    try:
        if ban is None:
            raise Conflict("settings_moved")
        store.remove(db(), live_settings(), g.viewer, ban, request.form.get("version", ""))
    except Conflict as refusal:
        return _conflict(TermForm(formdata=None), refusal)
    flash(_("Removed. Every process knows it within a second."))
    return redirect(url_for("bans.terms"), 303)


def _listed(kinds: tuple[str, ...]) -> list[Ban]:
    now_ms = int(time.time() * 1000)
    return [ban for ban in config().bans.bans if ban.kind in kinds and ban.holds_at(now_ms)]


def _conflict(form: BanForm, refusal: Conflict) -> tuple[str, int]:
    """Return the page with the others' changes, and the form as it was left."""
    g.pop("config", None)
    form.form_errors = [str(refusal.sentence)]
    return _page(form), refusal.status


def _page(form: BanForm) -> str:
    form.version.data = live_settings().version
    bans, start, size = _listed((WORD, DOMAIN)), cursor() or 0, config().page_size
    items, end = tuple(bans[start : start + size]), start + size
    return render_template(
        "moderation/terms.html",
        form=form,
        page=Page(items, end if end < len(bans) else None),
        may_change=ADMIN in g.viewer.rights,
        kinds=KINDS,
        actions=TEXT_ACTIONS,
    )
