"""Atom feeds (RFC 4287) of a profile, of the public timeline, and of a member's own home."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from operator import attrgetter

from flask import Blueprint, Response, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as AnyResponse

from webapp.accounts.renaming.redirects import redirect_to_own
from webapp.core.web import anonymous, config, db, no_store, secret_path, site
from webapp.core.web.rate_limits import consume
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses import FilterSet, Status, Visibility, filters_of, status_of, uids_on_page

from . import private_feed, store
from .home.snapshot import home_snapshot
from .home_page import home_page
from .profile import ProfileQuery, profile_page

bp = Blueprint("feeds", __name__)
TITLE_MAX = 80  # characters of a status that titles show
NO_STATUS_YET = datetime(2026, 1, 1, tzinfo=UTC)
# XML 1.0 has no way to write these.
INVALID_XML_CHARS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@bp.get("/public.atom")
@cached()
def public() -> Response:
    """Show the newest public statuses."""
    page = store.public(site())
    depends_on_members(status.author.uid for status in page.items)
    return render_feed(
        _("Newest posts · Linnet"), url_for("timelines.public", _external=True), page.items
    )


@bp.get("/@<login>/feed.atom")
@cached("boosts")
def profile(login: str) -> AnyResponse:
    """Show a member's newest statuses; with `boosts=1` also those that they boosted."""
    boosts = 1 if request.args.get("boosts") == "1" else None
    found = profile_page(site(), ProfileQuery(login, None, with_boosts=bool(boosts)))
    member, page = found.profile.member, found.timeline
    if response := redirect_to_own(member, login, boosts=boosts):
        return response
    depends_on_members(uids_on_page(page.items) | {member.uid})
    name = _("%(name)s (@%(login)s)", name=member.name, login=member.login)
    items = sorted((*page.pinned, *page.items), key=attrgetter("id"), reverse=True)
    newest = {status.id: status for status in map(status_of, items)}.values()
    return render_feed(
        f"{name} · {config().site_name}",
        url_for("timelines.profile", login=login, _external=True),
        list(newest)[: config().page_size],
        url_for("feeds.profile", login=login, boosts=boosts, _external=True),
    )


@bp.get("/feeds/<key>/home.atom")
@secret_path
@anonymous
def home(key: str) -> AnyResponse:
    """Show a member's home to whoever has its secret key. Four trips at most.

    A post that a filter collapses gets the filter's words as its content warning.
    """
    member = private_feed.owner(db(), key)
    consume(db(), ("private_feed", str(member.uid), config().limit_search))
    snapshot, own = db().fetch(home_snapshot(site(), member.uid, None), filters_of(member.uid))
    filters = FilterSet(own, "home", member.uid)
    page = home_page(site(), snapshot, filters)
    found = {status.id: status for status in map(status_of, page.items)}.values()
    newest = [
        replace(one, cw=filters.warning_for(one) or one.cw)
        for one in found
        if one.visibility is not Visibility.GROUP
    ]
    page_url = url_for("timelines.home", _external=True)
    return no_store(render_feed(_("Home · Linnet"), page_url, newest))


def render_feed(
    title: str, page_url: str, statuses: Sequence[Status], feed_url: str = ""
) -> Response:
    """Return a feed of statuses, newest first. `page_url`: the page that shows the same.

    `feed_url`: its own address, if that has parameters.
    """
    xml = render_template(
        "timelines/feed.xml",
        title=title,
        page_url=page_url,
        feed_url=feed_url or request.base_url,
        statuses=statuses,
        updated=max((one.edited or one.created for one in statuses), default=NO_STATUS_YET),
        title_max=TITLE_MAX,
    )
    return Response(
        INVALID_XML_CHARS.sub("\N{REPLACEMENT CHARACTER}", xml),
        content_type="application/atom+xml; charset=utf-8",
    )
