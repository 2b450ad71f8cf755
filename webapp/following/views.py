"""Following and unfollowing, and the lists of both."""

from __future__ import annotations

from flask import Blueprint, g, redirect, render_template, url_for
from werkzeug.wrappers import Response

from .. import limits
from ..accounts.store import find_uid
from ..app import config, db
from ..errors import Forbidden, NotFound
from ..paging import cursor
from ..security import back, public
from ..visitors import cached, shows
from . import store

bp = Blueprint("following", __name__)


@bp.post("/@<login>/follow")
def follow(login: str) -> Response:
    """Follows a member."""
    limits.take(db(), ("follow", str(g.viewer.uid), config().limit_follow))
    member = store.follow(db(), config(), g.viewer.uid, login)
    return _back(member.login)


@bp.post("/@<login>/unfollow")
@bp.delete("/@<login>/follow", endpoint="remove")
def unfollow(login: str) -> Response:
    """Unfollows a member."""
    limits.take(db(), ("follow", str(g.viewer.uid), config().limit_follow))
    member = store.unfollow(db(), config(), g.viewer.uid, login)
    return _back(member.login)


@bp.get("/@<login>/followers")
@public
@cached("max_id")
def followers(login: str) -> str | Response:
    """Who follows a member."""
    return _people("followers", login)


@bp.get("/@<login>/following")
@public
@cached("max_id")
def following(login: str) -> str | Response:
    """Whom a member follows."""
    return _people("following", login)


def _people(kind: str, login: str) -> str | Response:
    before = cursor()
    uid = find_uid(db(), login)
    viewer = g.viewer.uid if g.viewer else None
    people = store.people(db(), kind, uid, before, config().page_size, viewer)
    if people is None:
        raise NotFound("no_member")
    profile, page = people.profile, people.page
    if profile.member.suspended:
        raise Forbidden("suspended")
    if profile.member.login != login:
        return redirect(url_for(f"following.{kind}", login=profile.member.login, max_id=before), 301)
    shows([uid, *(member.uid for member in page.items)])
    return render_template("following/people.html", people=people, profile=profile, page=page, kind=kind)


def _back(login: str) -> Response:
    return back(url_for("timelines.profile", login=login))
