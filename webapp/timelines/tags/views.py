"""The pages of hashtags, their feeds, and following them."""

import unicodedata
from collections.abc import Callable

from flask import Blueprint, Response as FlaskResponse, flash, g, redirect, request, url_for
from flask_babel import LazyString, lazy_gettext as _l

from webapp.accounts.collections import featured_tags
from webapp.core.errors import NotFound
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.rendering.live_updates import stream_for_timeline
from webapp.core.store import Read, gather
from webapp.core.text.parser import tag_name
from webapp.core.web import Response, cursor, in_loop, private_page, rate_limited, redirect_back
from webapp.core.web.context import config, db, site, viewer_uid
from webapp.core.web.prefetching import Requester, prefetch
from webapp.pagecache.decorators import cached, cached_for, depends_on_members
from webapp.statuses import Skeleton, Status, Timeline, uids_on_page
from webapp.statuses.filters import store as word_filters
from webapp.statuses.filters.apply import filters_for, viewer_filters
from webapp.statuses.promoted.promoted_post import Found, promoted_read, with_promoted
from webapp.timelines.feeds import render_feed
from webapp.timelines.hot.store import HOT_PAGE_SECONDS, hot_tagged_entries
from webapp.timelines.shared import shared_page
from webapp.timelines.store import tagged, tagged_entries

from . import store

bp = Blueprint("tags", __name__)
# Whether the member follows the hashtag, the hashtags on their profile, the entries of the page,
# and its promoted post.
Prefetched = tuple[bool, tuple[str, ...], Skeleton[str], Found | None]


def _tag(requester: Requester, name: str) -> Read[Prefetched]:
    tag = _parse_name_or_404(name)
    return _with_shared(requester, tag, tagged_entries(config(), tag, cursor()))


@bp.get("/tags/<name>")
@in_loop
@prefetch(_tag)
@cached("max_id")
def show(prefetched: Prefetched, name: str) -> str | Response:
    """Show the public statuses under a hashtag."""
    return _page(prefetched, name, is_hot=False)


def _hot_tag(requester: Requester, name: str) -> Read[Prefetched]:
    tag = _parse_name_or_404(name)
    return _with_shared(requester, tag, hot_tagged_entries(config(), tag, cursor()))


@bp.get("/tags/<name>/hot")
@prefetch(_hot_tag)
@cached("max_id")
def hot(prefetched: Prefetched, name: str) -> str | Response:
    """Show the public statuses under a hashtag, the most popular first."""
    cached_for(HOT_PAGE_SECONDS)
    return _page(prefetched, name, is_hot=True)


def _with_shared(requester: Requester, tag: str, entries: Read[Skeleton[str]]) -> Read[Prefetched]:
    """Read the values that both pages of a hashtag show: see `Prefetched`."""
    promoted = promoted_read(requester, (f"#{tag}", tag))
    own = store.is_followed(requester.uid, tag), featured_tags.featured(requester.uid)
    return gather(*own, entries, promoted)


def _page(prefetched: Prefetched, name: str, is_hot: bool) -> str | Response:
    tag = _parse_name_or_404(name)
    if tag != name:
        return redirect(url_for(str(request.endpoint), name=tag, max_id=cursor()), 301)
    is_followed, featured, entries, promoted = prefetched
    filters = filters_for(f"tag/{tag}")
    page = shared_page(site(), viewer_uid(), entries, filters)
    _depend_on_members(page)
    page = with_promoted(page, promoted, filters)
    return render_kept(
        "timelines/tags/show.html",
        {"position": page.position},
        replayable=True,
        page=page,
        name=name,
        followed=is_followed,
        featured=tag in featured,
        muted=word_filters.is_tag_muted(viewer_filters(), tag),
        is_hot=is_hot,
        live_stream=None if is_hot else stream_for_timeline(f"tag/{name}"),
    )


@bp.get("/tags/<name>.atom")
@cached()
def atom(name: str) -> Response:
    """Show the newest statuses under a hashtag as an Atom feed."""
    tag = _parse_name_or_404(name)
    if tag != name:
        return redirect(url_for("tags.atom", name=tag), 301)
    page = tagged(site(), name)
    _depend_on_members(page)
    page_url = url_for("tags.show", name=name, _external=True)
    return render_feed(f"#{name} · {config().site_name}", page_url, page.items)


def _button(
    verb: str, limit: str, act: Callable[[int, str], object], done: LazyString | None = None
) -> Callable[[str], Response]:
    """Declare a button of the viewer on the page of a hashtag. `done`: what is said afterwards."""

    @rate_limited(limit)
    def press(name: str) -> Response:
        tag = _parse_name_or_404(name)
        act(g.viewer.uid, tag)
        if done:
            flash(done % {"name": tag})
        return redirect_back(url_for("tags.show", name=tag))

    bp.post(f"/tags/<name>/{verb}", endpoint=verb)(press)
    return press


_button("follow", "follow", lambda uid, tag: store.follow(site(), uid, tag))
_unfollow = _button(
    "unfollow",
    "follow",
    lambda uid, tag: store.unfollow(site(), uid, tag),
    _l("You no longer follow #%(name)s."),
)
bp.delete("/tags/<name>/follow", endpoint="remove")(_unfollow)
_button(
    "mute",
    "edit",
    lambda uid, tag: word_filters.mute_tag(site(), uid, tag, viewer_filters()),
    _l("Posts with #%(name)s no longer show up in your timelines."),
)
_button(
    "unmute",
    "edit",
    lambda uid, tag: word_filters.unmute_tag(db(), uid, tag, viewer_filters()),
    _l("You unmuted #%(name)s."),
)
_button(
    "feature",
    "edit",
    lambda uid, tag: featured_tags.feature(site(), uid, tag),
    _l("#%(name)s is on your profile now."),
)
_button(
    "unfeature",
    "edit",
    lambda uid, tag: featured_tags.unfeature(site(), uid, tag),
    _l("#%(name)s is no longer on your profile."),
)


@bp.get("/settings/tags")
def index() -> FlaskResponse:
    """Show the hashtags that the member follows."""
    names = db().read(store.followed(g.viewer.uid))
    tags_max = config().followed_tags_max
    return private_page("timelines/tags/followed.html", names=names, tags_max=tags_max)


def _parse_name_or_404(name: str) -> str:
    """Return a hashtag's folded name. Raises NotFound."""
    return NotFound.unless(tag_name(unicodedata.normalize("NFC", name)), "no_tag")


def _depend_on_members(page: Timeline[Status]) -> None:
    """Let the page be cached, unless it is empty: anybody can think of thousands of hashtags."""
    if page.items:
        depends_on_members(uids_on_page(page.items))
