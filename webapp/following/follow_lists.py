"""Pages of who follows a member, and whom a member follows or features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Db, Read, constant, listed_in, read, script
from webapp.core.web import Page, max_bound

from . import keys
from .member_pages import UidPage, uid_page
from .profiles import NO_DETAILS, PersonDetails, Profile, person_details, profile
from .relations import followed_among

READ_MUTUALS = script("following/lua/read_mutuals.lua")
MUTUAL_SAMPLE = 1_000  # follows that a page of mutual ones looks through
KEYS_BY_KIND = {
    "followers": keys.followers,
    "following": keys.following,
    "featured": keys.endorsements,
}


@dataclass(frozen=True, slots=True)
class FollowPage:
    """A page of a member's followers, or of the members they follow.

    `followed_uids`, `requested_uids`: those on the page whom the viewer follows, or has requested
    to follow. `restricted`: the member is protected, and the viewer does not follow them.
    `blocked`: the member blocks the viewer.
    """

    profile: Profile
    page: Page[Member]
    followed_uids: frozenset[int] = frozenset()
    requested_uids: frozenset[int] = frozenset()
    restricted: bool = False
    blocked: bool = False
    details: PersonDetails = NO_DETAILS


def load_follow_page(
    db: Db,
    kind: str,
    uid: int,
    before: int | None,
    size: int,
    viewer: int | None,
    above: str = "-inf",
) -> FollowPage | None:
    """Return a member with a page of their `followers`, `following`, `featured` or `mutuals`.

    The newest come first. `above`: a lower bound of the cursors, except of mutual ones. None if
    there is no account. Two trips at most.
    """
    is_mutual = kind == "mutuals"
    owner, (is_follower, is_blocked), entries = db.fetch(
        profile(uid),
        _follows_and_blocked(viewer, uid),
        _mutuals(uid, before, size)
        if is_mutual
        else uid_page(KEYS_BY_KIND[kind](uid), before, size, above),
    )
    if owner is None:
        return None
    if is_blocked or (owner.member.protected and viewer != uid and not is_follower):
        return FollowPage(owner, Page(()), restricted=not is_blocked, blocked=is_blocked)
    members, followed, requested, details = db.fetch(
        accounts.get_many(entries.scores),
        followed_among(viewer, entries.scores),
        listed_in(keys.sent_follow_requests(viewer or 0), entries.scores if viewer else ()),
        person_details(viewer, entries.scores),
    )
    # Suspended members are hidden, except from those who follow them and may want to unfollow.
    shows_suspended = viewer == uid and kind == "following"
    visible = [member for member in members.values() if shows_suspended or not member.suspended]
    page = Page(tuple(visible), entries.next, first=entries.first)
    return FollowPage(owner, page, followed, frozenset(requested), details=details)


def load_familiar_page(
    db: Db, kind: str, uid: int, viewer: int, before: int | None, size: int, sample: int
) -> FollowPage | None:
    """Return a member with those `followers`, or `following`, whom the viewer follows too.

    The viewer's newest follow comes first. A page examines `sample` of the viewer's follows. It may
    be short; then `next` continues below them. None if there is no account. Three trips at most.
    """
    owner, (is_follower, is_blocked), follows = db.fetch(
        profile(uid),
        _follows_and_blocked(viewer, uid),
        uid_page(keys.following(viewer), before, sample),
    )
    if owner is None:
        return None
    if is_blocked or (owner.member.protected and viewer != uid and not is_follower):
        return FollowPage(owner, Page(()), restricted=not is_blocked, blocked=is_blocked)
    familiar = db.read(listed_in(KEYS_BY_KIND[kind](uid), follows.scores))
    members, details = db.fetch(
        accounts.get_many(familiar[:size]), person_details(viewer, familiar[:size])
    )
    next_cursor = follows.scores[familiar[size - 1]] if len(familiar) > size else follows.next
    visible = tuple(member for member in members.values() if not member.suspended)
    return FollowPage(owner, Page(visible, next_cursor), frozenset(familiar), details=details)


def _mutuals(uid: int, before: int | None, size: int) -> Read[UidPage]:
    """Read `size` members whom a member follows and who follow back.

    One script examines MUTUAL_SAMPLE follows. The page may be short; `next` then continues.
    """
    command = READ_MUTUALS(uid=uid, bound=max_bound(before), size=size, limit=MUTUAL_SAMPLE)

    def parse(reply: Sequence[Any]) -> UidPage:
        uids, rest = reply
        return UidPage(dict.fromkeys(map(int, uids), 0), int(rest) if rest else None)

    return read(command, parse)


def _follows_and_blocked(viewer: int | None, uid: int) -> Read[tuple[bool, bool]]:
    """Read whether a viewer follows a member, and whether the member blocks the viewer."""
    if not viewer:
        return constant((False, False))
    follows, blocks = ("ZSCORE", keys.following(viewer), uid), ("ZSCORE", keys.blocks(uid), viewer)
    return Read((follows, blocks), lambda scores: (scores[0] is not None, scores[1] is not None))
