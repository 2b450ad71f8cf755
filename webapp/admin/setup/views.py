"""/setup: makes the owner of a new site. With members, it leads to the front page."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts import owner
from webapp.accounts.factors.entering import enter
from webapp.accounts.sessions.store import INITIAL_EPOCH
from webapp.core.errors import Conflict
from webapp.core.i18n.preferences import language
from webapp.core.net.proxies import client_network, is_from_this_machine
from webapp.core.settings import store
from webapp.core.settings.declared import as_text
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db, live_settings, site
from webapp.core.web.security import no_store
from webapp.core.web.view_options import public
from webapp.pagecache.invalidation import invalidate

from .forms import SITE_FIELDS, SetupForm

bp = Blueprint("setup", __name__)
bp.after_request(no_store)
ViewResponse = str | Response | tuple[str, int]


@bp.route("/setup", methods=["GET", "POST"])
@public
def index() -> ViewResponse:
    """Make the owner of a site without members, and set what they chose for it."""
    if not owner.is_fresh(db()):
        return redirect(url_for("timelines.index"), 303)
    current = {name: as_text(getattr(config(), name)) for name in SITE_FIELDS}
    offered = {**current, "default_language": language().code}
    needs_code = bool(config().site_url) or not is_from_this_machine()
    form = SetupForm(needs_code=needs_code, code=request.args.get("code", ""), **offered)
    if request.method != "POST":
        return _page(form)
    rate_limits.consume(db(), ("setup", client_network(), config().limit_signup))
    if not form.validate_on_submit():
        return _page(form), 422
    try:
        member = owner.make_owner(site(), form.login.data, form.name.data, form.password.data)
    except Conflict as refusal:
        form.form_errors = [str(refusal.sentence)]
        return _page(form), refusal.status
    chosen = {name: form[name].data for name in SITE_FIELDS}
    values = {name: value for name, value in chosen.items() if value != current[name]}
    if values:
        store.change(db(), live_settings(), values, member.login, _("Setup"))
    invalidate(db(), ["/"], hard=True)  # it offered this page
    flash(_("This site is yours. Its settings are in your account menu, under Site status."))
    return enter(member, INITIAL_EPOCH, url_for("onboarding.index"))


def _page(form: SetupForm) -> str:
    return render_template("admin/setup.html", form=form)
