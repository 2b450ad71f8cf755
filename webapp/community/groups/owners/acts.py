"""The acts of owners on members, posts and reports of their group, from one table each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

from flask import Blueprint, g, request
from flask_babel import LazyString, lazy_gettext as _l

from webapp.accounts import store as accounts
from webapp.community.groups import store
from webapp.community.groups.posts import drop_post, pin_post
from webapp.community.groups.views import gid_read
from webapp.core.store import Site
from webapp.core.web import Response, db, done, prefetch, rate_limited, site

from .reports import dismiss, pass_on, remove_reported

REQUESTS, REPORTS = "group_owners.requests", "group_owners.reports"
MEMBERS, POSTS = "groups.members", "groups.show"


class Act(NamedTuple):
    """An act of an owner on another member, on a post, or on its reports.

    `page`: the endpoint of the page with its button, shown again afterwards. `apply`: takes the
    site, the owner, the group, and the member or post.
    """

    page: str
    apply: Callable[[Site, int, int, int], None]
    sentence: LazyString


def _remove(site: Site, uid: int, gid: int, target: int, act: Literal["remove", "ban"]) -> None:
    store.remove(site, uid, gid, target, act, "posts" in request.form)


ACTS = {
    "accept": Act(REQUESTS, partial(store.answer, accept=True), _l("@%(login)s is a member now.")),
    "refuse": Act(REQUESTS, partial(store.answer, accept=False), _l("Request declined.")),
    "remove": Act(
        MEMBERS, partial(_remove, act="remove"), _l("@%(login)s was removed from the group.")
    ),
    "ban": Act(MEMBERS, partial(_remove, act="ban"), _l("@%(login)s was banned from the group.")),
    "unban": Act(REQUESTS, partial(store.remove, act="unban"), _l("@%(login)s can join again.")),
    "promote": Act(
        MEMBERS, partial(store.set_owner, is_owner=True), _l("@%(login)s is an owner now.")
    ),
}
POST_ACTS = {
    "pin": Act(POSTS, partial(pin_post, is_pinned=True), _l("Pinned above the group’s posts.")),
    "unpin": Act(POSTS, partial(pin_post, is_pinned=False), _l("Unpinned.")),
    "remove": Act(POSTS, drop_post, _l("Removed from the group. Its author still has the post.")),
}
REPORT_ACTS = {
    "dismiss": Act(REPORTS, dismiss, _l("Report dismissed.")),
    "remove": Act(REPORTS, remove_reported, _l("The post was removed from the group.")),
    "pass-on": Act(
        REPORTS, pass_on, _l("Passed on. The people who run this site will look at it.")
    ),
}


def declare_acts(bp: Blueprint) -> None:
    """Add a view for each act, which takes the act's name as the end of its path."""
    for name, act in ACTS.items():
        place = "requests" if name in ("accept", "refuse") else "members"
        view = prefetch(gid_read)(_act_on_member(name, act))
        bp.post(f"/groups/<slug>/{place}/<login>/{name}")(view)
    for name, act in POST_ACTS.items():
        view = prefetch(gid_read)(_act_on_post(f"{name}_post", act))
        bp.post(f"/groups/<slug>/posts/<id:status_id>/{name}")(view)
    for name, act in REPORT_ACTS.items():
        view = prefetch(gid_read)(_act_on_post(f"{name.replace('-', '_')}_report", act))
        bp.post(f"/groups/<slug>/reports/<id:status_id>/{name}")(view)


def _act_on_member(name: str, act: Act) -> Callable[..., Response]:
    @rate_limited("follow")
    def view(gid: int, slug: str, login: str) -> Response:
        target = accounts.get_by_login(db(), login)
        act.apply(site(), g.viewer.uid, gid, target.uid)
        return done(act.sentence % {"login": target.login}, act.page, slug=slug)

    view.__name__ = name
    return view


def _act_on_post(name: str, act: Act) -> Callable[..., Response]:
    @rate_limited("follow")
    def view(gid: int, slug: str, status_id: int) -> Response:
        act.apply(site(), g.viewer.uid, gid, status_id)
        return done(str(act.sentence), act.page, slug=slug)

    view.__name__ = name
    return view
