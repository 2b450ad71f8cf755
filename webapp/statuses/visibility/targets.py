"""A status that a member wants to do something with: whether it is there, and for them."""

from __future__ import annotations

from typing import NamedTuple

from webapp.accounts.quote_policy import QuotePolicy
from webapp.accounts.store import Member, member_command, member_from
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.errors import Forbidden, NotFound, Refused
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys

from .policy import Relationship
from .reply_policy import unpack_reply_rule
from .visibility import Visibility, effective_visibility, unpack_uids


class Target(NamedTuple):
    """Its author, how visible it is; the statuses above it, its poll and who may reply, as they are stored; whether who
    wants something is among these, and whether they follow its author; and who may quote it.
    """

    author: Member
    visibility: Visibility
    ancestor_path: str | None
    stored_poll: str | None
    stored_reply_rule: str | None
    may_reply: bool
    follows_author: bool
    quote_policy: QuotePolicy


def load_target(db: Db, uid: int, status_id: int, block_error: str) -> Target:
    """A status that a member wants to answer, to like, to vote in or to quote. Two trips. Raises NotFound, also where
    it is not for them; Forbidden when its author is suspended or, with this refusal, where one blocks the other.
    """
    field_names = ("author", "above", "vis", "who", "poll", "may", "quoting")
    stored_author, ancestor_path, vis, mentioned, poll, stored_reply_rule, quote_policy = db.run(
        ("HMGET", status_keys.status(status_id), *field_names)
    )
    if stored_author is None:
        raise NotFound("no_status")
    author, rule = int(stored_author), unpack_reply_rule(stored_reply_rule)
    # The author's own list of blocks: the member's list of blockers comes after it.
    relation_commands: list[Command] = [("ZSCORE", following_keys.blocks(author), uid)]
    relation_commands += [
        ("ZSCORE", of(uid), author) for of in (following_keys.blocks, following_keys.following)
    ]
    fields, blocked_by_author, blocks_author, follows_author, *rule_replies = db.trip(
        member_command(author), *relation_commands, *rule.commands(uid)
    )
    member = member_from(author, fields)
    relationship = Relationship(uid, follows=frozenset({author} if follows_author else ()))
    if member is None or not relationship.may_see(
        author, visibility := effective_visibility(vis, member), unpack_uids(mentioned)
    ):
        raise NotFound("no_status")
    if member.suspended:
        raise Forbidden("suspended")
    if blocked_by_author or blocks_author:
        raise Forbidden(block_error)
    return Target(
        member,
        visibility,
        ancestor_path,
        poll,
        stored_reply_rule,
        rule.allows(uid, rule_replies),
        bool(follows_author),
        QuotePolicy(quote_policy or ""),
    )


def load_quotable(db: Db, uid: int, status_id: int) -> Target:
    """A status that a member wants to quote. Two trips. Raises NotFound; Forbidden, besides, where not everybody may
    see it, or its author lets others quote it.
    """
    target = load_target(db, uid, status_id, "cannot_quote")
    if target.visibility.restricted:
        raise Forbidden("not_for_quotes")
    if uid != target.author.uid and target.quote_policy is not QuotePolicy.EVERYONE:
        if target.quote_policy is QuotePolicy.NOBODY:
            raise Forbidden("quoted_by_nobody")
        if not target.follows_author:
            raise Forbidden("quoted_by_followers")
    return target


def not_owner_error(db: Db, status_id: int) -> Refused:
    """Why a member may not change a status that is not theirs. Of what not everybody may see it is not told that it
    exists (limited.lua says the same). Two trips, one where it is gone.
    """
    stored_author, vis = db.run(("HMGET", status_keys.status(status_id), "author", "vis"))
    author = (
        member_from(int(stored_author), db.run(member_command(int(stored_author))))
        if stored_author
        else None
    )
    is_public = author and not effective_visibility(vis, author).restricted
    return Forbidden("not_yours") if is_public else NotFound("no_status")
