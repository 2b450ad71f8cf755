"""The bell on a profile: notifications of a member's posts."""

from __future__ import annotations

from flask import Blueprint, g
from werkzeug.wrappers import Response

from webapp.core.web.context import site
from webapp.core.web.rate_limits import rate_limited
from webapp.following.redirects import redirect_to_profile

from . import store

bp = Blueprint("subscriptions", __name__)


@bp.post("/@<login:login>/subscribe")
@rate_limited("follow")
def subscribe(login: str) -> Response:
    """Notify the viewer of a member's posts."""
    store.subscribe(site(), g.viewer.uid, login)
    return redirect_to_profile(login)


@bp.post("/@<login:login>/unsubscribe")
@rate_limited("follow")
def unsubscribe(login: str) -> Response:
    """Stop notifying the viewer of a member's posts."""
    store.unsubscribe(site(), g.viewer.uid, login)
    return redirect_to_profile(login)
