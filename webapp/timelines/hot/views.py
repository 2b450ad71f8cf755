"""The page of hot posts, of all languages or of one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flask import Blueprint, Response, g, request, url_for
from flask_babel import get_locale

from webapp.core.errors import Invalid
from webapp.core.i18n import preferences
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store.reads import Read, gather
from webapp.core.web.context import config, site
from webapp.core.web.pagination import cursor
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.view_options import public as open_to_all
from webapp.pagecache.decorators import cached, cached_for, depends_on_members
from webapp.statuses.filters.apply import filters_for
from webapp.statuses.items import uids_on_page
from webapp.statuses.listings.pipeline import Skeleton
from webapp.timelines.home.frame import HomeFrame, home_frame
from webapp.timelines.trends.current import visitor_trends
from webapp.timelines.trends.ranking import Ranking

from . import store
from .spread import spread_page

bp = Blueprint("hot", __name__)
LANGUAGE_PATTERN = re.compile(r"[a-z]{2,3}")
LANGUAGES_MAX = 12  # of the choice
Prefetched = tuple[Skeleton[str], list[str], Ranking | None]


def _hot(requester: Requester) -> Read[Prefetched]:
    return gather(
        store.hot_entries(config(), cursor(), _language()),
        store.hot_languages(),
        visitor_trends(requester),
    )


@bp.get("/public/hot")
@open_to_all
@prefetch(_hot)
@cached("max_id", "lang")
def public(prefetched: Prefetched) -> Response:
    """Show the public posts that are popular now."""
    entries, languages, g.trends = prefetched
    viewer_uid = g.viewer.uid if g.viewer else None
    page = spread_page(site(), viewer_uid, entries, filters_for("public"))
    if page.items or not _language():
        depends_on_members(uids_on_page(page.items))
    cached_for(store.HOT_PAGE_SECONDS)
    return render_kept(
        "timelines/public.html",
        page=page,
        is_hot=True,
        chosen_language=_language(),
        hot_languages=_named(languages),
        pager_address=url_for("hot.public", lang=_language() or None),
    )


def _home(requester: Requester) -> Read[tuple[Skeleton[str], HomeFrame]]:
    return gather(store.hot_entries(config(), cursor()), home_frame(requester.uid))


@bp.get("/home/popular")
@prefetch(_home)
def home(prefetched: tuple[Skeleton[str], HomeFrame]) -> Response:
    """Show popular posts as a tab of the member's home."""
    entries, frame = prefetched
    page = spread_page(site(), g.viewer.uid, entries, filters_for("public"))
    return render_kept("timelines/home_popular.html", page=page, frame=frame)


def _language() -> str:
    """Return the language that the request asks for, "" for all. Raises Invalid."""
    language = request.args.get("lang", "")
    if language and not LANGUAGE_PATTERN.fullmatch(language):
        raise Invalid("bad_language")
    return language


def _named(languages: Sequence[str]) -> list[tuple[str, str]]:
    """Return the code and the name of the languages to choose from, the reader's own first."""
    own = preferences.language().code
    codes = sorted(languages, key=lambda code: code != own)[:LANGUAGES_MAX]
    locale = get_locale()
    names = locale.languages if locale else {}
    return [(code, names.get(code, code)) for code in codes]
