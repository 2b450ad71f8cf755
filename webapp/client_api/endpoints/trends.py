"""What trends: hashtags, links and posts."""

from collections.abc import Sequence
from typing import ClassVar

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
from webapp.client_api.newer import ranked_page, sized
from webapp.client_api.presentation import present
from webapp.core.store import Read, collect
from webapp.core.web import db, viewer_uid
from webapp.timelines.hot.store import hot_entries, spread_page
from webapp.timelines.trends.current import trends_for
from webapp.timelines.trends.ranking import Ranking, Trend
from webapp.timelines.trends.store import current

bp = ApiBlueprint("trends")
POPULAR_MAX = 120  # popular posts, whose order depends on how many they are


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
    page = ranked_page(params, _ranking().tags)
    own, histories = db().fetch(own_tags(viewer_uid()), _histories(page.items))
    shown = zip(page.items, histories, strict=True)
    return page.showing([tag_entity(one.name, own, history) for one, history in shown])


@bp.declare("GET /api/v1/trends/links", "", public=True)
def trending_links(params: TrendParameters) -> Listed[TrendLink]:
    """Return the links that trend, without those that the caller has hidden."""
    page = ranked_page(params, [one for one in _ranking().links if one.card])
    cards = [preview_card(one.card, site_address()) for one in page.items if one.card]
    shown = zip(cards, db().read(_histories(page.items)), strict=True)
    return page.showing(
        [TrendLink(**msgspec.structs.asdict(card), history=history) for card, history in shown]
    )


@bp.declare("GET /api/v1/trends/statuses", "", public=True)
def popular(params: Ranked) -> Listed[Status]:
    """Return popular posts."""
    own_site = sized(POPULAR_MAX)
    found = spread_page(own_site, viewer_uid(), db().read(hot_entries(own_site.config)))
    page = ranked_page(params, found.items)
    return page.showing(present(page.items, found.viewer_state))


def _histories(trends: Sequence[Trend]) -> Read[list[History]]:
    return collect(usage_history(one.item, one.members) for one in trends)


def _ranking() -> Ranking:
    uid = viewer_uid()
    return db().read(trends_for(uid) if uid else current())
