"""A member's own apps: the keys that clients of the streaming API sign with (OAuth 1.0a)."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.sessions.password_proof import current_session, recent_proof
from webapp.accounts.viewer import current_device_note
from webapp.core.errors import Refused
from webapp.core.web.context import site
from webapp.core.web.prefetch import prefetch
from webapp.core.web.rate_limits import consume_for_viewer

from . import apps
from .forms import AppForm
from .page import render_page

bp = Blueprint("apps", __name__, url_prefix="/settings/apps")


@bp.get("")
@prefetch(recent_proof)
def index(proved: bool) -> Response:
    """Show the viewer's tokens and apps."""
    return render_page(proved)


@bp.post("")
@prefetch(recent_proof)
def create(proved: bool) -> Response:
    """Create an app. Only this response shows its secrets."""
    form = AppForm(proved=proved)
    if not (form.validate_on_submit() and form.prove()):
        return render_page(proved, 422, app_form=form)
    consume_for_viewer("token", bucket="app")
    try:
        credentials = apps.create(
            site(), g.viewer.uid, form.name.data, current_session(), current_device_note()
        )
    except Refused as refusal:
        form.name.errors = [str(refusal.sentence)]
        return render_page(True, refusal.status, app_form=form)
    return render_page(True, 201, credentials=credentials)


@bp.post("/<key>/revoke")
def revoke(key: str) -> Response:
    """Revoke an app."""
    if apps.revoke(site(), g.viewer.uid, key, current_device_note()):
        flash(_("App revoked."))
    return redirect(url_for("tokens.index", _anchor="apps"), 303)
