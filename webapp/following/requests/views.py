"""The requests to follow a protected member, their answers, and removing followers."""

from flask import Blueprint, flash, g, url_for
from flask_babel import gettext as _

from webapp.core.web import Response, rate_limited, redirect_back, site
from webapp.following.buttons import declare_list

from . import store as requests

bp = Blueprint("requests", __name__)
declare_list(bp, "/requests", "following/requests.html", requests.page)


@bp.post("/@<login:login>/accept")
@rate_limited("follow")
def accept(login: str) -> Response:
    """Accept a request."""
    return _answer(login, True, _("You accepted the follow request from @%(login)s.", login=login))


@bp.post("/@<login:login>/refuse")
@rate_limited("follow")
def refuse(login: str) -> Response:
    """Refuse a request."""
    message = _(
        "You declined the follow request from @%(login)s. They aren’t told, and can ask again.",
        login=login,
    )
    return _answer(login, False, message)


@bp.post("/@<login:login>/remove-follower")
@rate_limited("follow")
def remove_follower(login: str) -> Response:
    """Remove a follower."""
    if requests.remove_follower(site(), g.viewer.uid, login):
        flash(_("@%(login)s no longer follows you. They aren’t told.", login=login))
    return redirect_back(url_for("following.followers", login=g.viewer.login))


def _answer(login: str, accepted: bool, message: str) -> Response:
    if requests.answer(site(), g.viewer.uid, login, accepted):
        flash(message)
    else:
        flash(_("This request no longer exists."))
    return redirect_back(url_for("requests.index"))
