"""A page of one member's own statuses, as a viewer may see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member
from webapp.core.store.reads import Command, Read, read
from webapp.core.store.scripts import script
from webapp.core.web.pagination import max_bound
from webapp.following import keys as following_keys

from . import keys
from .status import FIELDS, Status, StoredStatus

READ_PAGE = script("statuses/lua/read_author_page.lua")


@dataclass(frozen=True, slots=True)
class AuthorPage:
    """Stored statuses of a member: those meant for the viewer, and those meant for followers."""

    for_viewer: tuple[StoredStatus, ...]
    for_followers: tuple[StoredStatus, ...]

    def statuses(self, author: Member, is_follower: bool = False) -> list[Status]:
        """Return the statuses, newest first.

        `is_follower`: whether the viewer's own list says so; it changes before the author's does.
        """
        stored = [*self.for_viewer, *(self.for_followers if is_follower else ())]
        by_id = {one.id: one.with_author(author) for one in stored}
        found = [status for status in by_id.values() if status]
        return sorted(found, key=lambda status: -status.id)


def author_page(
    uid: int,
    before: int | None,
    limit: int,
    with_replies: bool = False,
    viewer: int = 0,
    is_follower: bool = False,
) -> Read[AuthorPage]:
    """Read the newest `limit` statuses of a member below the cursor `before`.

    `with_replies`: as many replies to others too. `viewer`: 0 for a visitor. `is_follower`: read
    statuses for followers as well.
    """
    return read(
        author_page_command(uid, before, limit, with_replies, viewer, is_follower), _parse_page
    )


def _parse_page(reply: Sequence[Any]) -> AuthorPage:
    for_viewer, for_followers = (
        tuple(StoredStatus(int(status_id), fields) for status_id, *fields in rows) for rows in reply
    )
    return AuthorPage(for_viewer, for_followers)


def author_page_command(
    uid: int,
    before: int | None,
    limit: int,
    with_replies: bool = False,
    viewer: int = 0,
    is_follower: bool = False,
) -> Command:
    """Return the command of `author_page`."""
    list_keys = (
        [keys.profile_statuses(uid), keys.profile_replies(uid)]
        if with_replies
        else [keys.profile_statuses(uid)]
    )
    restricted_keys = [
        keys.restricted_statuses(uid, audience) for audience in (keys.FOLLOWERS_AUDIENCE, viewer)
    ]
    names = [
        keys.status.prefix(uid),
        following_keys.blocks(uid),
        *restricted_keys,
        account_keys.user(uid),
        *list_keys,
    ]
    return READ_PAGE(
        names, max_bound(before), limit, viewer, int(is_follower), int(with_replies), uid, *FIELDS
    )


def author_page_from(
    author: Member, reply: Sequence[Any], is_follower: bool = False
) -> list[Status]:
    """Parse the reply of `author_page`."""
    return _parse_page(reply).statuses(author, is_follower)
