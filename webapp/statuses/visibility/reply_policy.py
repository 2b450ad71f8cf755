"""Who may reply to a thread: said by who begins it, and never changed. Each reply has a copy of it, so that whoever
holds a status can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.core.text.parser import Entity
from webapp.errors import Forbidden
from webapp.following import keys as following_keys

from .visibility import mentioned_uids


class ReplyPolicy(Enum):
    """As it is stored: everybody; those whom the thread's author follows; those whom its first post names. The author,
    and whom that post names, always may.
    """

    EVERYBODY = ""
    FOLLOWED = "f"
    MENTIONED = "m"

    @property
    def slug(self) -> str:
        """What forms call it."""
        return self.name.lower()


REPLY_ERRORS = {ReplyPolicy.FOLLOWED: "only_followed", ReplyPolicy.MENTIONED: "only_mentioned"}


@dataclass(frozen=True, slots=True)
class ReplyRule:
    """Who may reply to what hangs below a post of `author`, which named these members."""

    policy: ReplyPolicy = ReplyPolicy.EVERYBODY
    author: int = 0
    mentioned_uids: frozenset[int] = frozenset()

    def commands(self, uid: int) -> list[Command]:
        """What to ask in a trip that is made anyway, for `meet`: at most one command."""
        must_check = self.policy is ReplyPolicy.FOLLOWED and uid not in (
            self.author,
            *self.mentioned_uids,
        )
        return [("ZSCORE", following_keys.following(self.author), uid)] if must_check else []

    def allows(self, uid: int, replies: Sequence[Any]) -> bool:
        """Whether a member may, by the replies to the commands."""
        exempt = self.policy is ReplyPolicy.EVERYBODY or uid in (self.author, *self.mentioned_uids)
        return exempt or any(score is not None for score in replies)

    def require(self, allowed: bool) -> None:
        """Raises Forbidden, with the reason, where a member may not."""
        if not allowed:
            raise Forbidden(REPLY_ERRORS[self.policy])


def parse_reply_policy(slug: str) -> ReplyPolicy:
    """The one that forms call so; EVERYBODY where nothing is said. Raises ValueError."""
    policy = next((one for one in ReplyPolicy if one.slug == slug), None)
    if slug and policy is None:
        raise ValueError(slug)
    return policy or ReplyPolicy.EVERYBODY


def resolve_reply_rule(
    db: Db, uid: int, entities: Iterable[Entity], policy: ReplyPolicy | None, inherited: str | None
) -> str:
    """The rule of a status as it is stored, nothing where everybody may: that of what it answers, if anything
    (`inherited`), else its author's. One trip where that takes names; none for most.
    """
    if inherited is not None:
        return inherited
    if not policy or policy is ReplyPolicy.EVERYBODY:
        return ""
    return " ".join(
        [policy.value, str(uid), *map(str, sorted(mentioned_uids(db, entities, None) - {uid}))]
    )


def unpack_reply_rule(stored: str | None) -> ReplyRule:
    """The rule in its stored form."""
    if not stored:
        return ReplyRule()
    policy, author, *mentioned = stored.split()
    return ReplyRule(ReplyPolicy(policy), int(author), frozenset(map(int, mentioned)))
