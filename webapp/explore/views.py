"""The pages of Explore, and hiding trends there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask.wrappers import Response as FlaskResponse
from flask_babel import gettext as _

from webapp.chat.members.forms import NAME_MAX
from webapp.core.errors import Invalid
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store import Read, gather
from webapp.core.web import Response, cursor, private_page, public, rate_limited, redirect_back
from webapp.core.web.context import config, db, site
from webapp.core.web.prefetching import Requester, prefetch
from webapp.pagecache.decorators import cached, cached_for, depends_on_members
from webapp.statuses import Skeleton, Status, uids_on_page
from webapp.statuses.filters.apply import filters_for
from webapp.statuses.view_counts.viewers import current_batch
from webapp.timelines import store as timelines
from webapp.timelines.hot.store import HOT_PAGE_SECONDS, hot_entries, hot_languages, spread_page
from webapp.timelines.trends import hidden
from webapp.timelines.trends.current import rail_trends
from webapp.timelines.trends.items import is_tag, parse_item
from webapp.timelines.trends.ranking import Ranking, Trend, language_first
from webapp.timelines.trends.store import current, without

from . import languages, open_group_chats, seen
from .sample_posts import best_samples, posts_among, sample_entries
from .seen import SeenPosts

bp = Blueprint("explore", __name__)
bp.add_app_template_global(rail_trends)
NO_POSTS: Mapping[str, Sequence[Status]] = {}
TAGS_WITH_POSTS = 12  # hashtags that trend most
POSTS_OF_TAG = 2
TAGS_SECONDS = 60  # the page with their posts is cached so long at most
LANGUAGE_MIN = 5  # hot posts in a language; with fewer, those in all languages are shown


def _trends(requester: Requester) -> Read[Ranking]:
    if requester.uid is None:
        return current()
    return gather(current(), hidden.hidden_by(requester.uid)).map(lambda found: without(*found))


@dataclass(frozen=True, slots=True)
class Hot:
    """The sources of the page of popular posts: those in one language, in all, and the newest.

    `languages`: codes of the languages that have popular posts.
    """

    trends: Ranking
    in_language: Skeleton[str]
    in_all: Skeleton[str]
    newest: Skeleton[str]
    languages: Sequence[str]
    seen: SeenPosts


def _posts(requester: Requester) -> Read[Hot]:
    """Read popular posts in the language of the page and in all, and the newest."""
    window = seen.WINDOW if requester.uid and not languages.asked() else 0
    return gather(
        _trends(requester),
        hot_entries(config(), cursor(), languages.wanted(), window),
        hot_entries(config(), cursor(), limit=window),
        timelines.public_entries(config()),
        hot_languages(),
        seen.seen_posts(requester.uid),
    ).map(lambda found: Hot(*found))


@bp.get("/explore")
@prefetch(_posts)
@cached("max_id", "lang")
def index(found: Hot) -> Response:
    """Show popular posts in the reader's language, in all if there are few, or as `lang` asks.

    The newest are shown if none is popular. What a member has been shown before makes room for
    others, unless they ask for a language.
    """
    is_chosen = languages.asked() or cursor() is not None
    if is_chosen or len(found.in_language.entries) >= LANGUAGE_MIN:
        return _render_posts(found, found.in_language, languages.asked() or languages.own())
    entries = found.in_all if found.in_all.entries else found.newest
    return _render_posts(found, entries, languages.ALL, has_more=False)


@bp.get("/public/hot")
@bp.get("/explore/all")
@public
def in_all_languages() -> Response:
    """Redirect former addresses to the popular posts in all languages, or in the one they name."""
    target = url_for("explore.index", lang=languages.asked() or languages.ALL, max_id=cursor())
    return redirect(target, 301)


def _render_posts(
    found: Hot, entries: Skeleton[str], language: str, has_more: bool = True
) -> Response:
    """Render a page of posts. `has_more`: False if another page shows those that follow."""
    g.trends = found.trends
    is_hot = entries is not found.newest
    viewer_uid = g.viewer.uid if g.viewer and is_hot and not languages.asked() else None
    if viewer_uid:
        entries = found.seen.unseen_first(entries)
    page = spread_page(site(), g.viewer and g.viewer.uid, entries, filters_for("public"))
    if viewer_uid:
        command = seen.mark_shown(viewer_uid, found.seen, (item.id for item in page.items))
        current_batch().add_command(command)
    if page.items or languages.asked() in ("", languages.ALL):
        depends_on_members(uids_on_page(page.items))
    if languages.asked():
        cached_for(HOT_PAGE_SECONDS)
    return render_kept(
        "explore/posts.html",
        page=page if has_more else replace(page, next=None),
        tab="popular",
        is_hot=is_hot,
        chosen_language=language,
        hot_languages=languages.named(found.languages),
        pager_address=url_for("explore.index", lang=languages.asked() or None),
    )


@bp.get("/explore/tags")
@prefetch(_trends)
@cached()
def tags(ranking: Ranking) -> Response:
    """Show the hashtags that trend, those in the reader's language first, with posts."""
    trends = language_first(ranking.tags, languages.own())
    names = [trend.name for trend in trends[:TAGS_WITH_POSTS]]
    entries = db().read(sample_entries(names))
    found = posts_among(site(), g.viewer and g.viewer.uid, entries, filters_for("public"))
    posts = best_samples(found, POSTS_OF_TAG, languages.own())
    depends_on_members({post.author.uid for some in posts.values() for post in some})
    cached_for(TAGS_SECONDS)
    return _render_trends(ranking, "tags", trends, posts)


@bp.get("/explore/links")
@prefetch(_trends)
@cached()
def links(ranking: Ranking) -> Response:
    """Show the links that trend, those in the reader's language first."""
    depends_on_members(())
    return _render_trends(ranking, "links", language_first(ranking.links, languages.own()))


def _groups(_: Requester) -> Read[tuple[list[str], Ranking]]:
    text = _query()
    cids = open_group_chats.ids_by_name(text) if text else open_group_chats.ranked_ids()
    return gather(cids, current())


@bp.get("/explore/groups")
@prefetch(_groups)
@cached()
def open_groups(prefetched: tuple[list[str], Ranking]) -> str | Response:
    """Show the open group chats, larger and livelier ones first, or those that `q` names."""
    cids, g.trends = prefetched
    found = open_group_chats.visible(db(), cids)
    depends_on_members(found.owner_uids)
    render = render_template if _query() else render_kept  # what somebody searched for is not kept
    return render("explore/group_chats.html", chats=found.chats, tab="groups", query=_query())


def _query() -> str:
    """Return the part of a name by which the page of group chats is searched."""
    return request.args.get("q", "")[:NAME_MAX].strip()


@bp.get("/explore/hidden")
def hidden_trends() -> FlaskResponse:
    """Show the trends that the member has hidden, to show them again."""
    items = db().read(hidden.hidden_by(g.viewer.uid))
    return private_page("explore/hidden.html", items=items)


@bp.post("/explore/hide")
@rate_limited("like", "hide_trend")
def hide() -> Response:
    """Hide a hashtag or a link from the member."""
    item = _parse_item_or_422()
    hidden.hide(site(), g.viewer.uid, item)
    flash(_("Hidden. You won’t see it among the trends."))
    return redirect_back(url_for("explore.tags" if is_tag(item) else "explore.links"))


@bp.post("/explore/unhide")
@rate_limited("like", "hide_trend")
def unhide() -> Response:
    """Show the member a hidden hashtag or link again."""
    hidden.unhide(site(), g.viewer.uid, _parse_item_or_422())
    return redirect(url_for("explore.hidden_trends"), 303)


def _render_trends(
    ranking: Ranking,
    tab: str,
    trends: Sequence[Trend],
    posts: Mapping[str, Sequence[Status]] = NO_POSTS,
) -> Response:
    g.trends = ranking
    return render_kept("explore/trends.html", trends=trends, tab=tab, posts=posts)


def _parse_item_or_422() -> str:
    """Return the item that the form names. Raises Invalid."""
    item = parse_item(request.form.get("item", ""))
    if item is None:
        raise Invalid("bad_trend", _("That isn’t a hashtag or a link."))
    return item
