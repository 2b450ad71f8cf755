"""Following hashtags."""

from collections.abc import Iterable

from webapp.accounts.collections.collection import Collection
from webapp.core.store import Read, Site, constant, read
from webapp.timelines import keys

FOLLOWED_TAGS = Collection(
    keys.followed_tags,
    bound=lambda config: config.followed_tags_max,
    full="TAGSFULL",
    added="tags_changed",
    removed="tags_changed",
)


def follow(site: Site, uid: int, name: str) -> None:
    """Follow a hashtag, by its folded name. Doing it again changes nothing. One trip.

    Raises NotFound, Forbidden (suspended), Conflict (`followed_tags_max` reached), Unavailable.
    """
    follow_all(site, uid, [name])


def follow_all(site: Site, uid: int, names: Iterable[str]) -> None:
    """Follow some hashtags, in this order. One trip. Errors as `follow`.

    After an error, those that there was room for are followed.
    """
    site.db.trip_all(FOLLOWED_TAGS.add(site.config, uid, name) for name in names)


def unfollow(site: Site, uid: int, name: str) -> None:
    """Unfollow a hashtag, if it is followed. One trip."""
    site.db.run(FOLLOWED_TAGS.remove(site.config, uid, name))


def followed(uid: int) -> Read[list[str]]:
    """Read the names of the hashtags a member follows, followed last first."""
    return read(("ZRANGE", keys.followed_tags(uid), 0, -1, "REV"), list)


def followed_since(uid: int) -> Read[list[tuple[str, int]]]:
    """Read the hashtags a member follows, each with when in unix ms, followed last first."""
    command = ("ZRANGE", keys.followed_tags(uid), 0, -1, "REV", "WITHSCORES")
    return read(command, lambda reply: list(zip(reply[::2], map(int, reply[1::2]), strict=True)))


def is_followed(uid: int | None, name: str) -> Read[bool]:
    """Read whether a member follows a hashtag. Visitors follow none."""
    if uid is None:
        return constant(False)
    return read(("ZSCORE", keys.followed_tags(uid), name), lambda score: score is not None)
