"""Visibility: the audience of a status, chosen when it is posted and never changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member
from webapp.core.errors import Forbidden
from webapp.core.store import Db, Read
from webapp.core.text.slugs import SluggedEnum

# Fields of an account: any of them keeps its posts off public pages.
HIDING_FIELDS = ("suspended", "protected", "limited")


class Visibility(SluggedEnum):
    """The audience of a status, as stored; the widest first. The author always sees it."""

    PUBLIC = ""  # everybody, on all pages
    UNLISTED = "u"  # everybody, but not on pages that show everybody's statuses
    FOLLOWERS = "f"  # the author's followers, and members mentioned or answered
    MENTIONED = "m"  # members mentioned or answered
    GROUP = "g"  # members of the closed group it was posted to

    @property
    def restricted(self) -> bool:
        """Return True if not everybody may see it."""
        return self not in (Visibility.PUBLIC, Visibility.UNLISTED)


# What authors choose from. Posts of a closed group are for the group, whatever was chosen.
WIDEST_FIRST = tuple(one for one in Visibility if one is not Visibility.GROUP)


def effective(visibility: Visibility, is_protected: bool) -> Visibility:
    """Return the visibility at this moment: protected members narrow all to their followers.

    `policy.lua` has the same rule.
    """
    return Visibility.FOLLOWERS if is_protected and not visibility.restricted else visibility


def effective_visibility(stored: str | None, author: Member) -> Visibility:
    """Return the effective visibility of a status, from its stored one and its author.

    Public pages leave out the posts of members whom moderators have limited.
    """
    visibility = effective(Visibility(stored or ""), author.protected)
    is_limited = author.limited and visibility is Visibility.PUBLIC
    return Visibility.UNLISTED if is_limited else visibility


def parse_visibility(slug: str) -> Visibility | None:
    """Parse a form value; None if empty. Raises ValueError."""
    visibility = Visibility.by_slug(slug) if slug else None
    if visibility is Visibility.GROUP:
        raise ValueError(slug)
    return visibility


def allowed_for_reply(parent: Visibility) -> tuple[Visibility, ...]:
    """Return the choices of a reply: never wider than a restricted parent."""
    if parent is Visibility.GROUP:
        return (parent,)
    return WIDEST_FIRST[WIDEST_FIRST.index(parent) :] if parent.restricted else WIDEST_FIRST


def resolve_visibility(wanted: Visibility | None, parent: Visibility | None) -> Visibility:
    """Return the visibility of a new status: as wanted, else as its parent's, else public.

    A reply in a closed group stays there, whatever is wanted. Raises Forbidden if a reply would be
    wider than its parent allows.
    """
    if parent is Visibility.GROUP:
        return parent
    chosen = wanted or parent or Visibility.PUBLIC
    if parent and chosen not in allowed_for_reply(parent):
        raise Forbidden("too_visible")
    return chosen


def protected_among(uids: Iterable[int]) -> Read[frozenset[int]]:
    """Read which of some members are protected."""
    return _marked_with(("protected",), uids)


def unpublished_among(uids: Iterable[int]) -> Read[frozenset[int]]:
    """Read which of some members are protected or limited: public pages leave out their posts."""
    return _marked_with(HIDING_FIELDS[1:], uids)


def _marked_with(fields: Sequence[str], uids: Iterable[int]) -> Read[frozenset[int]]:
    """Read which of some members have one of these fields."""
    distinct = sorted(set(uids))

    def parse(replies: Sequence[Any]) -> frozenset[int]:
        return frozenset(uid for uid, marks in zip(distinct, replies, strict=True) if any(marks))

    commands = tuple(("HMGET", account_keys.user(uid), *fields) for uid in distinct)
    return Read(commands, parse)


def protected_uids(db: Db, authors: Iterable[int]) -> frozenset[int]:
    """Return which of some members are protected. One trip, none without members."""
    return db.read(protected_among(authors))


def pack_uids(uids: Iterable[int]) -> str:
    """Return uids as stored: a space around each, empty for none."""
    packed = " ".join(map(str, sorted(uids)))
    return f" {packed} " if packed else ""


def unpack_uids(stored: str | None) -> frozenset[int]:
    """Parse stored uids."""
    return frozenset(map(int, stored.split())) if stored else frozenset()
