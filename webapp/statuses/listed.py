"""A page of what one member wrote, for whoever looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import keys
from ..accounts.store import Member
from ..db import Command
from ..paging import below
from ..scripts import script
from .status import FIELDS, Status, status_from

PAGE = script("statuses/page.lua")


def page_command(
    uid: int, before: int | None, want: int, replies: bool = False, reader: int = 0, followers: bool = False
) -> Command:
    """The command that reads a page of a member's own statuses, for `reader` (0: a visitor); its reply goes to
    `page_from`. `replies`: as many of their replies to others as well. `followers`: with what followers may see.
    """
    lists = [keys.profile(uid), keys.replied(uid)] if replies else [keys.profile(uid)]
    limited = [keys.limited(uid, audience) for audience in (keys.FOLLOWERS, reader)]
    names = [keys.status_prefix(uid), keys.blocks(uid), *limited, keys.user(uid), *lists]
    return PAGE(names, below(before), want, reader, int(followers), int(replies), uid, *FIELDS)


def page_from(author: Member, reply: Sequence[Any], follows: bool = False) -> list[Status]:
    """The statuses in a reply to `page_command`, newest first. `follows`: whether the reader does, as their own list
    says, which knows it before the member's list of followers.
    """
    rows = [*reply[0], *(reply[1] if follows else ())]
    found = {int(status_id): status_from(int(status_id), author, fields) for status_id, *fields in rows}
    return sorted(filter(None, found.values()), key=lambda status: -status.id)
