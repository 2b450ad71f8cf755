"""Access tokens: the list, creating one and revoking one."""

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
from webapp.core.web.security import no_store

from . import store as tokens
from .forms import TokenForm
from .page import render_page

bp = Blueprint("tokens", __name__, url_prefix="/settings/tokens")
bp.after_request(no_store)


@bp.get("")
@prefetch(recent_proof)
def index(proved: bool) -> Response:
    """Show the viewer's tokens and apps."""
    return render_page(proved)


@bp.post("")
@prefetch(recent_proof)
def create(proved: bool) -> Response:
    """Create a token. Only this response shows it."""
    form = TokenForm(proved=proved)
    if not (form.validate_on_submit() and form.prove()):
        return render_page(proved, 422, token_form=form)
    consume_for_viewer("token")
    try:
        new_token = tokens.create(
            site(),
            g.viewer.uid,
            form.name.data,
            current_session(),
            current_device_note(),
            form.seconds,
        )
    except Refused as refusal:
        form.name.errors = [str(refusal.sentence)]
        return render_page(True, refusal.status, token_form=form)
    return render_page(True, 201, new_token=new_token)


@bp.post("/<sha>/revoke")
def revoke(sha: str) -> Response:
    """Revoke a token."""
    if tokens.revoke(site(), g.viewer.uid, sha, current_device_note()):
        flash(_("Token revoked."))
    return redirect(url_for("tokens.index"), 303)
