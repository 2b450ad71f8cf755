"""Check that a status exists for a member who wants to act on it, and that they may."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Db, Read, Steps, ask, gather, partition_of, read, results_of
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.values.reply_policy import unpack_reply_rule
from webapp.statuses.values.visibility import Visibility, effective_visibility, unpack_uids

from .groups import memberships
from .policy import Relationship

TARGET_FIELDS = ("ancestors", "root", "poll", "reply_rule", "quote_policy")


@dataclass(frozen=True, slots=True)
class Target:
    """A status that a member may see, with the data for actions on it."""

    author: Member
    visibility: Visibility  # the effective one
    ancestor_path: str | None  # as stored
    stored_root: str | None
    stored_poll: str | None
    stored_reply_rule: str | None
    may_reply: bool
    follows_author: bool
    quote_policy: QuotePolicy
    group: int  # the one it was posted to; 0 for none, or if it is closed to the member


@dataclass(frozen=True, slots=True)
class Audience:
    """The stored fields that decide who may see a status."""

    author: int
    stored_visibility: str | None
    mentioned_uids: frozenset[int]
    group: int  # the one it was posted to, 0 for none

    @property
    def closed_groups(self) -> frozenset[int]:
        """Return the closed group that it is for, if any."""
        is_closed = self.stored_visibility == Visibility.GROUP.value
        return frozenset({self.group} if is_closed else ())

    def require_visible(self, author: Member, relationship: Relationship) -> Visibility:
        """Return the effective visibility. Raises NotFound if it is not meant for the viewer."""
        visibility = effective_visibility(self.stored_visibility, author)
        if not relationship.may_see(author.uid, visibility, self.mentioned_uids, self.group):
            raise NotFound("no_status")
        return visibility


StoredTarget = tuple[Audience, list[str | None]]


def audience(status_id: int) -> Read[Audience]:
    """Read the audience of a status. Raises NotFound."""

    def parse(fields: list[str | None]) -> Audience:
        author, visibility, mentioned, group = fields
        if author is None:
            raise NotFound("no_status")
        return Audience(int(author), visibility, unpack_uids(mentioned), int(group or 0))

    names = ("author", "visibility", "mentioned", "group")
    return read(("HMGET", status_keys.status(status_id), *names), parse)


def stored_target(status_id: int) -> Read[StoredTarget]:
    """Read the audience and the fields that `load_target` checks an act by. Raises NotFound."""
    fields = read(("HMGET", status_keys.status(status_id), *TARGET_FIELDS), list[str | None])
    return gather(audience(status_id), fields)


def load_target(
    db: Db, uid: int, status_id: int, block_error: str, stored: StoredTarget | None = None
) -> Target:
    """Return a status that a member wants to act on. Two trips, one with what is `stored`.

    Raises NotFound, also if it is not meant for the member; Forbidden if its author is suspended
    or, with `block_error`, if one blocks the other.
    """
    return results_of(db, _target(uid, status_id, block_error, stored))[0]


def _target(
    uid: int, status_id: int, block_error: str, stored: StoredTarget | None = None
) -> Steps[Target]:
    meant_for, fields = stored or (yield from ask(stored_target(status_id)))
    path, root, poll, stored_rule, quote_policy = fields
    author = meant_for.author
    checks = gather(
        accounts.get(author),
        # The author's own list: it changes before the member's list of blockers.
        _is_listed(following_keys.blocks(author), uid),
        _is_listed(following_keys.blocks(uid), author),
        _is_listed(following_keys.following(uid), author),
        unpack_reply_rule(stored_rule).allows(uid),
        memberships(uid, meant_for.closed_groups),
    )
    member, is_blocked, blocks, follows, may_reply, groups = yield from ask(checks)
    member = NotFound.unless(member, "no_status")
    relationship = Relationship(uid, follows=frozenset({author} if follows else ()), groups=groups)
    visibility = meant_for.require_visible(member, relationship)
    if member.suspended:
        raise Forbidden("suspended")
    if is_blocked or blocks:
        raise Forbidden(block_error)
    return Target(
        member,
        visibility,
        path,
        root,
        poll,
        stored_rule,
        may_reply,
        follows,
        QuotePolicy(quote_policy or ""),
        meant_for.group if meant_for.closed_groups <= groups else 0,
    )


def load_quotable(db: Db, uid: int, status_id: int) -> Target:
    """Return a status that a member wants to quote. Two trips. Errors as `quotable`."""
    return results_of(db, quotable(uid, status_id))[0]


def quotable(uid: int, status_id: int) -> Steps[Target]:
    """Return a status that a member wants to quote. Two steps.

    Raises as `load_target`; Forbidden also if it is restricted or its author's policy excludes
    the member.
    """
    target = yield from _target(uid, status_id, "cannot_quote")
    if target.visibility.restricted:
        raise Forbidden("not_for_quotes")
    if uid == target.author.uid or target.quote_policy is QuotePolicy.EVERYONE:
        return target
    if target.quote_policy is QuotePolicy.NOBODY:
        raise Forbidden("quoted_by_nobody")
    if not target.follows_author:
        raise Forbidden("quoted_by_followers")
    return target


def require_own_partition(db: Db, uid: int, status_id: int) -> None:
    """Refuse to change a status of another partition, whose author cannot be the member.

    No trip for the member's own status, else two. Raises NotFound if it is gone or restricted (the
    two look the same), else Forbidden. `require_own.lua` does the same within the partition.
    """
    if partition_of(status_id) == partition_of(uid):
        return
    stored = db.read(audience(status_id))
    author = db.read(accounts.get(stored.author))
    if author and not effective_visibility(stored.stored_visibility, author).restricted:
        raise Forbidden("not_yours")
    raise NotFound("no_status")


def _is_listed(key: str, uid: int) -> Read[bool]:
    return read(("ZSCORE", key, uid), lambda score: score is not None)
