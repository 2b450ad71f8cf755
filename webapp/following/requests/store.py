"""Requests to follow protected members. The asker's own list is the truth; who waits is projected from it.
`store.follow` asks, and `store.unfollow` takes it back.
"""

from __future__ import annotations

from webapp.accounts.store import Member, find_member, member_command, member_from
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound
from webapp.following import keys as following_keys

ANSWER = script("following/requests/lua/answer_request.lua")
REMOVE_FOLLOWER = script("following/requests/lua/remove_follower.lua")


def answer(db: Db, config: Config, uid: int, login: str, accepted: bool) -> bool:
    """Accepts the request of the member of this name, or refuses it; False where none waits (any more). Raises
    NotFound, Unavailable.
    """
    asker, p = find_member(db, login), partition_of(uid)
    names = [following_keys.follow_requests(uid), event_keys.outbox(p)]
    return bool(
        db.run(
            ANSWER(names, uid, asker.uid, int(accepted), p, config.outbox_max, *request_id_args())
        )
    )


def remove_follower(db: Db, config: Config, uid: int, login: str) -> bool:
    """Removes the follower of this name; False where they are none. They are not told. Raises NotFound, Unavailable."""
    follower, p = find_member(db, login), partition_of(uid)
    names = [following_keys.followers(uid), event_keys.outbox(p)]
    return bool(
        db.run(REMOVE_FOLLOWER(names, uid, follower.uid, p, config.outbox_max, *request_id_args()))
    )


def page(db: Db, uid: int, before: int | None = None, size: int = 100) -> Page[Member]:
    """A page of those who ask to follow a member, the newest first; `before`: the last page's cursor. Two trips."""
    range_command = (
        "ZRANGE",
        following_keys.follow_requests(uid),
        max_bound(before),
        "-inf",
        "BYSCORE",
        "REV",
        "LIMIT",
        0,
        size + 1,
        "WITHSCORES",
    )
    range_reply = db.run(range_command)
    uids, cursors = (
        [int(other) for other in range_reply[::2]],
        [int(score) for score in range_reply[1::2]],
    )
    replies = db.trip(*map(member_command, uids[:size]))
    askers = (member_from(other, reply) for other, reply in zip(uids, replies, strict=False))
    # The requests of suspended and deleted accounts end when the worker comes to it.
    active_askers = tuple(member for member in askers if member and not member.suspended)
    return Page(active_askers, cursors[size - 1] if len(uids) > size else None)


def pending_count_command(uid: int) -> Command:
    """The command whose reply is how many wait."""
    return ("ZCARD", following_keys.follow_requests(uid))
