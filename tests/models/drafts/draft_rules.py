"""Drafts: saving, deleting, scheduling and publishing them."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.models.drafts.machine import DRAFTS_MAX, DraftsMachineBase, contents, form_keys
from tests.models.drafts.model import DraftKey, DraftRecord, StoredFields
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.state_machines.strategies import NOTHING, members
from webapp.core.errors import NotFound, Refused
from webapp.core.store import PARTITIONS, Site, partition_of
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses
from webapp.statuses.drafts import keys as draft_keys, publishing, store as drafts


def in_hours(hours: int) -> datetime:
    return datetime.now(UTC) + timedelta(hours=hours)


class DraftRules(DraftsMachineBase):
    """Let members save and schedule drafts, and workers publish them."""

    @rule(
        uid=members,
        form_key=form_keys,
        content=contents,
        is_invalid=st.sampled_from([False, False, False, True]),
        hours=st.sampled_from([None, -1, -1, 1, 2]),
    )
    def save(
        self, uid: int, form_key: str, content: dict[str, Any], is_invalid: bool, hours: int | None
    ) -> None:
        draft = DraftRecord(self.text_of(content), self.options_of(content), is_invalid, hours)
        save = partial(
            drafts.save,
            *(Site(self.db, self.config), uid, form_key),
            *(draft.fields, in_hours(hours) if hours else None),
        )
        if error := self.account_error(uid) or self._quota_error(uid, form_key):
            with pytest.raises(Refused, match=error):
                save()
            return
        save()
        self._record_saved((uid, form_key), draft)

    def _record_saved(self, key: DraftKey, draft: DraftRecord) -> None:
        """Add a saved draft to the model as the newest one."""
        self.drafts.pop(key, None)
        self.drafts[key] = replace(draft, saved_ms=drafts.get(self.db, *key).saved_ms)

    @precondition(lambda self: self.drafts)
    @rule(data=st.data(), content=contents, is_emptied=st.booleans())
    def type_on(self, data: st.DataObject, content: dict[str, Any], is_emptied: bool) -> None:
        """Save a draft while it is written, or drop an emptied one; some stay as they are."""
        key = data.draw(st.sampled_from(sorted(self.drafts)))
        before = self.drafts[key]
        draft = DraftRecord(self.text_of(content), self.options_of(content), False, None)
        if is_emptied:
            dropped = drafts.discard(self.db, *key, automatic=True) is not None
            assert dropped == before.is_autosaved
            if dropped:
                del self.drafts[key]
        elif not before.is_autosaved or not self.account_error(key[0]):
            is_saved = drafts.save(self.site, *key, draft.fields, replaces=False)
            assert is_saved == (before.is_autosaved or draft.fields == before.fields)
            if before.is_autosaved:
                self._record_saved(key, draft)

    def _quota_error(self, uid: int, form_key: str) -> str | None:
        """Return the error for a draft too many; saving one again needs no room."""
        if (uid, form_key) in self.drafts:
            return None
        count = sum(owner == uid for owner, _ in self.drafts)
        return "drafts_full" if count == DRAFTS_MAX else None

    @precondition(lambda self: self.drafts)
    @rule(
        data=st.data(),
        action=st.sampled_from(["post", "post_and_reschedule", "delete", "become_due"]),
    )
    def open(self, data: st.DataObject, action: str) -> None:
        """Post, delete or make due a draft; or schedule it again from another window."""
        key = data.draw(st.sampled_from(sorted(self.drafts)))
        draft = self.drafts[key]
        if action == "delete":
            self._delete_draft(key)
        elif action == "become_due":
            self._become_due(key, draft)
        elif not draft.is_invalid:
            self._post_draft(key, draft)
            if action == "post_and_reschedule" and key not in self.drafts:
                self._reschedule(key, draft)

    def _reschedule(self, key: DraftKey, draft: DraftRecord) -> None:
        """Schedule a draft that was posted. Its owner may be suspended since the first post."""
        save = partial(drafts.save, *(Site(self.db, self.config), *key, draft.fields, in_hours(-1)))
        if error := self.account_error(key[0]):
            with pytest.raises(Refused, match=error):
                save()
            return
        save()
        self._record_saved(key, replace(draft, hours=-1, error_code="", reviewed=False))

    def _delete_draft(self, key: DraftKey) -> None:
        """Delete a draft. The form is sent twice."""
        del self.drafts[key]
        drafts.delete(self.db, *key)
        with pytest.raises(NotFound):
            drafts.delete(self.db, *key)

    def _become_due(self, key: DraftKey, draft: DraftRecord) -> None:
        """Let the time of a scheduled draft pass."""
        if not draft.hours or draft.is_due:
            return
        draft.hours = -1
        due = int(in_hours(-1).timestamp() * 1000)
        uid, form_key = key
        scheduled = draft_keys.scheduled_posts(partition_of(uid))
        self.db.run(("HSET", draft_keys.draft(uid, form_key), "due", due))
        self.db.run(("ZADD", scheduled, "XX", due, f"{uid}:{form_key}"))

    def _post_draft(self, key: DraftKey, draft: DraftRecord) -> None:
        """Post a draft as its owner, or assert that the expected error refuses it."""
        uid, form_key = key
        post = partial(
            statuses.post,
            *(Site(self.db, self.config), uid, parse(draft.text), form_key),
            **draft.options,
            replaces_draft=True,
        )
        posted_before = self.posted_before(key, draft)
        if error := self.publishing_error(key, draft):
            with pytest.raises(Refused, match=error):
                post()
            if error == "in_review" and not self.account_error(uid):
                self._hold(key, draft)
            return
        status_id = post()
        assert posted_before in (NOTHING, status_id)
        del self.drafts[key]
        if not posted_before:
            self.record_published(key, draft, status_id)

    def _hold(self, key: DraftKey, draft: DraftRecord) -> None:
        """Save a draft that moderators want to see first, as the page that posts it does."""
        drafts.save(self.site, *key, draft.fields, datetime.now(UTC))
        publishing.publish(self.site, *key)
        held = replace(draft, hours=None, error_code="in_review", reviewed=False)
        self._record_saved(key, held)

    @rule(trips=st.none() | st.integers(0, 8))
    def publish_due(self, trips: int | None) -> None:
        """Publish due drafts. A worker may die after some trips; another worker continues."""
        ids_before = self.stored_ids()
        expected = self._expect_published()
        if trips is not None:
            with suppress(Crashed):
                publishing.publish_due(
                    Site(CrashingDb(self.db, trips), self.config), range(PARTITIONS)
                )
        publishing.publish_due(self.site, range(PARTITIONS))
        published = {
            status_id: self.stored_fields(status_id) for status_id in self.stored_ids() - ids_before
        }
        assert Counter(published.values()) == +expected
        for key, draft in list(self.drafts.items()):
            if draft.is_due:
                del self.drafts[key]
                self._match_published(key, draft, published)
        assert not published

    def _expect_published(self) -> Counter[StoredFields]:
        """Return the statuses that due drafts must become. Let the others keep their error."""
        expected = Counter[StoredFields]()
        for key, draft in self.drafts.items():
            if not draft.is_due:
                continue
            error = (
                "draft_invalid"
                if draft.is_invalid
                else self.publishing_error(key, draft, draft.reviewed)
            )
            if error is None:
                is_new = not self.posted_before(key, draft)
                expected[self.expected_fields(key[0], draft)] += is_new
            elif error != "no_member":
                draft.hours, draft.error_code = None, error
        return expected

    def _match_published(
        self, key: DraftKey, draft: DraftRecord, published: dict[int, StoredFields]
    ) -> None:
        """Remove the status that a draft became from those published, and record it."""
        if self.posted_before(key, draft):
            return
        expected = self.expected_fields(key[0], draft)
        status_id = next(one for one, fields in published.items() if fields == expected)
        del published[status_id]
        self.record_published(key, draft, status_id)
