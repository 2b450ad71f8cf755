"""A member's own apps: the keys that clients of the streaming API sign their requests with (OAuth 1.0a)."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.settings.forms import AppForm
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.errors import Refused

from . import apps
from . import page as tokens_page

bp = Blueprint("apps", __name__, url_prefix="/settings/apps")


@bp.get("")
def index() -> Response:
    """A member's apps, beside their tokens."""
    return tokens_page.render_page()


@bp.post("")
def create() -> Response:
    """A new app; its secrets are shown in this answer, and never again."""
    form = AppForm()
    if not form.validate_on_submit():
        return tokens_page.render_page(422, app_form=form)
    rate_limits.consume(db(), ("app", str(g.viewer.uid), config().limit_token))
    try:
        credentials = apps.create(db(), config(), g.viewer.uid, form.name.data)
    except Refused as refusal:
        form.name.errors = [str(refusal.sentence)]
        return tokens_page.render_page(refusal.status, app_form=form)
    return tokens_page.render_page(201, credentials=credentials)


@bp.post("/<key>/revoke")
def revoke(key: str) -> Response:
    """Makes an app's keys invalid."""
    if apps.revoke(db(), config(), g.viewer.uid, key):
        flash(_("The app is revoked."))
    return redirect(url_for("settings.list_tokens", _anchor="apps"), 303)
