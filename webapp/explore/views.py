"""The pages of Explore, and hiding trends there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.errors import Invalid
from webapp.core.i18n import preferences
from webapp.core.store.reads import Read, gather
from webapp.core.web.context import config, db, site
from webapp.core.web.pagination import cursor
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.redirects import redirect_back
from webapp.core.web.security import no_store_page
from webapp.core.web.view_options import public
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.filters.apply import filters_for
from webapp.statuses.items import uids_on_page
from webapp.statuses.listings.pipeline import Skeleton
from webapp.statuses.view_counts.viewers import current_batch
from webapp.timelines import store as timelines
from webapp.timelines.hot.store import hot_entries
from webapp.timelines.shared import shared_page
from webapp.timelines.trends import hidden
from webapp.timelines.trends.current import rail_trends
from webapp.timelines.trends.items import is_tag, parse_item
from webapp.timelines.trends.ranking import Ranking, Trend, language_first
from webapp.timelines.trends.store import current, without

from . import groups, seen
from .seen import SeenPosts

bp = Blueprint("explore", __name__)
bp.add_app_template_global(rail_trends)
LANGUAGE_MIN = 5  # hot posts in a language; with fewer, those in all languages are shown


def _trends(requester: Requester) -> Read[Ranking]:
    if requester.uid is None:
        return current()
    return gather(current(), hidden.hidden_by(requester.uid)).map(lambda found: without(*found))


@dataclass(frozen=True, slots=True)
class Hot:
    """The sources of the page of posts: hot posts in the reader's language, in all, the newest."""

    trends: Ranking
    in_language: Skeleton[str]
    in_all: Skeleton[str]
    newest: Skeleton[str]
    seen: SeenPosts


def _posts(requester: Requester) -> Read[Hot]:
    """Read hot posts in the reader's language and in all, and the newest in case none is hot."""
    window = seen.WINDOW if requester.uid else 0
    return gather(
        _trends(requester),
        hot_entries(config(), cursor(), preferences.language().code, window),
        hot_entries(config(), cursor(), limit=window),
        timelines.public_entries(config()),
        seen.seen_posts(requester.uid),
    ).map(lambda found: Hot(*found))


@bp.get("/explore")
@public
@prefetch(_posts)
@cached("max_id")
def index(found: Hot) -> str:
    """Show hot posts in the reader's language, in all if there are few; the newest if none is.

    Those that a member has been shown before make room for others.
    """
    if cursor() is not None or len(found.in_language.entries) >= LANGUAGE_MIN:
        return _render_posts(found, found.in_language, of_language=True)
    entries = found.in_all if found.in_all.entries else found.newest
    return _render_posts(found, entries, has_more=False)


@bp.get("/explore/all")
@public
def in_all_languages() -> Response:
    """Redirect to the popular posts in all languages."""
    return redirect(url_for("hot.public"), 301)


def _render_posts(
    found: Hot, entries: Skeleton[str], of_language: bool = False, has_more: bool = True
) -> str:
    """Render a page of posts. `has_more`: False if another page shows those that follow."""
    g.trends = found.trends
    is_hot = entries is not found.newest
    viewer_uid = g.viewer.uid if g.viewer else None
    if is_hot and viewer_uid:
        entries = found.seen.unseen_first(entries)
    page = shared_page(site(), viewer_uid, entries, filters_for("public"))
    if is_hot and viewer_uid:
        command = seen.mark_shown(viewer_uid, found.seen, (item.id for item in page.items))
        current_batch().add_command(command)
    depends_on_members(uids_on_page(page.items))
    return render_template(
        "explore/posts.html",
        page=page if has_more else replace(page, next=None),
        tab="posts",
        is_hot=is_hot,
        of_language=of_language,
    )


@bp.get("/explore/tags")
@public
@prefetch(_trends)
@cached()
def tags(ranking: Ranking) -> str:
    """Show the hashtags that trend, those in the reader's language first."""
    return _render_trends(ranking, "tags", ranking.tags)


@bp.get("/explore/links")
@public
@prefetch(_trends)
@cached()
def links(ranking: Ranking) -> str:
    """Show the links that trend, those in the reader's language first."""
    return _render_trends(ranking, "links", ranking.links)


def _ranked_groups(_: Requester) -> Read[tuple[list[str], Ranking]]:
    return gather(groups.ranked_ids(), current())


@bp.get("/explore/groups")
@public
@prefetch(_ranked_groups)
@cached()
def open_groups(prefetched: tuple[list[str], Ranking]) -> str:
    """Show the open groups with most members who are not silent."""
    cids, g.trends = prefetched
    found = groups.open_groups(db(), cids)
    depends_on_members(found.owner_uids)
    return render_template("explore/groups.html", groups=found.chats, tab="groups")


@bp.get("/explore/hidden")
def hidden_trends() -> FlaskResponse:
    """Show the trends that the member has hidden, to show them again."""
    items = db().read(hidden.hidden_by(g.viewer.uid))
    return no_store_page(render_template("explore/hidden.html", items=items))


@bp.post("/explore/hide")
@rate_limited("like", "hide_trend")
def hide() -> Response:
    """Hide a hashtag or a link from the member."""
    item = _parse_item_or_422()
    hidden.hide(db(), g.viewer.uid, item)
    flash(_("Hidden. You won’t see it among the trends."))
    return redirect_back(url_for("explore.tags" if is_tag(item) else "explore.links"))


@bp.post("/explore/unhide")
@rate_limited("like", "hide_trend")
def unhide() -> Response:
    """Show the member a hidden hashtag or link again."""
    hidden.unhide(db(), g.viewer.uid, _parse_item_or_422())
    return redirect(url_for("explore.hidden_trends"), 303)


def _render_trends(ranking: Ranking, tab: str, trends: tuple[Trend, ...]) -> str:
    g.trends = ranking
    depends_on_members(())
    trends = language_first(trends, preferences.language().code)
    return render_template("explore/trends.html", trends=trends, tab=tab)


def _parse_item_or_422() -> str:
    """Return the item that the form names. Raises Invalid."""
    item = parse_item(request.form.get("item", ""))
    if item is None:
        raise Invalid("bad_trend", _("That isn’t a hashtag or a link."))
    return item
