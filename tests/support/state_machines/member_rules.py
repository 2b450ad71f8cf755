"""Members who follow, block, mute and post, and change their accounts."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.conftest import PASSWORD
from tests.support.state_machines.expected import ExpectedState, StatusRecord
from tests.support.state_machines.strategies import MEMBERS, NOTHING, booleans, members
from webapp.accounts import lifecycle, registration
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.core.errors import Refused
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys, store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.requests import store as requests
from webapp.site_settings import REVIEW
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.values.reply_policy import ReplyPolicy

mute_with_notifications = partial(mutes.mute, hide_notifications=True)
RELATIONSHIP_ACTIONS = (
    *(following.follow, following.follow, following.follow, following.unfollow),
    *(blocks.block, blocks.block, blocks.unblock),
    *(mutes.mute, mute_with_notifications, mutes.unmute),
)
ACCOUNT_ACTIONS = (
    *("accept", "accept", "protect", "open", "suspend"),
    *("restore", "restore", "delete", "delete"),
)


class MemberRules(ExpectedState):
    """Let members act."""

    def on_account_deleted(self, uid: int) -> None:
        """Update the model after a member deleted their account."""

    @initialize(pairs=st.sets(st.tuples(members, members), min_size=2, max_size=8))
    def begin(self, pairs: set[tuple[int, int]]) -> None:
        self.sign_up_all(pairs)

    def sign_up_all(self, pairs: set[tuple[int, int]]) -> None:
        """Sign up all members, and let these pairs follow."""
        for number in range(1, MEMBERS + 1):
            login = f"bird{number}"
            assert registration.sign_up(self.site, login, login, PASSWORD).uid == number
            self.logins[number] = login
        for pair in sorted(pairs):
            self.relate(*pair, following.follow)

    @rule(uid=members, other=members, act=st.sampled_from(RELATIONSHIP_ACTIONS))
    def relate(self, uid: int, other: int, act: Callable[..., object]) -> None:
        """Let one member act on another."""
        self.attempt(act, uid, self.logins[other])

    @rule(uid=members, action=st.sampled_from(ACCOUNT_ACTIONS), deletes=booleans)
    def change_account(self, uid: int, action: str, deletes: bool) -> None:
        """Accept a member's requests, or change or delete their account."""
        if action == "accept":
            self._accept_requests(uid)
        elif action in ("protect", "open"):
            self._change_state(uid, lifecycle.protect, self.protected, action == "protect")
        elif action in ("suspend", "restore"):
            self._change_state(uid, lifecycle.suspend, self.suspended, action == "suspend")
        elif deletes:
            self._delete_account(uid)

    def _accept_requests(self, uid: int) -> None:
        if uid in self.deleted_members:
            return
        for requester in self.listed(following_keys.follow_requests(uid)) - self.deleted_members:
            self.attempt(requests.answer, uid, self.logins[requester], True)

    def _change_state(
        self, uid: int, change: Callable[..., object], uids: set[int], wanted: bool
    ) -> None:
        """Protect or suspend a member, or take that back."""
        if self.attempt(change, uid, wanted):
            if wanted:
                uids.add(uid)
            else:
                uids.discard(uid)

    def _delete_account(self, uid: int) -> None:
        if uid in self.deleted_members:
            return
        self.attempt(lifecycle.delete_account, uid, None)
        self.deleted_members.add(uid)
        self.suspended.discard(uid)
        self.on_account_deleted(uid)
        self.statuses = {
            number: status for number, status in self.statuses.items() if status.author != uid
        }

    def delete(self, status_id: int) -> None:
        """Delete a status, if it exists, as its author."""
        status = self.statuses.get(status_id)
        if status and self.attempt(statuses.delete, status.author, status_id):
            del self.statuses[status_id]

    def is_held(self, text: str) -> bool:
        """Return True if moderators want to see a post with this text before it is published."""
        return any(ban.action == REVIEW and ban.value in text for ban in self.config.bans.bans)

    def pick(self, back: int) -> int:
        """Return the id of an earlier post, which may be deleted, counted from the newest."""
        return self.posted_ids[-1 - back % len(self.posted_ids)] if self.posted_ids else NOTHING

    def attempt(self, act: Callable[..., object], uid: int, *args: object) -> bool:
        """Let a member act; return False if it is refused."""
        self.forget_related()
        try:
            act(self.site, uid, *args)
        except Refused:
            return False
        return True

    def post(self, uid: int, text: str, form: str = "", **options: Any) -> int:
        """Post and return the id, or assert that the expected error refuses it."""
        self.generation += 1
        form_key = form or f"form-{self.generation}"
        post_options = cast("StatusOptions", options)
        error = self.post_error(uid, post_options, self.is_held(text))
        try:
            status_id = statuses.post(self.site, uid, parse(text), form_key, **post_options)
        except Refused as refusal:
            assert refusal.code == error, "another reason"
            return NOTHING
        assert error is None, "posted"
        self.record_post(uid, status_id, text, post_options)
        return status_id

    def record_post(self, uid: int, status_id: int, text: str, options: StatusOptions) -> None:
        """Add a posted status to the model."""
        words = text.split()
        logins = {uid: one for uid, one in self.logins.items() if uid not in self.deleted_members}
        mentioned = frozenset(other for other, login in logins.items() if f"@{login}" in words)
        record = StatusRecord(
            author=uid,
            visibility=options.get("visibility") or Visibility.PUBLIC,
            addressed=mentioned,
            mentioned=mentioned,
            rule=(options.get("reply_policy", ReplyPolicy.EVERYBODY), uid, mentioned - {uid}),
            quote_policy=options.get("quote_policy", QuotePolicy.EVERYONE),
            has_poll=bool(options.get("poll")),
            options=options,
            text=text,
            follow_dates=self._follow_dates(uid),
        )
        parent = self.statuses.get(options.get("reply") or NOTHING)
        if parent:
            self._inherit(record, parent, options)
        self.statuses[status_id] = record
        self.posted_ids.append(status_id)

    def _inherit(self, reply: StatusRecord, parent: StatusRecord, options: StatusOptions) -> None:
        """Give a reply what follows from its parent."""
        if not options.get("visibility"):
            reply.visibility = self.effective_visibility(parent)
        if parent.author != reply.author:
            reply.reply_to_uid = parent.author
        reply.addressed |= {parent.author}
        reply.rule = parent.rule

    def _follow_dates(self, uid: int) -> dict[int, str]:
        """Return the followers of a member, with the scores of their follows."""
        dates = {other: self.follows(other).get(uid) for other in self.logins}
        return {other: date for other, date in dates.items() if date}
