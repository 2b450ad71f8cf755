"""The entries of the site map: the newest public posts, and their authors.

Both come from the public timeline, which is bounded. Nothing walks over all members.
"""

from dataclasses import dataclass
from datetime import datetime

from webapp.accounts import store as accounts
from webapp.accounts.member import Member, datetime_from_ms
from webapp.config import Config
from webapp.core.store import Db, Read, collect, ids, read
from webapp.statuses import Entry, Visibility, keys as status_keys, may_be_found
from webapp.statuses.values.visibility import effective_visibility
from webapp.timelines import keys as timeline_keys
from webapp.timelines.entries import id_of, poster_of

PART_SIZE = 500  # posts of one part
AUTHORS_FROM = 1_000  # newest posts whose authors are listed


@dataclass(frozen=True, slots=True)
class ListedPost:
    """A public post."""

    id: int
    author: Member
    changed_at: datetime  # in UTC


def part_count(config: Config) -> Read[int]:
    """Read how many parts the posts take."""
    return read(
        ("ZCARD", timeline_keys.public_timeline()),
        lambda posts: -(-min(posts, config.public_max) // PART_SIZE),
    )


def posts(db: Db, number: int) -> list[ListedPost]:
    """Return the posts of a part, the newest first; parts count from 1. Two trips."""
    entries = db.read(_newest_entries((number - 1) * PART_SIZE, PART_SIZE))
    names = ("author", "visibility", "edited")
    stored, members = db.fetch(
        collect(read(("HMGET", status_keys.status(one), *names), list) for one, _ in entries),
        accounts.get_many(author for _, author in entries),
    )
    listed = []
    for (status_id, author), (exists, visibility, edited) in zip(entries, stored, strict=True):
        member = members.get(author)
        if member and exists and _is_public(visibility, member):
            changed_at = datetime_from_ms(edited) if edited else ids.created_at(status_id)
            listed.append(ListedPost(status_id, member, changed_at))
    return listed


def authors(db: Db) -> list[Member]:
    """Return the public authors of the newest public posts. Two trips."""
    entries = db.read(_newest_entries(0, AUTHORS_FROM))
    members = db.read(accounts.get_many(author for _, author in entries))
    return [member for member in members.values() if _is_public("", member)]


def _is_public(visibility: str | None, author: Member) -> bool:
    """Return True for a post of this stored visibility that everybody may find."""
    is_public = effective_visibility(visibility, author) is Visibility.PUBLIC
    return is_public and may_be_found(author)


def _newest_entries(start: int, count: int) -> Read[list[Entry]]:
    """Read (id, author's uid) of posts on the public timeline, the newest first."""
    command = ("ZRANGE", timeline_keys.public_timeline(), start, start + count - 1, "REV")
    return read(command, lambda entries: [(id_of(entry), poster_of(entry)) for entry in entries])
