"""The model of members and statuses: who may see, answer and quote what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine

from tests.conftest import empty_store
from tests.support.state_machines.strategies import NOTHING
from tests.support.state_machines.workers import Workers
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.core.store.connection import connect
from webapp.following import keys as following_keys
from webapp.statuses import Visibility
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.values.reply_policy import REPLY_ERRORS, ReplyPolicy
from webapp.statuses.values.visibility import allowed_for_reply


@dataclass(slots=True)
class StatusRecord:
    """A status.

    `reply_to_uid` is 0 for a post and for a reply to oneself. `addressed` are the mentioned members
    and the author of the parent. `rule` is the reply policy of the thread's first post, its author
    and the members it mentions. `follow_dates` are the followers of the author when it was posted.
    """

    author: int
    visibility: Visibility
    reply_to_uid: int = 0
    addressed: frozenset[int] = frozenset()
    mentioned: frozenset[int] = frozenset()
    rule: tuple[ReplyPolicy, int, frozenset[int]] = (ReplyPolicy.EVERYBODY, 0, frozenset())
    quote_policy: QuotePolicy = QuotePolicy.EVERYONE
    has_poll: bool = False
    options: StatusOptions = field(default_factory=lambda: StatusOptions())
    text: str = ""
    follow_dates: Mapping[int, Any] = field(default_factory=dict)


class ExpectedState(Workers, RuleBasedStateMachine):
    """A store and its model."""

    def __init__(self) -> None:
        super().__init__()
        empty_store(self.config)
        self.db = connect(self.config)
        self.logins: dict[int, str] = {}
        self.suspended: set[int] = set()
        self.deleted_members: set[int] = set()
        self.protected: set[int] = set()
        self.statuses: dict[int, StatusRecord] = {}  # those that exist
        self.posted_ids = list[int]()  # every status ever posted, in order
        self._related: dict[str, dict[int, str]] = {}

    # Members

    @property
    def visible_members(self) -> list[int]:
        """The members who are neither suspended nor deleted."""
        return [uid for uid in self.logins if uid not in self.suspended | self.deleted_members]

    def related(self, key: str) -> dict[int, str]:
        """Return the members of a member's list with scores; cached until the next action."""
        if key not in self._related:
            flat = self.db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))
            self._related[key] = dict(zip(map(int, flat[::2]), flat[1::2], strict=True))
        return self._related[key]

    def forget_related(self) -> None:
        """Read the lists of members again, because an action may have changed them."""
        self._related.clear()

    def follows(self, uid: int) -> dict[int, str]:
        """Return whom a member (0: a visitor) follows, with scores."""
        return self.related(following_keys.following(uid)) if uid else {}

    def blocked_with(self, uid: int) -> set[int]:
        """Return the members on either side of a block, as far as it was applied."""
        if not uid:
            return set()
        blocked = self.related(following_keys.blocks(uid))
        return {*blocked, *self.related(following_keys.blockers(uid))}

    def muted(self, uid: int) -> set[int]:
        """Return whom a member (0: a visitor) mutes."""
        return set(self.related(following_keys.mutes(uid))) if uid else set()

    # Visibility

    def effective_visibility(self, status: StatusRecord) -> Visibility:
        """Return the visibility of a status now."""
        if status.author in self.protected and not status.visibility.restricted:
            return Visibility.FOLLOWERS
        return status.visibility

    def may_see(self, uid: int, status: StatusRecord) -> bool:
        """Return True if a member (0: a visitor) may see a status."""
        visibility = self.effective_visibility(status)
        if not visibility.restricted or (uid and uid == status.author):
            return True
        if uid and status.visibility.restricted and uid in status.addressed:
            return True
        return visibility is Visibility.FOLLOWERS and status.author in self.follows(uid)

    # Errors

    def account_error(self, uid: int) -> str | None:
        """Return the error for a member who cannot act at all."""
        if uid in self.deleted_members:
            return "no_member"
        return "suspended" if uid in self.suspended else None

    def target_error(self, uid: int, status_id: int, blocked_code: str) -> str | None:
        """Return the error for a member who acts on a status; None if they may."""
        status = self.statuses.get(status_id)
        if status is None or not self.may_see(uid, status):
            return "no_status"
        if status.author in self.suspended:
            return "suspended"
        blocked_by_author = uid in self.related(following_keys.blocks(status.author))
        blocks_author = status.author in self.related(following_keys.blocks(uid))
        return blocked_code if blocked_by_author or blocks_author else None

    def post_error(self, uid: int, options: StatusOptions, is_held: bool = False) -> str | None:
        """Return the error for a member who posts this; None if they may.

        `is_held`: it has a word that moderators want to see first.
        """
        parent = options.get("reply") or NOTHING
        quoted = options.get("quote") or NOTHING
        error = None
        if parent:
            error = self.target_error(uid, parent, "cannot_reply") or self.reply_error(uid, parent)
            if not error and self._is_too_visible(parent, options):
                error = "too_visible"
        if quoted and not error:
            error = self.target_error(uid, quoted, "cannot_quote") or self.quote_error(uid, quoted)
        if error:
            return error
        if error := "in_review" if is_held else self.account_error(uid):
            return error
        blocked = parent and self.statuses[parent].author in self.blocked_with(uid)
        return "cannot_reply" if blocked else None

    def _is_too_visible(self, parent: int, options: StatusOptions) -> bool:
        """Return True if a reply would be wider than its parent allows."""
        visibility = options.get("visibility")
        inherited = self.effective_visibility(self.statuses[parent])
        return bool(visibility) and visibility not in allowed_for_reply(inherited)

    def reply_error(self, uid: int, status_id: int) -> str | None:
        """Return the error of a thread's reply policy."""
        policy, author, mentioned = self.statuses[status_id].rule
        if policy is ReplyPolicy.EVERYBODY or uid in {author, *mentioned}:
            return None
        if policy is ReplyPolicy.FOLLOWED and uid in self.follows(author):
            return None
        return REPLY_ERRORS[policy]

    def quote_error(self, uid: int, status_id: int) -> str | None:
        """Return the error of a status's quote policy."""
        status = self.statuses[status_id]
        if self.effective_visibility(status).restricted:
            return "not_for_quotes"
        if uid == status.author or status.quote_policy is QuotePolicy.EVERYONE:
            return None
        if status.quote_policy is QuotePolicy.NOBODY:
            return "quoted_by_nobody"
        return None if status.author in self.follows(uid) else "quoted_by_followers"
