"""What trends: hashtags, links and posts."""

from collections.abc import Sequence
from typing import ClassVar, TypeVar

import msgspec

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.status import Status
from webapp.client_api.entities.status_parts import (
    History,
    PreviewCard,
    Tag,
    own_tags,
    preview_card,
    tag_entity,
    usage_history,
)
from webapp.client_api.http import Listed, Ranked, site_address
from webapp.client_api.newer import sized
from webapp.client_api.presentation import present
from webapp.core.web import db, viewer_uid
from webapp.timelines.hot.store import hot_entries, spread_page
from webapp.timelines.trends.current import trends_for
from webapp.timelines.trends.ranking import Ranking
from webapp.timelines.trends.store import current

bp = ApiBlueprint("trends")
T = TypeVar("T")
POPULAR_MAX = 120  # popular posts that can be asked for


class TrendParameters(Ranked):
    """Which trends are asked for, counted from the highest."""

    limit: int = 10
    most: ClassVar[int] = 20


class TrendLink(PreviewCard, kw_only=True):
    """The card of a link that trends, and how many members shared it."""

    history: History


@bp.declare("GET /api/v1/trends", "", "trending", public=True)
@bp.declare("GET /api/v1/trends/tags", "", public=True)
def trending_tags(params: TrendParameters) -> Listed[Tag]:
    """Return the hashtags that trend, without those that the caller has hidden."""
    own = db().read(own_tags(viewer_uid()))
    trends = [tag_entity(one.name, own, usage_history(one.members)) for one in _ranking().tags]
    return _page(params, trends)


@bp.declare("GET /api/v1/trends/links", "", public=True)
def trending_links(params: TrendParameters) -> Listed[TrendLink]:
    """Return the links that trend, without those that the caller has hidden."""
    trends = [
        TrendLink(
            **msgspec.structs.asdict(preview_card(one.card, site_address())),
            history=usage_history(one.members),
        )
        for one in _ranking().links
        if one.card
    ]
    return _page(params, trends)


@bp.declare("GET /api/v1/trends/statuses", "", public=True)
def popular(params: Ranked) -> Listed[Status]:
    """Return popular posts."""
    own_site = sized(min(params.asked.stop, POPULAR_MAX))
    page = spread_page(own_site, viewer_uid(), db().read(hot_entries(own_site.config)))
    return _page(params, present(page.items, page.viewer_state))


def _page(params: Ranked, found: Sequence[T]) -> Listed[T]:
    """Return the part of a ranking that was asked for. A full one may lead to an empty one."""
    items = found[params.asked]
    return Listed(items, params.asked.stop if len(items) == params.size else None, by="offset")


def _ranking() -> Ranking:
    uid = viewer_uid()
    return db().read(trends_for(uid) if uid else current())
