"""The pages of hashtags, their feeds, and following them."""

from __future__ import annotations

import unicodedata
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from .. import limits
from ..app import config, db
from ..db import Command
from ..errors import NotFound
from ..events import NEWEST
from ..live import listening
from ..paging import cursor, early_cursor
from ..security import back, beside, unkept
from ..security import public as open_to_all
from ..statuses.quotes import uids_of
from ..statuses.sieving import sieved
from ..statuses.status import Status
from ..text import tag_name
from ..visitors import cached, shows
from . import store, tags
from .feeds import feed
from .timeline import Timeline

bp = Blueprint("tags", __name__)


def _followed_command(uid: int, session: str) -> Command:
    return tags.followed_command(uid, tag_name((request.view_args or {})["name"]))


def _tagged_command(uid: int, session: str) -> Command:
    return store.tagged_command(config(), (request.view_args or {})["name"], early_cursor())


@bp.get("/tags/<name>")
@open_to_all
@beside(_followed_command, lambda uid, session: NEWEST, _tagged_command)
@cached("max_id")
def show(name: str) -> str | Response:
    """What everybody writes about something. Members' pages are read beside the session."""
    known = _known(name)
    if known != name:
        return redirect(url_for("tags.show", name=known, max_id=cursor()), 301)
    viewer, (score, *told) = (g.viewer.uid, g.session.beside[-3:]) if g.viewer else (None, [None])
    page = store.tagged(db(), config(), name, cursor(), viewer, told)
    _say_who(page)
    followed = score is not None
    shown: dict[str, Any] = {"page": sieved(page, "public"), "name": name, "followed": followed}
    return render_template("timelines/tag.html", feed=listening(f"tag/{name}", page.position), **shown)


@bp.get("/tags/<name>.atom")
@open_to_all
@cached()
def atom(name: str) -> Response:
    """The same, for readers that ask now and then."""
    known = _known(name)
    if known != name:
        return redirect(url_for("tags.atom", name=known), 301)
    page = store.tagged(db(), config(), name)
    _say_who(page)
    return feed(f"#{name} · Linnet", url_for("tags.show", name=name, _external=True), page.items)


@bp.post("/tags/<name>/follow")
def follow(name: str) -> Response:
    """Follows a hashtag."""
    known = _known(name)
    _count()
    tags.follow(db(), config(), g.viewer.uid, known)
    return _back(known)


@bp.post("/tags/<name>/unfollow")
@bp.delete("/tags/<name>/follow", endpoint="remove")
def unfollow(name: str) -> Response:
    """Follows it no more."""
    known = _known(name)
    _count()
    tags.unfollow(db(), config(), g.viewer.uid, known)
    flash(_("You do not follow #%(name)s any more.", name=known))
    return _back(known)


@bp.get("/settings/tags")
def index() -> FlaskResponse:
    """Which hashtags one follows."""
    names = tags.listed(db(), g.viewer.uid)
    return unkept(render_template("settings/tags.html", names=names, most=config().followed_tags_max))


def _known(name: str) -> str:
    known = tag_name(unicodedata.normalize("NFC", name))
    if not known:
        raise NotFound("no_tag")
    return known


def _say_who(page: Timeline[Status]) -> None:
    """A page with nothing on it is not kept: anybody can think of thousands."""
    if page.items:
        shows(uids_of(page.items))


def _count() -> None:
    limits.take(db(), ("follow", str(g.viewer.uid), config().limit_follow))


def _back(name: str) -> Response:
    return back(url_for("tags.show", name=name))
