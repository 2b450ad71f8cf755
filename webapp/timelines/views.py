"""The front page, and the home, public and profile timelines."""

from __future__ import annotations

import time
from dataclasses import replace

from flask import Blueprint, g, redirect, render_template, request, url_for

from webapp.accounts.owner import is_fresh
from webapp.accounts.renaming.redirects import owner_of_page, redirect_to_own
from webapp.core.errors import Invalid
from webapp.core.forms.idempotency import new_form_key
from webapp.core.i18n.preferences import language
from webapp.core.rendering.kept_pages import Fresh, kept_page, render_kept
from webapp.core.rendering.live_updates import stream_for_timeline
from webapp.core.rendering.shells import can_use_shell, placeholder
from webapp.core.store import Read, first_id_at, gather, parse_id
from webapp.core.web import Page, Requester, Response, cursor, in_loop, prefetch, rate_limited
from webapp.core.web.context import config, db, site, viewer_uid
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses import Item, Skeleton, Status, Timeline, uids_on_page
from webapp.statuses.filters.apply import filters_for, without_filtered
from webapp.statuses.promoted.promoted_post import Found, counts_of, promoted_read, with_promoted
from webapp.timelines.home.frame import Marks, digest_marks, group_digests
from webapp.timelines.hot.store import spread_page
from webapp.timelines.trends.current import visitor_trends
from webapp.timelines.trends.ranking import Ranking

from . import store
from .home import frame as frames
from .home.frame import HomeFrame, home_frame
from .home.shell import home_in_shell
from .home.snapshot import HomeSnapshot, home_snapshot
from .home_page import home_page
from .hot.newcomers import popular_posts
from .hot.store import hot_entries
from .profile import ProfileQuery, profile_page
from .profile_tabs.head import is_hidden_from
from .shared import shared_page

bp = Blueprint("timelines", __name__)
FRONT_PAGE_SIZE = 5  # statuses on the front page


@bp.get("/")
@cached()
def index() -> str | Response:
    """Show visitors the front page; redirect members to their home."""
    if g.viewer:
        return redirect(url_for("timelines.home"), 303)
    page = store.public(site())
    latest = page.items[:FRONT_PAGE_SIZE]
    depends_on_members(uids_on_page(latest))
    return render_template(
        "index.html",
        latest=latest,
        viewer_state=page.viewer_state,
        is_fresh=not latest and is_fresh(db()),
    )


def _home(requester: Requester) -> Read[tuple[HomeSnapshot, HomeFrame, Found | None, Marks]]:
    snapshot = home_snapshot(site(), requester.uid or 0, cursor(), requester.session_key)
    has_digests = cursor() is None and "groups" in config().enabled_features
    marks = digest_marks(requester.uid, has_digests)
    return gather(snapshot, home_frame(requester.uid), promoted_read(requester), marks)


@bp.get("/home")
@in_loop
@prefetch(_home)
def home(prefetched: tuple[HomeSnapshot, HomeFrame, Found | None, Marks]) -> Response:
    """Show the member's home timeline, with a form to post.

    The first trip is `home/snapshot.py`, sent with the session; `home_page.py` makes the page.
    """
    (snapshot, frame, promoted, marks), filters = prefetched, filters_for("home")
    page = home_page(site(), snapshot, filters)
    popular = popular_posts(site(), snapshot, page, filters, language().code)
    fresh: Fresh = {"position": page.position, "composer_key": new_form_key}
    if cursor() or not (page.next and page.items and frame.read_up_to < page.items[-1].id):
        frame = replace(frame, read_up_to=0)  # nothing to go back to
    if marks:
        frame = replace(frame, digests=group_digests(db(), g.viewer.uid, marks))
    found = None if popular else promoted
    values = page, popular, found, counts_of(found), g.viewer.first_steps, frame

    def render() -> str | bytes:
        return _render_home(with_promoted(page, found, filters), popular, frame)

    return kept_page(values, render, fresh, replayable=True)


@bp.post("/home/position")
@in_loop
@rate_limited("views")
def mark_read() -> tuple[str, int]:
    """Remember the newest post that the member has read, for the next visit from any device."""
    status_id = parse_id(request.form.get("id", ""))
    if not status_id or status_id > first_id_at(int((time.time() + 60) * 1000)):
        raise Invalid("bad_cursor")
    frames.mark_read(db(), g.viewer.uid, home=status_id)
    return "", 204


@bp.get("/home/popular")
@in_loop
@prefetch(lambda requester: gather(hot_entries(config(), cursor()), home_frame(requester.uid)))
def popular(prefetched: tuple[Skeleton[str], HomeFrame]) -> Response:
    """Show popular posts as a tab of the member's home."""
    entries, frame = prefetched
    page = spread_page(site(), g.viewer.uid, entries, filters_for("public"))
    return render_kept("timelines/home_popular.html", page=page, frame=frame)


def _render_home(
    page: Timeline[Item], popular: Timeline[Status] | None, frame: HomeFrame
) -> str | bytes:
    stream = stream_for_timeline("home")
    if stream and page.next and page.items and not page.filtered and can_use_shell():
        return home_in_shell(page, stream, frame)
    return render_template(
        "timelines/home.html",
        page=page,
        popular=popular,
        frame=frame,
        live_stream=stream,
        composer_key=placeholder("composer_key") if cursor() is None else "",
    )


@bp.get("/public")
@in_loop
@prefetch(lambda one: gather(store.public_entries(config(), cursor()), visitor_trends(one)))
@cached("max_id")
def public(found: tuple[Skeleton[str], Ranking | None]) -> Response:
    """Show the public timeline."""
    entries, g.trends = found
    page = shared_page(site(), viewer_uid(), entries, filters_for("public"))
    depends_on_members(uids_on_page(page.items))
    fresh, stream = {"position": page.position}, stream_for_timeline("public")
    return render_kept(
        "timelines/public.html", fresh, replayable=True, page=page, live_stream=stream
    )


@bp.get("/@<login>")
@in_loop
@prefetch(owner_of_page)
@cached("max_id", prefetch=True)
def profile(owner: int, login: str) -> Response:
    """Show a member with their posts and boosts, without replies to others."""
    return _profile(owner, login, with_replies=False)


@bp.get("/@<login>/replies")
@in_loop
@prefetch(owner_of_page)
@cached("max_id", prefetch=True)
def replies(owner: int, login: str) -> Response:
    """Show a member's profile with their replies."""
    return _profile(owner, login, with_replies=True)


def _profile(owner: int, login: str, with_replies: bool) -> Response:
    found = profile_page(site(), ProfileQuery(login, g.viewer, cursor(), with_replies, owner=owner))
    member, timeline = found.profile.member, found.timeline
    if response := redirect_to_own(member, login, max_id=cursor()):
        return response
    uids = uids_on_page((*timeline.pinned, *timeline.items))
    depends_on_members(uids.union({member.uid}))
    return render_kept(
        "timelines/profile.html",
        {"position": timeline.position},
        replayable=True,
        profile=found.profile,
        relation=found.relation,
        page=_without_filtered(timeline),
        is_own=viewer_uid() == member.uid,
        hidden_from_viewer=is_hidden_from(g.viewer, found),
        live_stream=None if with_replies else stream_for_timeline(f"profile/{member.uid}"),
        tab="replies" if with_replies else "posts",
    )


def _without_filtered(timeline: Timeline[Item]) -> Timeline[Item]:
    """Return a profile's page without filtered statuses, pinned ones included."""
    pinned = without_filtered(Page(timeline.pinned), "profile")
    page = without_filtered(timeline, "profile")
    return replace(page, pinned=pinned.items, filtered=(*pinned.filtered, *page.filtered))
