"""The hashtags that members show on their profiles."""

from webapp.accounts import keys
from webapp.core.store import Read, Site, constant, read

from .collection import Collection

FEATURED_TAGS = Collection(
    keys.featured_tags,
    bound=lambda config: config.featured_tags_max,
    full="FEATUREDTAGSFULL",
    added="profile_edited",
    removed="profile_edited",
)


def feature(site: Site, uid: int, name: str) -> None:
    """Show a hashtag, by its folded name, on a member's profile. Safe to repeat. One trip.

    Raises NotFound, Forbidden (suspended), Conflict (`featured_tags_max` reached).
    """
    site.db.run(FEATURED_TAGS.add(site.config, uid, name))


def unfeature(site: Site, uid: int, name: str) -> None:
    """Take a hashtag off a member's profile, if it is there. One trip."""
    site.db.run(FEATURED_TAGS.remove(site.config, uid, name))


def featured(uid: int | None) -> Read[tuple[str, ...]]:
    """Read the hashtags on a member's profile, oldest first. Visitors have none."""
    if uid is None:
        return constant(())
    return read(("ZRANGE", keys.featured_tags(uid), 0, -1), tuple)
