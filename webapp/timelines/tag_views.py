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
from ..events import NEWEST_LOG_ENTRY
from ..live import stream_for_timeline
from ..paging import cursor, cursor_or_none
from ..security import redirect_back, prefetch, no_store_page
from ..security import public as open_to_all
from ..statuses.quotes import uids_on_page
from ..statuses.sieving import without_filtered
from ..statuses.status import Status
from ..text import tag_name
from ..visitors import cached, depends_on_members
from . import store, tags
from .feeds import feed
from .timeline import Timeline

bp = Blueprint("tags", __name__)


def _followed_command(uid: int, session: str) -> Command:
    return tags.followed_command(uid, tag_name((request.view_args or {})["name"]))


def _tagged_command(uid: int, session: str) -> Command:
    return store.tagged_command(config(), (request.view_args or {})["name"], cursor_or_none())


@bp.get("/tags/<name>")
@open_to_all
@prefetch(_followed_command, lambda uid, session: NEWEST_LOG_ENTRY, _tagged_command)
@cached("max_id")
def show(name: str) -> str | Response:
    """What everybody writes about something. Members' pages are read beside the session."""
    tag = _parse_name_or_404(name)
    if tag != name:
        return redirect(url_for("tags.show", name=tag, max_id=cursor()), 301)
    viewer, (score, *prefetched) = (g.viewer.uid, g.session.prefetched[-3:]) if g.viewer else (None, [None])
    page = store.tagged(db(), config(), name, cursor(), viewer, prefetched)
    _declare_authors(page)
    followed = score is not None
    context: dict[str, Any] = {"page": without_filtered(page, "public"), "name": name, "followed": followed}
    return render_template("timelines/tag.html", feed=stream_for_timeline(f"tag/{name}", page.position), **context)


@bp.get("/tags/<name>.atom")
@open_to_all
@cached()
def atom(name: str) -> Response:
    """The same, for readers that ask now and then."""
    tag = _parse_name_or_404(name)
    if tag != name:
        return redirect(url_for("tags.atom", name=tag), 301)
    page = store.tagged(db(), config(), name)
    _declare_authors(page)
    return feed(f"#{name} · Linnet", url_for("tags.show", name=name, _external=True), page.items)


@bp.post("/tags/<name>/follow")
def follow(name: str) -> Response:
    """Follows a hashtag."""
    tag = _parse_name_or_404(name)
    _consume_rate_limit()
    tags.follow(db(), config(), g.viewer.uid, tag)
    return _redirect_to_tag(tag)


@bp.post("/tags/<name>/unfollow")
@bp.delete("/tags/<name>/follow", endpoint="remove")
def unfollow(name: str) -> Response:
    """Follows it no more."""
    tag = _parse_name_or_404(name)
    _consume_rate_limit()
    tags.unfollow(db(), config(), g.viewer.uid, tag)
    flash(_("You do not follow #%(name)s any more.", name=tag))
    return _redirect_to_tag(tag)


@bp.get("/settings/tags")
def index() -> FlaskResponse:
    """Which hashtags one follows."""
    names = tags.followed(db(), g.viewer.uid)
    return no_store_page(render_template("settings/tags.html", names=names, tags_max=config().followed_tags_max))


def _parse_name_or_404(name: str) -> str:
    tag = tag_name(unicodedata.normalize("NFC", name))
    if not tag:
        raise NotFound("no_tag")
    return tag


def _declare_authors(page: Timeline[Status]) -> None:
    """A page with nothing on it is not kept: anybody can think of thousands."""
    if page.items:
        depends_on_members(uids_on_page(page.items))


def _consume_rate_limit() -> None:
    limits.consume(db(), ("follow", str(g.viewer.uid), config().limit_follow))


def _redirect_to_tag(name: str) -> Response:
    return redirect_back(url_for("tags.show", name=name))
