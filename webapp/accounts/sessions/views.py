"""The list of a member's devices, and signing them out."""

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext as _

from webapp.core.net.countries import source
from webapp.core.web import Response, config, db, no_store, own_session_cookie, site

from . import listing, store as sessions
from .cookie_value import sha_of
from .device_names import device_label, flash_signed_out

bp = Blueprint("sessions", __name__, url_prefix="/settings/sessions")
bp.after_request(no_store)


@bp.get("")
def index() -> str:
    """Show where the viewer is signed in."""
    return render_template(
        "accounts/settings/sessions.html",
        sessions=listing.list_sessions(db(), own_session_cookie()),
        device_label=device_label,
        countries=source(config()) if config().countries else None,
    )


@bp.post("/<sha>/end")
def end(sha: str) -> Response:
    """Sign one other device out."""
    is_current = sha == sha_of(own_session_cookie())
    if not is_current and sessions.end_one(site(), g.viewer.uid, sha):
        flash(_("That device was logged out."))
    return redirect(url_for("sessions.index"), 303)


@bp.post("/end")
def end_others() -> Response:
    """Sign all other devices out."""
    flash_signed_out(sessions.end_others(site(), own_session_cookie()))
    return redirect(url_for("sessions.index"), 303)
