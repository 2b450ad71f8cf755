"""Following hashtags."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, constant, read
from webapp.core.store.scripts import script
from webapp.timelines import keys

FOLLOW = script("timelines/tags/lua/follow_tag.lua")
UNFOLLOW = script("timelines/tags/lua/unfollow_tag.lua")


def follow(db: Db, config: Config, uid: int, name: str) -> None:
    """Follow a hashtag, by its folded name. Doing it again changes nothing. One trip.

    Raises NotFound, Forbidden (suspended), Conflict (`followed_tags_max` reached), Unavailable.
    """
    follow_all(db, config, uid, [name])


def follow_all(db: Db, config: Config, uid: int, names: Iterable[str]) -> None:
    """Follow some hashtags, in this order. One trip. Errors as `follow`.

    After an error, those that there was room for are followed.
    """
    db.trip(*(FOLLOW(config, uid=uid, name=name, limit=config.followed_tags_max) for name in names))


def unfollow(db: Db, config: Config, uid: int, name: str) -> None:
    """Unfollow a hashtag, if it is followed. One trip. Raises Unavailable."""
    command = UNFOLLOW(config, uid=uid, name=name)
    db.run(command)


def followed(uid: int) -> Read[list[str]]:
    """Read the names of the hashtags a member follows, followed last first."""
    return read(("ZRANGE", keys.followed_tags(uid), 0, -1, "REV"), list)


def is_followed(uid: int | None, name: str) -> Read[bool]:
    """Read whether a member follows a hashtag. Visitors follow none."""
    if uid is None:
        return constant(False)
    return read(("ZSCORE", keys.followed_tags(uid), name), lambda score: score is not None)
