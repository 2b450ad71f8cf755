"""Muting a conversation, and unmuting it."""

from __future__ import annotations

from flask import Blueprint, flash, g, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.web.context import site
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.redirects import redirect_back

from . import conversations

bp = Blueprint("conversations", __name__)


@bp.post("/statuses/<id:status_id>/mute")
@rate_limited("follow")
def mute(status_id: int) -> Response:
    """Mute the conversation of a status."""
    conversations.mute(site(), g.viewer.uid, status_id)
    flash(_("Conversation muted. You won’t be notified about it."))
    return redirect_back(url_for("timelines.home"), f"status-{status_id}")


@bp.post("/statuses/<id:status_id>/unmute")
@rate_limited("follow")
def unmute(status_id: int) -> Response:
    """Unmute the conversation of a status."""
    conversations.unmute(site(), g.viewer.uid, status_id)
    flash(_("Conversation unmuted."))
    return redirect_back(url_for("timelines.home"), f"status-{status_id}")
