"""Atom feeds (RFC 4287) of a profile and of the public timeline, for readers that ask now and then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from flask import Blueprint, Response, redirect, render_template, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as AnyResponse

from webapp.core.web.context import config, db
from webapp.core.web.view_options import public as open_to_all
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.interactions.boosts import status_of
from webapp.statuses.status import Status

from . import store

bp = Blueprint("feeds", __name__)
TITLE_MAX = 80  # characters of a status in a list of titles
INVALID_XML_CHARS = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)  # XML 1.0 knows no way to write these


@bp.get("/public.atom")
@open_to_all
@cached()
def public() -> Response:
    """What everybody writes."""
    page = store.public(db(), config())
    depends_on_members(status.author.uid for status in page.items)
    return feed(_("Public · Linnet"), url_for("timelines.public", _external=True), page.items)


@bp.get("/@<login>/feed.atom")
@open_to_all
@cached()
def profile(login: str) -> AnyResponse:
    """What one member writes."""
    owner_profile, _relation, page = store.profile(db(), config(), login, None, with_boosts=False)
    member = owner_profile.member
    if member.login != login:
        return redirect(url_for("feeds.profile", login=member.login), 301)
    depends_on_members([member.uid])
    title = _("%(name)s (@%(login)s)", name=member.name, login=member.login)
    newest = sorted((*page.pinned, *map(status_of, page.items)), key=lambda status: -status.id)
    page_url = url_for("timelines.profile", login=login, _external=True)
    return feed(f"{title} · Linnet", page_url, newest[: config().page_size])


def feed(title: str, page_url: str, statuses: Sequence[Status]) -> Response:
    """A feed of statuses, newest first. `page_url`: the address of the page that shows the same."""
    updated = statuses[0].created if statuses else datetime(2026, 1, 1, tzinfo=UTC)
    context = {
        "title": title,
        "page_url": page_url,
        "statuses": statuses,
        "updated": updated,
        "title_max": TITLE_MAX,
    }
    xml = render_template("timelines/feed.xml", **context)
    return Response(
        INVALID_XML_CHARS.sub("\N{REPLACEMENT CHARACTER}", xml),
        content_type="application/atom+xml; charset=utf-8",
    )
