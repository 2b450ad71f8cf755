"""Reply policies of threads. The author of the first post chooses one, and it never changes.

Each reply stores a copy of the rule, so that one status is enough to check it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from webapp.core.errors import Forbidden
from webapp.core.store import Read, constant, read
from webapp.core.text.slugs import SluggedEnum
from webapp.following import keys as following_keys


class ReplyPolicy(SluggedEnum):
    """The members who may reply to a thread. Its author and members it mentions always may.

    Only mentions in the first post count. The values are those that statuses store.
    """

    EVERYBODY = ""
    FOLLOWED = "f"  # members whom the author follows
    MENTIONED = "m"


REPLY_ERRORS = {ReplyPolicy.FOLLOWED: "only_followed", ReplyPolicy.MENTIONED: "only_mentioned"}


@dataclass(frozen=True, slots=True)
class ReplyRule:
    """The policy of a thread, with the author and the mentioned members of its first post."""

    policy: ReplyPolicy = ReplyPolicy.EVERYBODY
    author: int = 0
    mentioned_uids: frozenset[int] = frozenset()

    def allows(self, uid: int) -> Read[bool]:
        """Read whether a member may reply. At most one command."""
        if self.policy is ReplyPolicy.EVERYBODY or uid in (self.author, *self.mentioned_uids):
            return constant(True)
        if self.policy is ReplyPolicy.MENTIONED:
            return constant(False)
        return read(
            ("ZSCORE", following_keys.following(self.author), uid),
            lambda score: score is not None,
        )

    def require(self, allowed: bool) -> None:
        """Raise Forbidden, with the reason, unless a member may reply."""
        if not allowed:
            raise Forbidden(REPLY_ERRORS[self.policy])


def parse_reply_policy(slug: str) -> ReplyPolicy:
    """Parse a form value; everybody if empty. Raises ValueError."""
    return ReplyPolicy.by_slug(slug) if slug else ReplyPolicy.EVERYBODY


def resolve_reply_rule(
    uid: int, mentioned_uids: Iterable[int], policy: ReplyPolicy | None, inherited: str | None
) -> str:
    """Return the stored rule of a new status, "" if everybody may reply.

    `inherited`: the parent's stored rule, None for a post.
    """
    if inherited is not None:
        return inherited
    if not policy or policy is ReplyPolicy.EVERYBODY:
        return ""
    mentioned = sorted(set(mentioned_uids) - {uid})
    return " ".join([policy.value, str(uid), *map(str, mentioned)])


def unpack_reply_rule(stored: str | None) -> ReplyRule:
    """Parse a stored rule."""
    if not stored:
        return ReplyRule()
    policy, author, *mentioned = stored.split()
    return ReplyRule(ReplyPolicy(policy), int(author), frozenset(map(int, mentioned)))
