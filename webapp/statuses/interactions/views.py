"""Like, boost and bookmark buttons, and the lists of who likes or boosts.

A form leads back to its status. The script that sends it without leaving the page gets the new
state of the button instead.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, g, render_template, url_for
from werkzeug.wrappers import Response

from webapp.core.net.proxies import posting_network
from webapp.core.web.context import config, db, site
from webapp.core.web.pagination import cursor
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.redirects import redirect_back, wants_json
from webapp.core.web.view_options import public
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.permalinks import canonical_redirect

from . import bookmarks, boosts, likes
from . import likers as likers_store
from .button_rendering import button_state

bp = Blueprint("interactions", __name__)
ResponseValue = Response | dict[str, Any]


@bp.post("/statuses/<id:status_id>/like")
@rate_limited("like")
def like(status_id: int) -> ResponseValue:
    """Like a status."""
    likes.like(site(), g.viewer.uid, status_id)
    return _respond(status_id, "like", True)


@bp.post("/statuses/<id:status_id>/unlike")
@bp.delete("/statuses/<id:status_id>/like", endpoint="remove_like")
@rate_limited("like")
def unlike(status_id: int) -> ResponseValue:
    """Take a like back."""
    likes.unlike(site(), g.viewer.uid, status_id)
    return _respond(status_id, "like", False)


@bp.post("/statuses/<id:status_id>/boost")
@rate_limited("like")
def boost(status_id: int) -> ResponseValue:
    """Boost a status."""
    boosts.boost(site(), g.viewer.uid, status_id, posting_network(config()))
    return _respond(status_id, "boost", True)


@bp.post("/statuses/<id:status_id>/unboost")
@bp.delete("/statuses/<id:status_id>/boost", endpoint="remove_boost")
@rate_limited("like")
def unboost(status_id: int) -> ResponseValue:
    """Take a boost back."""
    boosts.unboost(site(), g.viewer.uid, status_id)
    return _respond(status_id, "boost", False)


@bp.post("/statuses/<id:status_id>/bookmark")
@rate_limited("like")
def bookmark(status_id: int) -> ResponseValue:
    """Bookmark a status."""
    bookmarks.bookmark(site(), g.viewer.uid, status_id)
    return _respond(status_id, "bookmark", True)


@bp.post("/statuses/<id:status_id>/unbookmark")
@bp.delete("/statuses/<id:status_id>/bookmark", endpoint="remove_bookmark")
@rate_limited("like")
def unbookmark(status_id: int) -> ResponseValue:
    """Remove a bookmark."""
    bookmarks.unbookmark(site(), g.viewer.uid, status_id)
    return _respond(status_id, "bookmark", False)


@bp.get("/@<login>/<id:status_id>/likes")
@public
@cached("max_id")
def likers(login: str, status_id: int) -> str | Response:
    """Show who likes a status."""
    return _render_members(login, status_id, "likes")


@bp.get("/@<login>/<id:status_id>/boosts")
@public
@cached("max_id")
def boosters(login: str, status_id: int) -> str | Response:
    """Show who boosts a status."""
    return _render_members(login, status_id, "boosts")


def _render_members(login: str, status_id: int, field: str) -> str | Response:
    viewer = g.viewer.uid if g.viewer else None
    found = likers_store.likers(db(), status_id, cursor(), config().page_size, viewer, field)
    if response := canonical_redirect(found.author, login, max_id=cursor()):
        return response
    depends_on_members([found.author.uid, *(member.uid for member in found.page.items)])
    template = f"statuses/interactions/{field}.html"
    return render_template(template, members_page=found, page=found.page, status_id=status_id)


def _respond(status_id: int, interaction: str, active: bool) -> ResponseValue:
    if wants_json():
        return button_state(status_id, interaction, active)
    return redirect_back(url_for("timelines.home"), f"status-{status_id}")
