"""Following and unfollowing, and the lists of both."""

from functools import partial

from flask import Blueprint, g
from werkzeug.wrappers import Response

from webapp.accounts.renaming.redirects import redirect_to_own
from webapp.accounts.store import NamedMember, get_shown, named, uid_by_login
from webapp.core.errors import Forbidden, NotFound
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store import Read
from webapp.core.web import Requester, cursor, prefetch, private_page, public, rate_limited
from webapp.core.web.context import config, db, site, viewer_uid
from webapp.core.web.view_options import in_loop
from webapp.pagecache.decorators import cached, depends_on_members

from . import store
from .buttons import redirect_to_profile
from .follow_lists import FollowPage, load_familiar_page, load_follow_page
from .languages import GROUP_MIN, count_languages, newest_followers
from .relations import relation

bp = Blueprint("following", __name__)


def _target(_: Requester, login: str) -> Read[NamedMember]:
    return named(login)


@bp.post("/@<login:login>/follow")
@in_loop
@rate_limited("follow")
@prefetch(_target)
def follow(target: NamedMember, login: str) -> Response:
    """Follow a member."""
    member = target(db())
    store.follow_member(site(), g.viewer.uid, member)
    return redirect_to_profile(member.login)


@bp.post("/@<login:login>/unfollow")
@bp.delete("/@<login:login>/follow", endpoint="remove")
@in_loop
@rate_limited("follow")
@prefetch(_target)
def unfollow(target: NamedMember, login: str) -> Response:
    """Unfollow a member."""
    member = target(db())
    store.unfollow_member(site(), g.viewer.uid, member)
    return redirect_to_profile(member.login)


@bp.get("/followers/languages")
@prefetch(lambda requester: newest_followers(requester.uid or 0))
def languages(uids: list[int]) -> Response:
    """Show in which languages the viewer's followers write."""
    found = count_languages(db(), uids)
    return private_page("following/languages.html", languages=found, group_min=GROUP_MIN)


@bp.get("/@<login:login>/menu")
@public
def menu(login: str) -> Response:
    """Show the viewer's possible actions on a member."""
    member = get_shown(db(), login)
    viewer = g.viewer.uid if g.viewer else member.uid
    is_other = viewer != member.uid
    return private_page(
        "following/menu.html",
        member=member,
        relation=db().read(relation(viewer, member.uid, 1)) if is_other else None,
        is_own=not is_other and g.viewer is not None,
    )


def _render_familiar_page(kind: str, listed: str, login: str) -> Response:
    """Show members of a list of another's whom the viewer follows too."""
    uid = db().read(uid_by_login(login))
    size, sample = config().page_size, config().familiar_sample
    found = load_familiar_page(db(), listed, uid, g.viewer.uid, cursor(), size, sample)
    return _render(found, kind, login)


def _render_follow_page(kind: str, login: str) -> Response:
    """Show the members of one of a member's lists."""
    before = cursor()
    uid = db().read(uid_by_login(login))
    viewer = viewer_uid()
    follow_page = load_follow_page(db(), kind, uid, before, config().page_size, viewer)
    if follow_page:
        depends_on_members([uid, *(member.uid for member in follow_page.page.items)])
    return _render(follow_page, kind, login)


def _render(follow_page: FollowPage | None, kind: str, login: str) -> Response:
    if follow_page is None:
        raise NotFound("no_member")
    profile, page = follow_page.profile, follow_page.page
    if profile.member.suspended:
        raise Forbidden("suspended")
    if response := redirect_to_own(profile.member, login, max_id=cursor()):
        return response
    return render_kept(
        "following/people.html",
        replayable=True,
        follow_page=follow_page,
        profile=profile,
        page=page,
        kind=kind,
    )


for _kind in ("followers", "following", "featured", "mutuals"):
    _view = cached("max_id")(partial(_render_follow_page, _kind))
    bp.get(f"/@<login:login>/{_kind}", endpoint=_kind)(_view)
for _kind, _listed in (("familiar_followers", "followers"), ("common_follows", "following")):
    _path = f"/@<login:login>/{_kind.replace('_', '-')}"
    bp.get(_path, endpoint=_kind)(partial(_render_familiar_page, _kind, _listed))
