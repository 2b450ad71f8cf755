"""Who likes what, and who did something with a status. The member's own list is the truth; a status's list of likes and
their number are projected from it.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member, member_command, member_from
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound
from webapp.errors import NotFound
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.visibility.relationships import relationship_commands, relationship_from
from webapp.statuses.visibility.targets import load_target
from webapp.statuses.visibility.visibility import effective_visibility, unpack_uids

from . import keys

LIKE = script("statuses/interactions/lua/like.lua")
UNLIKE = script("statuses/interactions/lua/unlike.lua")


# The lists that a status has of those who did something with it, by the field that says how many.
LIST_KEYS = {"likes": keys.likers, "boosts": keys.boosters}


@dataclass(frozen=True, slots=True)
class LikersPage:
    """The author of a status, a page of those who like it (or boost it), newest first, how many do, and whom of them
    the viewer follows.
    """

    author: Member
    page: Page[Member]
    count: int
    followed_uids: frozenset[int]


def like(db: Db, config: Config, uid: int, status_id: int) -> Member:
    """Likes a status, whose author it returns; again is no change. At LIKES_MAX the oldest like is taken back. Three
    trips. Raises NotFound; Forbidden for a suspended member, where the author is suspended, or where one blocks the
    other; Unavailable.
    """
    author = load_target(db, uid, status_id, "cannot_like").author
    p = partition_of(uid)
    names = [
        keys.member_likes(uid),
        keys.recent_interactions(uid),
        event_keys.outbox(p),
        account_keys.user(uid),
        following_keys.blocks(uid),
        following_keys.blockers(uid),
    ]
    db.run(
        LIKE(
            names,
            uid,
            status_id,
            author.uid,
            config.likes_max,
            p,
            config.outbox_max,
            *request_id_args(),
        )
    )
    return author


def unlike(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Takes a like back; again is no change, and so is what is gone. One trip. Raises Unavailable."""
    p = partition_of(uid)
    db.run(
        UNLIKE(
            [keys.member_likes(uid), keys.recent_interactions(uid), event_keys.outbox(p)],
            uid,
            status_id,
            p,
            config.outbox_max,
            *request_id_args(),
        )
    )


def likers(
    db: Db, status_id: int, before: int | None, size: int, viewer: int | None, field: str = "likes"
) -> LikersPage:
    """Who likes a status, or what else `field` counts; `before`: the last page's cursor. Those who are suspended, or
    whom the viewer blocks or is blocked by, are counted and left out; so is who is protected and not followed. Three
    trips. Raises NotFound, also where it is not for them; Forbidden when the author is suspended, or hidden from them.
    """
    stored_author, vis, mentioned = db.run(
        ("HMGET", status_keys.status(status_id), "author", "vis", "who")
    )
    if stored_author is None:
        raise NotFound("no_status")
    author = int(stored_author)
    newest = (
        "ZRANGE",
        LIST_KEYS[field](status_id),
        max_bound(before),
        "-inf",
        "BYSCORE",
        "REV",
        "LIMIT",
        0,
        size + 1,
    )
    author_fields, entries, count = db.trip(
        member_command(author),
        (*newest, "WITHSCORES"),
        ("HGET", status_keys.status(status_id), field),
    )
    uids, cursors = [int(uid) for uid in entries[::2]], [int(score) for score in entries[1::2]]
    relation_commands = relationship_commands(viewer, [author, *uids])
    follow_commands: list[Command] = (
        [("ZMSCORE", following_keys.following(viewer), *uids)] if viewer and uids else []
    )
    replies = db.trip(*relation_commands, *map(member_command, uids), *follow_commands)
    relationship = relationship_from(viewer, [author, *uids], replies[: len(relation_commands)])
    followed_uids = (
        frozenset(uid for uid, at in zip(uids, replies[-1], strict=True) if at)
        if follow_commands
        else frozenset[int]()
    )
    members = (
        member_from(uid, reply)
        for uid, reply in zip(uids[:size], replies[len(relation_commands) :], strict=False)
    )
    unblocked = (
        one
        for one in members
        if one and not one.suspended and relationship.visible_on_request(one.uid)
    )
    visible_members = tuple(
        filter(relationship.may_see_boosts_by, unblocked)
    )  # what protected members do with statuses is for their followers
    page = Page(visible_members, cursors[size - 1] if len(uids) > size else None)
    author_member = member_from(author, author_fields)
    if author_member is None or not relationship.may_see(
        author, effective_visibility(vis, author_member), unpack_uids(mentioned)
    ):
        raise NotFound("no_status")
    relationship.require_no_block(author_member)
    return LikersPage(author_member, page, int(count or 0), followed_uids)
