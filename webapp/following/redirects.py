"""Redirect members back after they use a button on a profile."""

from __future__ import annotations

from flask import url_for
from werkzeug.wrappers import Response

from webapp.core.web.redirects import redirect_back


def redirect_to_profile(login: str) -> Response:
    """Redirect to the page that the form names, by default the member's profile."""
    return redirect_back(url_for("timelines.profile", login=login))
