"""The pages of Explore, and hiding what trends there."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.i18n import preferences
from webapp.core.store.reads import Read, gather
from webapp.core.web.context import config, db
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.redirects import redirect_back
from webapp.core.web.security import no_store_page
from webapp.core.web.view_options import public
from webapp.errors import Invalid
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.filters.apply import filters_for
from webapp.statuses.items import uids_on_page
from webapp.timelines import store as timelines
from webapp.timelines.shared import SharedEntries, shared_page
from webapp.trends import hidden
from webapp.trends.current import rail_trends
from webapp.trends.items import is_tag, parse_item
from webapp.trends.ranking import Ranking, Trend, language_first
from webapp.trends.store import current, without

from . import groups

bp = Blueprint("explore", __name__)
bp.add_app_template_global(rail_trends)


def _trends(requester: Requester) -> Read[Ranking]:
    if requester.uid is None:
        return current()
    return gather(current(), hidden.hidden_by(requester.uid)).map(lambda found: without(*found))


def _posts(requester: Requester) -> Read[tuple[Ranking, SharedEntries]]:
    return gather(_trends(requester), timelines.public_entries(config()))


@bp.get("/explore")
@public
@prefetch(_posts)
@cached()
def index(found: tuple[Ranking, SharedEntries]) -> str:
    """Show the posts that are hot; the newest ones while none is."""
    g.trends, entries = found
    viewer_uid = g.viewer.uid if g.viewer else None
    page = shared_page(db(), config(), viewer_uid, entries, filters_for("public"))
    depends_on_members(uids_on_page(page.items))
    return render_template("explore/posts.html", page=page, tab="posts")


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


def _ranked_groups(_: Requester) -> Read[list[str]]:
    return groups.ranked_ids()


@bp.get("/explore/groups")
@public
@prefetch(_ranked_groups)
@cached()
def open_groups(cids: list[str]) -> str:
    """Show the open groups with most members who are not silent."""
    found, g.trends = db().fetch(groups.open_groups(cids), current())
    depends_on_members(())
    return render_template("explore/groups.html", groups=found, tab="groups")


@bp.get("/explore/hidden")
def hidden_trends() -> FlaskResponse:
    """Show what the member has hidden, to show it again."""
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
