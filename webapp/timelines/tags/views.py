"""The pages of hashtags, their feeds, and following them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.events.outbox import NEWEST_LOG_ENTRY
from webapp.core.live.live_updates import stream_for_timeline
from webapp.core.store.reads import Read, gather
from webapp.core.text.parser import tag_name
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.pagination import cursor
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.redirects import redirect_back
from webapp.core.web.security import no_store_page
from webapp.core.web.view_options import public as open_to_all
from webapp.errors import NotFound
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.filters.apply import without_filtered
from webapp.statuses.quotes.store import uids_on_page
from webapp.statuses.status import Status
from webapp.timelines import store
from webapp.timelines.feeds import feed
from webapp.timelines.timeline import Timeline

from . import store as tags

bp = Blueprint("tags", __name__)


def _tag_replies(requester: Requester, name: str) -> Read[tuple[bool, Sequence[Any]]]:
    page = Read(
        (NEWEST_LOG_ENTRY, store.tagged_command(config(), name, cursor())), lambda replies: replies
    )
    return gather(tags.is_followed(requester.uid, tag_name(name)), page)


@bp.get("/tags/<name>")
@open_to_all
@prefetch(_tag_replies)
@cached("max_id")
def show(prefetched: tuple[bool, Sequence[Any]], name: str) -> str | Response:
    """What everybody writes about something. Members' pages are read beside the session."""
    tag = _parse_name_or_404(name)
    if tag != name:
        return redirect(url_for("tags.show", name=tag, max_id=cursor()), 301)
    followed, page_replies = prefetched
    viewer = g.viewer.uid if g.viewer else None
    page = store.tagged(db(), config(), name, cursor(), viewer, page_replies)
    _declare_authors(page)
    context: dict[str, Any] = {
        "page": without_filtered(page, "public"),
        "name": name,
        "followed": followed,
    }
    return render_template(
        "timelines/tags/show.html",
        feed=stream_for_timeline(f"tag/{name}", page.position),
        **context,
    )


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
    return no_store_page(
        render_template(
            "timelines/tags/followed.html", names=names, tags_max=config().followed_tags_max
        )
    )


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
    rate_limits.consume(db(), ("follow", str(g.viewer.uid), config().limit_follow))


def _redirect_to_tag(name: str) -> Response:
    return redirect_back(url_for("tags.show", name=name))
