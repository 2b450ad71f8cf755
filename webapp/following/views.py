"""Following and unfollowing, and the lists of both."""

from __future__ import annotations

from flask import Blueprint, g, redirect, render_template, url_for
from werkzeug.wrappers import Response

from webapp.accounts.store import find_uid
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.pagination import cursor
from webapp.core.web.redirects import redirect_back
from webapp.core.web.view_options import public
from webapp.errors import Forbidden, NotFound
from webapp.pagecache.decorators import cached, depends_on_members

from . import store

bp = Blueprint("following", __name__)


@bp.post("/@<login>/follow")
def follow(login: str) -> Response:
    """Follows a member."""
    rate_limits.consume(db(), ("follow", str(g.viewer.uid), config().limit_follow))
    member = store.follow(db(), config(), g.viewer.uid, login)
    return _back_to_profile(member.login)


@bp.post("/@<login>/unfollow")
@bp.delete("/@<login>/follow", endpoint="remove")
def unfollow(login: str) -> Response:
    """Unfollows a member."""
    rate_limits.consume(db(), ("follow", str(g.viewer.uid), config().limit_follow))
    member = store.unfollow(db(), config(), g.viewer.uid, login)
    return _back_to_profile(member.login)


@bp.get("/@<login>/followers")
@public
@cached("max_id")
def followers(login: str) -> str | Response:
    """Who follows a member."""
    return _render_follow_page("followers", login)


@bp.get("/@<login>/following")
@public
@cached("max_id")
def following(login: str) -> str | Response:
    """Whom a member follows."""
    return _render_follow_page("following", login)


def _render_follow_page(kind: str, login: str) -> str | Response:
    before = cursor()
    uid = find_uid(db(), login)
    viewer = g.viewer.uid if g.viewer else None
    follow_page = store.load_follow_page(db(), kind, uid, before, config().page_size, viewer)
    if follow_page is None:
        raise NotFound("no_member")
    profile, page = follow_page.profile, follow_page.page
    if profile.member.suspended:
        raise Forbidden("suspended")
    if profile.member.login != login:
        return redirect(
            url_for(f"following.{kind}", login=profile.member.login, max_id=before), 301
        )
    depends_on_members([uid, *(member.uid for member in page.items)])
    return render_template(
        "following/people.html", follow_page=follow_page, profile=profile, page=page, kind=kind
    )


def _back_to_profile(login: str) -> Response:
    return redirect_back(url_for("timelines.profile", login=login))
