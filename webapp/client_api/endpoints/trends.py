"""What trends: hashtags, links and posts."""

from dataclasses import replace
from typing import ClassVar

import msgspec
from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.status import Status
from webapp.client_api.entities.status_parts import (
    History,
    PreviewCard,
    Tag,
    preview_card,
    tag_entity,
    usage_history,
)
from webapp.client_api.http import Parameters, site_address
from webapp.client_api.presentation import present_page
from webapp.core.store import Site
from webapp.core.web import db, site, viewer_uid
from webapp.timelines.hot.store import hot
from webapp.timelines.tags import store as tags
from webapp.timelines.trends.current import trends_for
from webapp.timelines.trends.ranking import Ranking
from webapp.timelines.trends.store import current

bp = ApiBlueprint("trends")
POPULAR_MAX = 120  # popular posts that can be asked for


class TrendParameters(Parameters):
    """Which trends are asked for, counted from the highest."""

    limit: int = 10
    offset: int = 0
    most: ClassVar[int] = 20

    @property
    def asked(self) -> slice:
        """Return the part of a ranking."""
        start = max(self.offset, 0)
        return slice(start, start + max(1, min(self.limit, self.most)))


class PopularParameters(TrendParameters):
    """Which popular posts are asked for."""

    limit: int = 20
    most: ClassVar[int] = 40


class TrendLink(PreviewCard, kw_only=True):
    """The card of a link that trends, and how many members shared it."""

    history: History


@bp.declare("GET /api/v1/trends", "", public=True)
def trending(params: TrendParameters) -> list[Tag]:
    """Return the hashtags that trend, as older clients ask for them."""
    return trending_tags(params)


@bp.declare("GET /api/v1/trends/tags", "", public=True)
def trending_tags(params: TrendParameters) -> list[Tag]:
    """Return the hashtags that trend, without those that the caller has hidden."""
    trends = _ranking().tags[params.asked]
    followed = db().read(tags.followed(g.viewer.uid)) if g.viewer else ()
    return [
        tag_entity(one.name, one.name in followed, usage_history(one.members)) for one in trends
    ]


@bp.declare("GET /api/v1/trends/links", "", public=True)
def trending_links(params: TrendParameters) -> list[TrendLink]:
    """Return the links that trend, without those that the caller has hidden."""
    trends = [(one.card, one.members) for one in _ranking().links if one.card][params.asked]
    return [
        TrendLink(
            **msgspec.structs.asdict(preview_card(card, site_address())),
            history=usage_history(members),
        )
        for card, members in trends
    ]


@bp.declare("GET /api/v1/trends/statuses", "", public=True)
def popular(params: PopularParameters) -> list[Status]:
    """Return popular posts."""
    size = min(params.asked.stop, POPULAR_MAX)
    sized = Site(site().db, replace(site().config, page_size=size))
    return list(present_page(hot(sized, viewer=viewer_uid())).items)[params.asked]


def _ranking() -> Ranking:
    uid = viewer_uid()
    return db().read(trends_for(uid) if uid else current())
