"""A page of one member's own statuses, as a viewer may see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts.store import Member
from webapp.core.store import Read, read, script
from webapp.core.web import max_bound
from webapp.statuses import keys
from webapp.statuses.status import Status, StoredStatus

READ_PAGE = script("statuses/lua/read_author_page.lua")
SCAN_MAX = 1_000  # entries of a restricted list that one page looks through


@dataclass(frozen=True, slots=True)
class AuthorPage:
    """Stored statuses of a member: those meant for the viewer, and those meant for followers.

    Either has all that are not below its `complete_to` (0: all).
    """

    for_viewer: tuple[StoredStatus, ...]
    for_followers: tuple[StoredStatus, ...]
    viewer_complete_to: int
    followers_complete_to: int

    def complete_to(self, is_follower: bool) -> int:
        """Return the id below which statuses may be missing, 0 if there are none."""
        return max(self.viewer_complete_to, self.followers_complete_to if is_follower else 0)

    def statuses(self, author: Member, is_follower: bool = False) -> list[Status]:
        """Return the statuses, newest first.

        `is_follower`: whether the viewer's own list says so; it changes before the author's does.
        """
        stored = [*self.for_viewer, *(self.for_followers if is_follower else ())]
        by_id = {one.id: one.with_author(author) for one in stored}
        found = [status for status in by_id.values() if status]
        lowest = self.complete_to(is_follower)
        return sorted((one for one in found if one.id >= lowest), key=lambda status: -status.id)


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
    optional = {"replies": keys.profile_replies(uid)} if with_replies else {}
    command = READ_PAGE(
        **optional,
        uid=uid,
        viewer=viewer,
        is_follower=int(is_follower),
        bound=max_bound(before),
        limit=limit,
        scan_max=SCAN_MAX,
    )
    return read(command, _parse_page)


def _parse_page(reply: Sequence[Any]) -> AuthorPage:
    for_viewer, for_followers = (
        tuple(StoredStatus(int(status_id), fields) for status_id, fields in rows)
        for rows in reply[:2]
    )
    return AuthorPage(for_viewer, for_followers, *map(int, reply[2:]))
