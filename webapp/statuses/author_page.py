"""A page of what one member wrote, for whoever looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.web.pagination import max_bound
from webapp.following import keys as following_keys

from . import keys
from .status import FIELDS, Status, status_from

PAGE = script("statuses/lua/read_author_page.lua")


def author_page_command(
    uid: int,
    before: int | None,
    limit: int,
    with_replies: bool = False,
    viewer: int = 0,
    is_follower: bool = False,
) -> Command:
    """The command that reads a page of a member's own statuses, for `reader` (0: a visitor); its reply goes to
    `page_from`. `replies`: as many of their replies to others as well. `followers`: with what followers may see.
    """
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
    return PAGE(
        names, max_bound(before), limit, viewer, int(is_follower), int(with_replies), uid, *FIELDS
    )


def author_page_from(
    author: Member, reply: Sequence[Any], is_follower: bool = False
) -> list[Status]:
    """The statuses in a reply to `page_command`, newest first. `follows`: whether the reader does, as their own list
    says, which knows it before the member's list of followers.
    """
    rows = [*reply[0], *(reply[1] if is_follower else ())]
    statuses = {
        int(status_id): status_from(int(status_id), author, fields) for status_id, *fields in rows
    }
    return sorted(filter(None, statuses.values()), key=lambda status: -status.id)
