"""The pages of search."""

from enum import Enum

from flask import Blueprint, Response as FlaskResponse, flash, g, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.errors import Conflict, Invalid
from webapp.core.metrics import recorder
from webapp.core.metrics.names import SEARCHES
from webapp.core.rendering.live_updates import stream_for_search
from webapp.core.search.plan import Plan
from webapp.core.search.problems import describe
from webapp.core.search.syntax import QUERY_MAX, Query, parse
from webapp.core.store import Read, constant, gather
from webapp.core.web import Requester, cursor, db, prefetch, private_page, redirect_back, site
from webapp.core.web.rate_limits import consume_for_requester, rate_limited
from webapp.core.web.view_options import anonymous, from_replicas, public
from webapp.statuses.filters.apply import filters_for
from webapp.statuses.promoted.promoted_post import Found, page_words, promoted_read, with_promoted
from webapp.timelines.feeds import render_feed

from .hashtags import search_hashtags, tag_words
from .index.layout import remembered_layout
from .people import count_people, search_people
from .posts import PostResults, has_posts, search_latest, search_own, search_top
from .saved import store as saved_searches
from .saved.store import SAVED_MAX, SavedSearch

bp = Blueprint("search", __name__)


class Tab(Enum):
    """Where a query looks."""

    LATEST = "latest"
    TOP = "top"
    PEOPLE = "people"
    TAGS = "tags"
    OWN = "own"


def _saved(requester: Requester) -> Read[tuple[SavedSearch, ...]]:
    return saved_searches.saved_by(requester.uid) if requester.uid else constant(())


def _results_of(requester: Requester) -> Read[tuple[tuple[SavedSearch, ...], Found | None]]:
    """Read the saved searches and the promoted post of a page of results.

    The process also remembers the layout of the index.
    """
    words = page_words(request.args.get("q", "")[:QUERY_MAX])
    promoted = promoted_read(requester, words) if words and _tab() in PROMOTING else constant(None)
    reads = gather(_saved(requester), promoted, remembered_layout(site()))
    return reads.map(lambda found: found[:2])


PROMOTING = (Tab.LATEST, Tab.TOP)


@bp.get("/search")
@public
@from_replicas
@prefetch(_results_of)
def show(found: tuple[tuple[SavedSearch, ...], Found | None]) -> str | Response:
    """Search for `q` in a tab, or show how to search."""
    tab, query = _tab(), parse(request.args.get("q", ""))
    if tab is Tab.OWN and not g.viewer:
        return redirect(url_for("accounts.login", next=request.full_path), 303)
    saved, promoted = found
    return _render(tab, query, SavedSearch(tab.value, query.text) in saved, promoted=promoted)


@bp.get("/search/saved")
@prefetch(_saved)
def saved(found: tuple[SavedSearch, ...]) -> FlaskResponse:
    """Show the searches that the member has saved."""
    return private_page("search/saved.html", searches=found, searches_max=SAVED_MAX)


@bp.post("/search/saved")
@rate_limited("like", "save_search")
def save() -> Response:
    """Save a search, then show its results again."""
    tab, query = _tab(), parse(request.form.get("q", ""))
    if not query.text:
        raise Invalid("no_query")
    try:
        saved_searches.save(site(), g.viewer.uid, SavedSearch(tab.value, query.text))
    except Conflict as refusal:
        return _render(tab, query, refusal=str(refusal.sentence), status=refusal.status)
    return redirect(url_for("search.show", q=query.text, tab=tab.value), 303)


@bp.post("/search/saved/remove")
@rate_limited("like", "save_search")
def remove() -> Response:
    """Remove a saved search."""
    search = SavedSearch(_tab().value, request.form.get("q", ""))
    if saved_searches.remove(site(), g.viewer.uid, search):
        flash(_("Removed from your saved searches."))
    return redirect_back(url_for("search.saved"))


@bp.get("/search.atom")
@anonymous
@from_replicas
def atom() -> Response:
    """Show the newest posts that match `q`, as an Atom feed for anybody."""
    query = parse(request.args.get("q", ""))
    if query.plan.is_empty:
        raise Invalid("no_query")
    consume_for_requester("search")
    posts = search_latest(site(), query.plan, None)
    page_url = url_for("search.show", q=query.text, _external=True)
    feed_url = url_for("search.atom", q=query.text, _external=True)
    title = _("Search: %(query)s · Linnet", query=query.text)
    return render_feed(title, page_url, posts.page.items, feed_url)


def _render(
    tab: Tab,
    query: Query,
    is_saved: bool = False,
    refusal: str = "",
    status: int = 200,
    promoted: Found | None = None,
) -> Response:
    """Render the results of a query. `refusal`: why it was not saved."""
    results = {}
    if query.text:
        consume_for_requester("search")
        recorder.count(SEARCHES)
        results = _results(tab, query, promoted)
    return private_page(
        "search/show.html",
        status,
        query=query,
        tab=tab.value,
        problems=[describe(problem) for problem in query.problems],
        is_saved=is_saved,
        refusal=refusal,
        **results,
    )


def _results(tab: Tab, query: Query, promoted: Found | None) -> dict[str, object]:
    viewer, before = g.viewer, cursor()
    if tab is Tab.PEOPLE:
        if query.people_plan.is_empty:
            return {}
        people = search_people(site(), query, viewer, before or 0)
        is_empty = not (people.page.items or before)
        other = is_empty and has_posts(site(), query.plan)
        return {"people": people, "page": people.page, "has_posts": other}
    if tab is Tab.TAGS:
        words = tag_words(query.text)
        tags = search_hashtags(db(), words, before or 0) if words else None
        return {"tags": tags.items, "page": tags} if tags else {}
    if query.plan.is_empty:
        return {}
    posts = _search_posts(tab, query.plan, before)
    page = with_promoted(posts.page, promoted, filters_for("public"))
    is_live = tab is Tab.LATEST and request.method == "GET"
    stream = stream_for_search(query.text, posts.page.position) if is_live else None
    count = count_people(site(), query, viewer) if posts.is_empty else 0
    return {"posts": posts, "page": page, "live_stream": stream, "people_count": count}


def _search_posts(tab: Tab, plan: Plan, before: int | None) -> PostResults:
    if tab is Tab.OWN:
        return search_own(site(), plan, g.viewer, before)
    filters = filters_for("public")
    if tab is Tab.TOP:
        return search_top(site(), plan, g.viewer, before or 0, filters)
    return search_latest(site(), plan, g.viewer, before, filters)


def _tab() -> Tab:
    try:
        return Tab(request.values.get("tab", Tab.LATEST.value))
    except ValueError:
        return Tab.LATEST
