"""Hashtags, and those that the caller follows."""

from operator import itemgetter
from typing import ClassVar

from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.status_parts import Tag, tag_entity
from webapp.client_api.http import Listed, Paging
from webapp.client_api.newer import cut
from webapp.core.errors import NotFound
from webapp.core.text.parser import tag_name
from webapp.core.web import db, site, viewer_uid
from webapp.timelines.tags import store as tags

bp = ApiBlueprint("hashtags")


class TagPaging(Paging):
    """A page of hashtags."""

    limit: int = 100
    most: ClassVar[int] = 200


@bp.declare("GET /api/v1/tags/<name>", "", public=True)
def tag(name: str) -> Tag:
    """Return a hashtag."""
    folded = _folded(name)
    return tag_entity(folded, db().read(tags.is_followed(viewer_uid(), folded)))


@bp.declare("POST /api/v1/tags/<name>/follow", "write:follows", limit="follow")
def follow_tag(name: str) -> Tag:
    """Follow a hashtag."""
    tags.follow(site(), g.viewer.uid, _folded(name))
    return tag_entity(_folded(name), True)


@bp.declare("POST /api/v1/tags/<name>/unfollow", "write:follows", limit="follow")
def unfollow_tag(name: str) -> Tag:
    """Unfollow a hashtag."""
    tags.unfollow(site(), g.viewer.uid, _folded(name))
    return tag_entity(_folded(name), False)


@bp.declare("GET /api/v1/followed_tags", "read:follows")
def followed_tags(params: TagPaging) -> Listed[Tag]:
    """Return the hashtags that the caller follows, followed last first."""
    page = cut(db().read(tags.followed_since(g.viewer.uid)), params, itemgetter(1))
    return page.showing([tag_entity(name, True) for name, _ in page.items])


def _folded(name: str) -> str:
    return NotFound.unless(tag_name(name), "no_tag")
