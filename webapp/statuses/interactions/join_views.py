"""Pages behind the buttons of visitors: they invite to join, and let members confirm the act.

Visitors share their pages, so their buttons are links. Following one changes nothing: a member who
comes back from signing in sends a form.
"""

from flask import Blueprint, g, redirect, url_for

from webapp.accounts.store import get_shown
from webapp.core.web import Response, db, private_page, public, viewer_uid
from webapp.statuses import store as statuses
from webapp.statuses.visibility.relationships import relationship

bp = Blueprint("join", __name__, url_prefix="/join")


@bp.get("/<any(reply, boost, like):act>/<id:status_id>")
@public
def on_status(act: str, status_id: int) -> Response:
    """Invite a visitor to act on a status. A member confirms it, unless it is done or a reply."""
    status, state = statuses.get_with_state(db(), status_id, viewer_uid())
    page = url_for("statuses.show", login=status.author.login, status_id=status_id)
    if g.viewer and act == "reply":
        return redirect(f"{page}#text", 303)
    if status_id in {"like": state.liked, "boost": state.boosted}.get(act, ()):
        return redirect(page, 303)
    return _render(act, status.author.login, page, status=status)


@bp.get("/follow/<login:login>")
@public
def follow(login: str) -> Response:
    """Invite a visitor to follow a member. A member confirms it, unless it is done."""
    member = get_shown(db(), login)
    page = url_for("timelines.profile", login=member.login)
    if g.viewer:
        between = db().read(relationship(g.viewer.uid, [member.uid], with_requests=True))
        if member.uid in {g.viewer.uid, *between.follows, *between.requested}:
            return redirect(page, 303)
    return _render("follow", member.login, page, member=member)


def _render(act: str, login: str, page: str, **subject: object) -> Response:
    """Render the page of an act. `page`: the path to go back to."""
    template = "statuses/interactions/join.html"
    return private_page(template, act=act, login=login, page=page, **subject)
