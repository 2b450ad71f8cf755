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

from .. import limits
from ..app import config, db
from ..db import Command
from ..errors import NotFound
from ..ids import parse_id
from ..pages import compact
from ..paging import cursor, early_cursor
from ..security import beside, public, safe_path, unkept
from ..visitors import cached, shows
from . import bookmarks, boosts, likes, store
from .acts import acts_now

bp = Blueprint("acts", __name__)
Answer = Response | dict[str, Any]


@bp.post("/statuses/<status_id>/like")
def like(status_id: str) -> Answer:
    """Likes a status."""
    number = _number(status_id)
    likes.like(db(), config(), g.viewer.uid, number)
    return _answer(number, "like", True)


@bp.post("/statuses/<status_id>/unlike")
@bp.delete("/statuses/<status_id>/like", endpoint="remove_like")
def unlike(status_id: str) -> Answer:
    """Takes a like back."""
    number = _number(status_id)
    likes.unlike(db(), config(), g.viewer.uid, number)
    return _answer(number, "like", False)


@bp.post("/statuses/<status_id>/boost")
def boost(status_id: str) -> Answer:
    """Boosts a status."""
    number = _number(status_id)
    boosts.boost(db(), config(), g.viewer.uid, number)
    return _answer(number, "boost", True)


@bp.post("/statuses/<status_id>/unboost")
@bp.delete("/statuses/<status_id>/boost", endpoint="remove_boost")
def unboost(status_id: str) -> Answer:
    """Takes a boost back."""
    number = _number(status_id)
    boosts.unboost(db(), config(), g.viewer.uid, number)
    return _answer(number, "boost", False)


@bp.post("/statuses/<status_id>/bookmark")
def bookmark(status_id: str) -> Answer:
    """Bookmarks a status."""
    number = _number(status_id)
    bookmarks.bookmark(db(), config(), g.viewer.uid, number)
    return _answer(number, "bookmark", True)


@bp.post("/statuses/<status_id>/unbookmark")
@bp.delete("/statuses/<status_id>/bookmark", endpoint="remove_bookmark")
def unbookmark(status_id: str) -> Answer:
    """Takes a bookmark away."""
    number = _number(status_id)
    bookmarks.unbookmark(db(), g.viewer.uid, number)
    return _answer(number, "bookmark", False)


def _bookmarks_command(uid: int, session: str) -> Command:
    return bookmarks.listed_command(uid, early_cursor(), config().page_size)


@bp.get("/bookmarks")
@beside(_bookmarks_command)
def index() -> FlaskResponse:
    """One's own bookmarks. Read beside the session."""
    page = bookmarks.listed(db(), g.viewer.uid, cursor(), config().page_size, g.session.beside[-1])
    return unkept(render_template("statuses/bookmarks.html", page=page))


@bp.get("/@<login>/<status_id>/likes")
@public
@cached("max_id")
def liking(login: str, status_id: str) -> str | Response:
    """Who likes a status."""
    return _people(login, status_id, "likes")


@bp.get("/@<login>/<status_id>/boosts")
@public
@cached("max_id")
def boosting(login: str, status_id: str) -> str | Response:
    """Who boosts it."""
    return _people(login, status_id, "boosts")


def _people(login: str, status_id: str, field: str) -> str | Response:
    number, viewer = parse_id(status_id), g.viewer.uid if g.viewer else None
    if number is None:
        abort(404)
    found = likes.liking(db(), number, cursor(), config().page_size, viewer, field)
    if found.author.login.lower() != login.lower():
        raise NotFound("no_status")
    if found.author.login != login:
        here = url_for(str(request.endpoint), login=found.author.login, status_id=number, max_id=cursor())
        return redirect(here, 301)
    shows([found.author.uid, *(member.uid for member in found.page.items)])
    template = f"statuses/{field}.html"
    return render_template(template, liking=found, page=found.page, status_id=number)


def _number(status_id: str) -> int:
    number = parse_id(status_id)
    if number is None:
        abort(404)
    limits.take(db(), ("like", str(g.viewer.uid), config().limit_like))
    return number


def _answer(status_id: int, act: str, done: bool) -> Answer:
    if request.accept_mimetypes.best == "application/json":
        return _looks(status_id, act, done)
    back = safe_path((request.form.get("next") or "").partition("#")[0]) or url_for("timelines.home")
    return redirect(f"{back}#status-{status_id}", 303)


def _looks(status_id: int, act: str, done: bool) -> dict[str, Any]:
    """Where the button leads now, whether it is pressed, the number beside it, what a screen reader says, and what
    stands on the way to who they are, as HTML.
    """
    endpoint = f"acts.{'un' if done else ''}{act}"
    looks = {"action": url_for(endpoint, status_id=status_id), "pressed": done}
    if act == "bookmark":
        return looks | {"count": "", "said": _("It is among your bookmarks.") if done else _("The bookmark is gone.")}
    (status,), acts, between = store.named(db(), [status_id], g.viewer.uid)
    acts = acts_now(db(), g.viewer.uid, acts)
    counted = acts.boosts if act == "boost" else acts.likes
    mirrored = (status.boosts if act == "boost" else status.likes) if status else 0
    count = counted(status_id, mirrored) if status and between.shown(status) else 0
    number = compact(count)
    if act == "boost":
        told = ngettext("%(num)d boost", "%(num)d boosts", count)
        acted = ngettext("<b>%(number)s</b> boost", "<b>%(number)s</b> boosts", count, number=number)
    else:
        told = ngettext("%(num)d like", "%(num)d likes", count)
        acted = ngettext("<b>%(number)s</b> like", "<b>%(number)s</b> likes", count, number=number)
    return looks | {"count": number if count else "", "said": told, "acted": acted}
