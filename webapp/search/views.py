"""The pages of search."""

from __future__ import annotations

from enum import Enum

from flask import Blueprint, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.net.proxies import client_network
from webapp.core.search.plan import Plan
from webapp.core.search.problems import describe
from webapp.core.search.syntax import Query, parse
from webapp.core.web.context import config, db
from webapp.core.web.pagination import cursor
from webapp.core.web.rate_limits import consume
from webapp.core.web.security import no_store_page
from webapp.core.web.view_options import anonymous, public
from webapp.errors import Invalid
from webapp.statuses.filters.apply import filters_for
from webapp.timelines.feeds import render_feed

from .people import search_people
from .posts import PostResults, search_latest, search_own, search_top

bp = Blueprint("search", __name__)


class Tab(Enum):
    """Where a query looks."""

    LATEST = "latest"
    TOP = "top"
    PEOPLE = "people"
    OWN = "own"


@bp.get("/search")
@public
def show() -> str | Response:
    """Search for `q` in a tab, or show how to search."""
    tab = _tab()
    if tab is Tab.OWN and not g.viewer:
        return redirect(url_for("accounts.login", next=request.full_path), 303)
    query = parse(request.args.get("q", ""))
    results = {}
    if query.text:
        consume(db(), ("search", client_network(), config().limit_search))
        results = _results(tab, query)
    return no_store_page(
        render_template(
            "search/show.html",
            query=query,
            tab=tab.value,
            problems=[describe(problem) for problem in query.problems],
            **results,
        )
    )


@bp.get("/search.atom")
@anonymous
def atom() -> Response:
    """Show the newest posts that match `q`, as an Atom feed for anybody."""
    query = parse(request.args.get("q", ""))
    if query.plan.is_empty:
        raise Invalid("no_query")
    consume(db(), ("search", client_network(), config().limit_search))
    posts = search_latest(db(), config(), query.plan, None)
    page_url = url_for("search.show", q=query.text, _external=True)
    return render_feed(
        _("Search: %(query)s · Linnet", query=query.text), page_url, posts.page.items
    )


def _results(tab: Tab, query: Query) -> dict[str, object]:
    viewer, before = g.viewer, cursor()
    if tab is Tab.PEOPLE:
        if query.people_plan.is_empty:
            return {}
        people = search_people(db(), config(), query.people_plan, viewer, before or 0)
        return {"people": people, "page": people.page}
    if query.plan.is_empty:
        return {}
    posts = _search_posts(tab, query.plan, before)
    return {"posts": posts, "page": posts.page}


def _search_posts(tab: Tab, plan: Plan, before: int | None) -> PostResults:
    if tab is Tab.OWN:
        return search_own(db(), config(), plan, g.viewer, before)
    filters = filters_for("public")
    if tab is Tab.TOP:
        return search_top(db(), config(), plan, g.viewer, before or 0, filters)
    return search_latest(db(), config(), plan, g.viewer, before, filters)


def _tab() -> Tab:
    try:
        return Tab(request.args.get("tab", Tab.LATEST.value))
    except ValueError:
        return Tab.LATEST
