"""Liking, boosting and bookmarking, who likes or boosts a status, and one's own bookmarks. A form leads back to the
status it stood under; the module that sends it without leaving the page (acts.js) is told how the button looks now.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from flask_babel import ngettext
from werkzeug.wrappers import Response

from webapp.core.i18n.formatting import format_number
from webapp.core.store.ids import parse_id
from webapp.core.store.reads import Read
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.pagination import cursor
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.redirects import safe_path
from webapp.core.web.security import no_store_page
from webapp.core.web.view_options import public
from webapp.errors import NotFound
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.hydration import hydrate
from webapp.statuses.items import status_of
from webapp.statuses.lookup import entries_of

from . import bookmarks, boosts, likes
from . import likers as likers_store
from .bookmarks import Bookmark, newest_bookmarks
from .viewer_reads import recent_counts

bp = Blueprint("acts", __name__)
ResponseValue = Response | dict[str, Any]


@bp.post("/statuses/<status_id>/like")
def like(status_id: str) -> ResponseValue:
    """Likes a status."""
    parsed_id = _consume_limit_and_parse(status_id)
    likes.like(db(), config(), g.viewer.uid, parsed_id)
    return _respond(parsed_id, "like", True)


@bp.post("/statuses/<status_id>/unlike")
@bp.delete("/statuses/<status_id>/like", endpoint="remove_like")
def unlike(status_id: str) -> ResponseValue:
    """Takes a like back."""
    parsed_id = _consume_limit_and_parse(status_id)
    likes.unlike(db(), config(), g.viewer.uid, parsed_id)
    return _respond(parsed_id, "like", False)


@bp.post("/statuses/<status_id>/boost")
def boost(status_id: str) -> ResponseValue:
    """Boosts a status."""
    parsed_id = _consume_limit_and_parse(status_id)
    boosts.boost(db(), config(), g.viewer.uid, parsed_id)
    return _respond(parsed_id, "boost", True)


@bp.post("/statuses/<status_id>/unboost")
@bp.delete("/statuses/<status_id>/boost", endpoint="remove_boost")
def unboost(status_id: str) -> ResponseValue:
    """Takes a boost back."""
    parsed_id = _consume_limit_and_parse(status_id)
    boosts.unboost(db(), config(), g.viewer.uid, parsed_id)
    return _respond(parsed_id, "boost", False)


@bp.post("/statuses/<status_id>/bookmark")
def bookmark(status_id: str) -> ResponseValue:
    """Bookmarks a status."""
    parsed_id = _consume_limit_and_parse(status_id)
    bookmarks.bookmark(db(), config(), g.viewer.uid, parsed_id)
    return _respond(parsed_id, "bookmark", True)


@bp.post("/statuses/<status_id>/unbookmark")
@bp.delete("/statuses/<status_id>/bookmark", endpoint="remove_bookmark")
def unbookmark(status_id: str) -> ResponseValue:
    """Takes a bookmark away."""
    parsed_id = _consume_limit_and_parse(status_id)
    bookmarks.unbookmark(db(), g.viewer.uid, parsed_id)
    return _respond(parsed_id, "bookmark", False)


def _newest_bookmarks(requester: Requester) -> Read[list[Bookmark]]:
    return newest_bookmarks(requester.uid or 0, cursor(), config().page_size)


@bp.get("/bookmarks")
@prefetch(_newest_bookmarks)
def index(found: list[Bookmark]) -> FlaskResponse:
    """Show the member's bookmarks, newest first."""
    page = bookmarks.bookmarks_page(db(), g.viewer.uid, cursor(), config().page_size, found)
    return no_store_page(render_template("statuses/interactions/bookmarks.html", page=page))


@bp.get("/@<login>/<status_id>/likes")
@public
@cached("max_id")
def likers(login: str, status_id: str) -> str | Response:
    """Who likes a status."""
    return _render_members(login, status_id, "likes")


@bp.get("/@<login>/<status_id>/boosts")
@public
@cached("max_id")
def boosters(login: str, status_id: str) -> str | Response:
    """Who boosts it."""
    return _render_members(login, status_id, "boosts")


def _render_members(login: str, status_id: str, field: str) -> str | Response:
    parsed_id, viewer = parse_id(status_id), g.viewer.uid if g.viewer else None
    if parsed_id is None:
        abort(404)
    result = likers_store.likers(db(), parsed_id, cursor(), config().page_size, viewer, field)
    if result.author.login.lower() != login.lower():
        raise NotFound("no_status")
    if result.author.login != login:
        canonical_url = url_for(
            str(request.endpoint), login=result.author.login, status_id=parsed_id, max_id=cursor()
        )
        return redirect(canonical_url, 301)
    depends_on_members([result.author.uid, *(member.uid for member in result.page.items)])
    template = f"statuses/interactions/{field}.html"
    return render_template(template, members_page=result, page=result.page, status_id=parsed_id)


def _consume_limit_and_parse(status_id: str) -> int:
    parsed_id = parse_id(status_id)
    if parsed_id is None:
        abort(404)
    rate_limits.consume(db(), ("like", str(g.viewer.uid), config().limit_like))
    return parsed_id


def _respond(status_id: int, interaction: str, active: bool) -> ResponseValue:
    if request.accept_mimetypes.best == "application/json":
        return _button_state(status_id, interaction, active)
    return_path = safe_path((request.form.get("next") or "").partition("#")[0]) or url_for(
        "timelines.home"
    )
    return redirect(f"{return_path}#status-{status_id}", 303)


def _button_state(status_id: int, interaction: str, active: bool) -> dict[str, Any]:
    """Where the button leads now, whether it is pressed, the number beside it, what a screen reader says, and what
    stands on the way to who they are, as HTML.
    """
    endpoint = f"acts.{'un' if active else ''}{interaction}"
    button = {"action": url_for(endpoint, status_id=status_id), "pressed": active}
    if interaction == "bookmark":
        return button | {
            "count": "",
            "said": _("It is among your bookmarks.") if active else _("The bookmark is gone."),
        }
    page = db().read(hydrate(db().read(entries_of([status_id])), g.viewer.uid))
    status = status_of(page.visible[0]) if page.visible else None
    state = db().read(recent_counts(g.viewer.uid, page.viewer_state))
    exact_count = state.boost_count if interaction == "boost" else state.like_count
    projected = (status.boosts if interaction == "boost" else status.likes) if status else 0
    count = exact_count(status_id, projected) if status else 0
    number = format_number(count)
    if interaction == "boost":
        spoken_text = ngettext("%(num)d boost", "%(num)d boosts", count)
        link_html = ngettext(
            "<b>%(number)s</b> boost", "<b>%(number)s</b> boosts", count, number=number
        )
    else:
        spoken_text = ngettext("%(num)d like", "%(num)d likes", count)
        link_html = ngettext(
            "<b>%(number)s</b> like", "<b>%(number)s</b> likes", count, number=number
        )
    return button | {"count": number if count else "", "said": spoken_text, "acted": link_html}
