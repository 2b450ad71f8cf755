"""The policy of suggestions: who may be suggested to whom. The store is asked elsewhere.

It is applied when suggestions are computed, and again each time they are shown.
"""

from __future__ import annotations

from collections.abc import Collection

from webapp.accounts.member import Member
from webapp.statuses.visibility.policy import Relationship

from .reasons import Why


def is_findable(member: Member) -> bool:
    """Return True if a member may be suggested to anybody at all.

    It leaves out suspended members, bots, and members who chose that others do not find them.
    """
    return not (member.suspended or member.bot_owner or member.hidden_from_search)


def may_suggest(
    relation: Relationship, requested: Collection[int], member: Member, why: Why
) -> bool:
    """Return True if a member may be suggested to the viewer of `relation`.

    `requested`: uids whom the viewer has requested to follow. A protected member is suggested only
    if somebody whom the viewer follows follows them.
    """
    uid = member.uid
    is_known = uid == relation.viewer or uid in relation.follows or uid in requested
    return (
        not is_known
        and is_findable(member)
        and relation.visible_in_timelines(uid)
        and (not member.protected or why is Why.FOLLOWED)
    )


def may_name(relation: Relationship, member: Member | None) -> bool:
    """Return True if a reason may name this member: the viewer follows and does not mute them."""
    return (
        member is not None
        and not member.suspended
        and member.uid in relation.follows
        and relation.visible_in_timelines(member.uid)
    )
