"""Invariants of drafts, scheduled posts, and reply and quote policies."""

from hypothesis.stateful import invariant

from tests.models.drafts.machine import DraftsMachineBase
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.accounts.store import get_or_404
from webapp.core.store import partition_of
from webapp.statuses import keys as status_keys
from webapp.statuses.drafts import keys as draft_keys, store as drafts
from webapp.statuses.threads import store as threads


class DraftChecks(DraftsMachineBase):
    """Compare drafts and policies with the model."""

    @invariant()
    def drafts_equal_the_model(self) -> None:
        for uid in self.logins.keys() - self.deleted_members:
            self._check_drafts(uid)
            self._check_scheduled_posts(uid)
            member = self.db.read(get_or_404(uid))
            expected_policy = self.quote_policies.get(uid, QuotePolicy.EVERYONE)
            assert member and member.quote_policy is expected_policy

    def _check_drafts(self, uid: int) -> None:
        """Check that scheduled posts are in the order of their time, and drafts newest first."""
        own = {form_key: draft for (owner, form_key), draft in self.drafts.items() if owner == uid}
        scheduled, unscheduled = drafts.list_all(self.db, uid)
        assert {draft.form_key for draft in scheduled} == {key for key in own if own[key].hours}
        newest_first = [key for key in reversed(own) if not own[key].hours]
        assert [draft.form_key for draft in unscheduled] == newest_first
        due_times = [draft.due for draft in scheduled]
        assert due_times == sorted(due for due in due_times if due)
        for draft in (*scheduled, *unscheduled):
            expected = own[draft.form_key]
            assert (draft.fields, draft.error_code) == (expected.fields, expected.error_code)
            assert (draft.saved_ms, draft.reviewed) == (expected.saved_ms, expected.reviewed)

    def _check_scheduled_posts(self, uid: int) -> None:
        scheduled_posts = draft_keys.scheduled_posts(partition_of(uid))
        assert set(self.db.run(("ZRANGE", scheduled_posts, 0, -1))) == {
            f"{owner}:{form_key}"
            for (owner, form_key), draft in self.drafts.items()
            if owner == uid and draft.hours
        }

    @invariant()
    def thread_pages_show_reply_and_quote_policies(self) -> None:
        for status_id, status in list(self.statuses.items())[-2:]:
            for uid in self.visible_members:
                if self.target_error(uid, status_id, "blocked"):
                    continue
                if status.author in self.blocked_with(uid):
                    continue
                page = threads.thread(self.db, status_id, uid, (), 1)
                assert page.can_reply == (self.reply_error(uid, status_id) is None)
                may_ask = self.quote_error(uid, status_id) in (None, "quoted_by_followers")
                assert page.status.quotable_by(uid) == may_ask

    @invariant()
    def stored_quote_policies_equal_the_model(self) -> None:
        keys = map(status_keys.status, self.statuses)
        stored = self.db.trip(*(("HGET", key, "quote_policy") for key in keys))
        expected = [status.quote_policy for status in self.statuses.values()]
        assert [QuotePolicy(value or "") for value in stored] == expected
