"""Pages behind the buttons of visitors: they invite to join, and then the act is done.

Visitors share their pages, so their buttons are links. Who signs up or logs in from such a page
comes back to it, which does the act. Any other member sends a form: a link alone changes nothing.
"""

from flask import Blueprint, g, redirect, url_for

from webapp.accounts.sessions.cookies import request_act, take_requested_act
from webapp.accounts.store import get_shown
from webapp.core.net.proxies import posting_network
from webapp.core.web import (
    Response,
    config,
    consume_for_viewer,
    db,
    private_page,
    public,
    site,
    viewer_uid,
)
from webapp.following.store import follow_member
from webapp.statuses import store as statuses
from webapp.statuses.visibility.relationships import relationship

from . import boosts, likes

bp = Blueprint("join", __name__, url_prefix="/join")


@bp.get("/<any(reply, boost, like):act>/<id:status_id>")
@public
def on_status(act: str, status_id: int) -> Response:
    """Invite a visitor to act on a status. Do what a member asked for; others confirm it."""
    status, state = statuses.get_with_state(db(), status_id, viewer_uid())
    page = url_for("statuses.show", login=status.author.login, status_id=status_id)
    if g.viewer and act == "reply":
        return redirect(f"{page}#text", 303)
    if status_id in {"like": state.liked, "boost": state.boosted}.get(act, ()):
        return redirect(page, 303)
    if take_requested_act():
        consume_for_viewer("like")
        if act == "like":
            likes.like(site(), g.viewer.uid, status_id)
        else:
            boosts.boost(site(), g.viewer.uid, status_id, posting_network(config()))
        return redirect(page, 303)
    return _render(act, status.author.login, page, status=status)


@bp.get("/follow/<login:login>")
@public
def follow(login: str) -> Response:
    """Invite a visitor to follow a member. Do it if a member asked for it; others confirm it."""
    member = get_shown(db(), login)
    page = url_for("timelines.profile", login=member.login)
    if g.viewer:
        between = db().read(relationship(g.viewer.uid, [member.uid], with_requests=True))
        if member.uid in {g.viewer.uid, *between.follows, *between.requested}:
            return redirect(page, 303)
        if take_requested_act():
            consume_for_viewer("follow")
            follow_member(site(), g.viewer.uid, member)
            return redirect(page, 303)
    return _render("follow", member.login, page, member=member)


def _render(act: str, login: str, page: str, **subject: object) -> Response:
    """Render the page of an act. `page`: the path to go back to."""
    done_at = "" if g.viewer else request_act()
    template = "statuses/interactions/join.html"
    return private_page(template, act=act, login=login, page=page, done_at=done_at, **subject)
