"""Hashtags, those that the caller follows, and those on profiles."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import ClassVar
from urllib.parse import urlencode

import msgspec
from flask import g

from webapp.accounts.collections.featured_tags import feature, featured, unfeature
from webapp.autocomplete.members import recent_tags
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.status_parts import Tag, own_tags, tag_entity, usage_history
from webapp.client_api.http import Listed, Paging, invalid, site_address
from webapp.client_api.newer import cut
from webapp.client_api.presentation import shown_member
from webapp.core.errors import NotFound
from webapp.core.store import Site, created_at
from webapp.core.text.parser import tag_name
from webapp.core.web import db, site, viewer_uid
from webapp.search.posts import newest_tagged
from webapp.timelines.tags import store as tags

bp = ApiBlueprint("hashtags")
SUGGESTED_MAX = 10


class FeaturedTag(msgspec.Struct, kw_only=True):
    """A hashtag on a profile, and how many of the member's newest public posts have it."""

    id: str
    name: str
    url: str
    statuses_count: str
    last_status_at: str | None


class TagPaging(Paging):
    """A page of hashtags."""

    limit: int = 100
    most: ClassVar[int] = 200

    @staticmethod
    def first_at(ms: int) -> int:
        """Return the lowest cursor of a time in unix ms, which is that time itself here."""
        return ms


@bp.declare("GET /api/v1/tags/<name>", "", public=True)
def tag(name: str) -> Tag:
    """Return a hashtag."""
    folded = _folded(name)
    own, history = db().fetch(own_tags(viewer_uid()), usage_history(f"#{folded}"))
    return tag_entity(folded, own, history)


def _act(
    verb: str, scope: str, limit: str, act: Callable[[Site, int, str], None], about: str
) -> None:
    """Declare an act of the caller on a hashtag, which is returned."""

    def acted(name: str) -> Tag:
        act(site(), g.viewer.uid, _folded(name))
        return tag(name)

    acted.__name__, acted.__doc__ = verb, about
    bp.declare(f"POST /api/v1/tags/<name>/{verb}", scope, limit=limit)(acted)


_act("follow", "write:follows", "follow", tags.follow, "Follow a hashtag.")
_act("unfollow", "write:follows", "follow", tags.unfollow, "Unfollow a hashtag.")
_act("feature", "write:accounts", "edit", feature, "Show a hashtag on the caller's profile.")
_act("unfeature", "write:accounts", "edit", unfeature, "Take a hashtag off the caller's profile.")


@bp.declare("GET /api/v1/followed_tags", "read:follows")
def followed_tags(params: TagPaging) -> Listed[Tag]:
    """Return the hashtags that the caller follows, followed last first."""
    uid = g.viewer.uid
    followed, own = db().fetch(tags.followed_since(uid), own_tags(uid))
    page = cut(followed, params, itemgetter(1))
    return page.showing([tag_entity(name, own) for name, _ in page.items])


@bp.declare("GET /api/v1/featured_tags", "read:accounts")
def featured_tags() -> list[FeaturedTag]:
    """Return the hashtags on the caller's profile."""
    return featured_of(g.viewer.uid)


@bp.declare("GET /api/v1/accounts/<id:uid>/featured_tags", "", public=True)
def featured_of(uid: int) -> list[FeaturedTag]:
    """Return the hashtags on a member's profile."""
    return _featured(shown_member(uid).login, db().read(featured(uid)))


@bp.declare("POST /api/v1/featured_tags", "write:accounts", limit="edit")
def add_featured(name: str = "") -> FeaturedTag:
    """Show a hashtag on the caller's profile."""
    if not (folded := tag_name(name.strip().removeprefix("#"))):
        raise invalid("Tag is invalid")
    feature(site(), g.viewer.uid, folded)
    return _featured(g.viewer.login, [folded])[0]


@bp.declare("DELETE /api/v1/featured_tags/<name>", "write:accounts", limit="edit")
def remove_featured(name: str) -> None:
    """Take a hashtag off the caller's profile."""
    if _folded(name) not in db().read(featured(g.viewer.uid)):
        raise NotFound("no_tag")
    unfeature(site(), g.viewer.uid, _folded(name))


@bp.declare("GET /api/v1/featured_tags/suggestions", "read:accounts")
def suggested() -> list[Tag]:
    """Return the hashtags that the caller has used lately, without those on the profile."""
    uid = g.viewer.uid
    used, own = db().fetch(recent_tags(uid, SUGGESTED_MAX), own_tags(uid))
    return [tag_entity(name, own) for name in used if name not in own.featured]


def _featured(login: str, names: Sequence[str]) -> list[FeaturedTag]:
    """Return hashtags on a member's profile. One trip."""
    base = site_address()
    return [
        FeaturedTag(
            id=name,
            name=name,
            url=f"{base}/search?{urlencode({'q': f'from:{login} #{name}'})}",
            statuses_count=str(len(ids)),
            last_status_at=f"{created_at(ids[0]):%Y-%m-%d}" if ids else None,
        )
        for name, ids in zip(names, newest_tagged(site(), login, names), strict=True)
    ]


def _folded(name: str) -> str:
    return NotFound.unless(tag_name(name), "no_tag")
