"""Home, the public timeline, hashtags and lists."""

from __future__ import annotations

from dataclasses import replace

from flask import g

from webapp.client_api.blueprint import api_blueprint
from webapp.client_api.callers import viewer_uid
from webapp.client_api.declaration import endpoint
from webapp.client_api.entities.status import Status
from webapp.client_api.parameters import Paging
from webapp.client_api.presentation import present_page
from webapp.client_api.responses import Listed
from webapp.core.site import Site
from webapp.core.text.parser import tag_name
from webapp.core.web.context import db, site
from webapp.lists.timeline import list_page
from webapp.timelines import store
from webapp.timelines.home.snapshot import home_snapshot
from webapp.timelines.home_page import home_page

bp = api_blueprint("timelines")


class PublicParameters(Paging):
    """`remote`: posts of other servers, of which there are none."""

    local: bool = False
    remote: bool = False
    only_media: bool = False


def sized(paging: Paging) -> Site:
    """Return the site with pages of the size that the caller wants."""
    return Site(site().db, replace(site().config, page_size=paging.size))


@endpoint(bp, "GET /api/v1/timelines/home", "read:statuses")
def home(params: Paging) -> Listed[Status]:
    """Return the posts of those whom the caller follows."""
    own_site = sized(params)
    snapshot = db().read(home_snapshot(own_site, g.viewer.uid, params.max_id))
    return present_page(home_page(own_site, snapshot), params.since_id)


@endpoint(bp, "GET /api/v1/timelines/public", "", public=True)
def public(params: PublicParameters) -> Listed[Status]:
    """Return the newest public posts."""
    if params.remote and not params.local:
        return Listed([])
    page = store.public(sized(params), params.max_id, viewer_uid())
    return present_page(page, params.since_id)


@endpoint(bp, "GET /api/v1/timelines/tag/<name>", "", public=True)
def tag(params: PublicParameters, name: str) -> Listed[Status]:
    """Return the newest public posts with a hashtag."""
    page = store.tagged(sized(params), tag_name(name), params.max_id, viewer_uid())
    return present_page(page, params.since_id)


@endpoint(bp, "GET /api/v1/timelines/list/<id:number>", "read:lists")
def of_list(params: Paging, number: int) -> Listed[Status]:
    """Return the posts of the members of one of the caller's lists."""
    uid = g.viewer.uid
    return present_page(
        list_page(sized(params), uid, number, uid, params.max_id)[1], params.since_id
    )
