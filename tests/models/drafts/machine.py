"""The state of the drafts machine, and what its rules share."""

from typing import Any

from hypothesis import strategies as st

from tests.models.drafts.model import DraftKey, DraftRecord, Fingerprint, StoredFields
from tests.support.schema import live_keys
from tests.support.state_machines.machine import MemberMachine
from tests.support.state_machines.strategies import NOTHING, members, posts, visibilities
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.statuses import Poll, Visibility, keys as status_keys
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.values.poll import pack_poll
from webapp.statuses.values.reply_policy import ReplyPolicy

DRAFTS_MAX = 2  # of one member
FORM_KEYS = tuple(f"draft-form-{number}" for number in range(DRAFTS_MAX + 1))
HELD = "heron"  # a word that moderators want to see before it is published
TEXTS = ("a song", "two songs", f"a {HELD}")
POLL = Poll(("reeds", "marsh"), 60)
STORED_FIELDS = (
    *("author", "text", "reply_to_id", "quoted_id", "visibility"),
    *("reply_rule", "quote_policy", "poll"),
)
form_keys = st.sampled_from(FORM_KEYS)
quote_policies = st.sampled_from(QuotePolicy)
maybe_post = st.none() | st.none() | posts
contents = st.fixed_dictionaries(
    {
        "text": st.sampled_from(TEXTS),
        "mentioned": st.none() | members,
        "reply": maybe_post,
        "quote": maybe_post,
        "visibility": st.none() | visibilities,
        "reply_policy": st.sampled_from(ReplyPolicy),
        "quote_policy": quote_policies,
        "has_poll": st.booleans(),
    }
)


class DraftsMachineBase(MemberMachine):
    """A store and its model.

    `drafts` are in the order of saving. `posted_by_form` has the status that a form has posted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.drafts: dict[DraftKey, DraftRecord] = {}
        self.posted_by_form: dict[tuple[DraftKey, Fingerprint], int] = {}
        self.quote_policies: dict[int, QuotePolicy] = {}

    # What a draft becomes

    def text_of(self, content: dict[str, Any]) -> str:
        """Return drawn content as the text of a post."""
        mentioned = content["mentioned"]
        return content["text"] + (f" @{self.logins[mentioned]}" if mentioned else "")

    def options_of(self, content: dict[str, Any]) -> StatusOptions:
        """Return drawn content as options of a post."""
        return StatusOptions(
            reply=self._pick_if_drawn(content["reply"]),
            quote=self._pick_if_drawn(content["quote"]),
            cw="",
            visibility=content["visibility"],
            poll=POLL if content["has_poll"] else None,
            reply_policy=content["reply_policy"],
            quote_policy=content["quote_policy"],
        )

    def _pick_if_drawn(self, back: int | None) -> int | None:
        return self.pick(back) or None if back is not None else None

    def expected_fields(self, uid: int, draft: DraftRecord) -> StoredFields:
        """Return the stored fields that a draft must become."""
        options = draft.options
        return (
            str(uid),
            draft.text,
            str(options.get("reply") or ""),
            str(options.get("quote") or ""),
            self._visibility(draft).value,
            self._reply_rule(uid, draft),
            options["quote_policy"].value,
            pack_poll(options.get("poll")),
        )

    def _visibility(self, draft: DraftRecord) -> Visibility:
        parent = self.statuses.get(draft.options.get("reply") or NOTHING)
        inherited = self.effective_visibility(parent) if parent else Visibility.PUBLIC
        return draft.options.get("visibility") or inherited

    def _reply_rule(self, uid: int, draft: DraftRecord) -> str:
        """Return the stored reply policy; a reply inherits its thread's."""
        parent = self.statuses.get(draft.options.get("reply") or NOTHING)
        if parent:
            policy, author, mentioned = parent.rule
        else:
            words = draft.text.split()
            uids = {other for other, login in self.logins.items() if f"@{login}" in words}
            policy, author = draft.options["reply_policy"], uid
            mentioned = frozenset(uids - {uid} - self.deleted_members)
        if policy is ReplyPolicy.EVERYBODY:
            return ""
        return " ".join([policy.value, *map(str, (author, *sorted(mentioned)))])

    def stored_fields(self, status_id: int) -> StoredFields:
        """Return the fields of a status as stored."""
        values = self.db.run(("HMGET", status_keys.status(status_id), *STORED_FIELDS))
        return tuple(value or "" for value in values)

    def stored_ids(self) -> set[int]:
        """Return the ids of all stored statuses."""
        status_hashes = [key for key in live_keys(self.db) if key.startswith("status:")]
        return {int(key.rpartition(":")[2]) for key in status_hashes}

    # Forms that were sent before

    def fingerprint(self, draft: DraftRecord) -> Fingerprint:
        """Return the part of a draft that makes it a different post of the same form."""
        options = draft.options
        return (
            draft.text,
            options.get("reply"),
            options.get("quote"),
            bool(options.get("poll")),
            options["reply_policy"],
            options["quote_policy"],
            self._visibility(draft),
        )

    def posted_before(self, key: DraftKey, draft: DraftRecord) -> int:
        """Return the status that the same form has posted; NOTHING if its parent is deleted."""
        reply = draft.options.get("reply")
        if reply and reply not in self.statuses:
            return NOTHING
        return self.posted_by_form.get((key, self.fingerprint(draft)), NOTHING)

    def record_published(self, key: DraftKey, draft: DraftRecord, status_id: int) -> None:
        """Add the status that a draft became to the model."""
        self.posted_by_form[key, self.fingerprint(draft)] = status_id
        self.record_post(key[0], status_id, draft.text, draft.options)

    # What must be refused

    def publishing_error(
        self, key: DraftKey, draft: DraftRecord, is_reviewed: bool = False
    ) -> str | None:
        """Return the error for publishing a draft; a form that has posted before succeeds again."""
        is_held = self.is_held(draft.text) and not is_reviewed
        error = self.post_error(key[0], draft.options, is_held)
        succeeds_again = (
            error in ("suspended", "cannot_reply")
            and self.posted_before(key, draft)
            and not self._target_error(key[0], draft)
        )
        return None if succeeds_again else error

    def _target_error(self, uid: int, draft: DraftRecord) -> str | None:
        """Return the error of the statuses that a draft replies to and quotes."""
        reply, quote = draft.options.get("reply"), draft.options.get("quote")
        error = None
        if reply:
            error = self.target_error(uid, reply, "blocked") or self.reply_error(uid, reply)
        if quote and not error:
            error = self.target_error(uid, quote, "blocked")
        return error

    def quote_policy_error(self, uid: int, status_id: int) -> str | None:
        """Return the error for changing a quote policy; authors may always change theirs."""
        status = self.statuses.get(status_id)
        if status is None:
            return "no_status|no_member" if uid in self.deleted_members else "no_status"
        if status.author != uid:
            return "no_status" if self.effective_visibility(status).restricted else "not_yours"
        return self.account_error(uid)
