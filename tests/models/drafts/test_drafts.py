"""Compare drafts, scheduled posts, and reply and quote policies with a model.

A draft is published once, at its time or by its member, or keeps the error that prevents it. One
that is held for review is published once if a moderator decides so, and never otherwise.
"""

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from tests.conftest import long
from tests.models.drafts.checks import DraftChecks
from tests.models.drafts.machine import DRAFTS_MAX, HELD, contents, form_keys
from tests.models.drafts.post_rules import PostRules
from tests.models.drafts.review_rules import ReviewRules
from tests.support.schema import live_keys
from tests.support.state_machines.machine import run_machine
from tests.support.state_machines.strategies import members
from webapp.config import Config
from webapp.site_settings import REVIEW, WORD, Ban, BanList
from webapp.statuses.drafts import keys as draft_keys


class DraftsMachine(PostRules, ReviewRules, DraftChecks):
    """Let members save and schedule drafts, and moderators read some before they are posted."""

    @initialize(
        pairs=st.sets(st.tuples(members, members), min_size=2, max_size=8),
        posts_before=st.lists(st.tuples(members, contents), min_size=2, max_size=5),
        drafts_before=st.lists(st.tuples(members, form_keys, contents), min_size=1, max_size=5),
    )
    def begin(
        self,
        pairs: set[tuple[int, int]],
        posts_before: list[tuple[int, dict[str, Any]]],
        drafts_before: list[tuple[int, str, dict[str, Any]]],
    ) -> None:
        """Post some statuses and schedule some drafts."""
        self.sign_up_all(pairs)
        self.appoint_moderators()
        for uid, content in posts_before:
            self.post(uid, content["text"], **self.options_of(content))
        for uid, form_key, content in drafts_before:
            self.save(uid, form_key, content, is_invalid=False, hours=-1)

    def on_account_deleted(self, uid: int) -> None:
        self.drafts = {key: draft for key, draft in self.drafts.items() if key[0] != uid}

    def check(self) -> None:
        """Publish all due drafts. Only the model's drafts and statuses may be stored."""
        self.publish_due(None)
        if self.members_with_events():  # that brings others
            self.apply_events()
            return
        stored = {key for key in live_keys(self.db) if key.startswith(("draft:", "drafts:"))}
        assert stored == {draft_keys.draft(*key) for key in self.drafts} | {
            draft_keys.drafts(uid) for uid, _ in self.drafts
        }
        assert self.stored_ids() == self.statuses.keys()
        self.check_desk()


@pytest.mark.parametrize("examples", [7, long(50)])
def test_drafts_and_policies_equal_the_model(settings: Config, examples: int) -> None:
    bans = BanList((Ban(WORD, HELD, REVIEW),))
    run_machine(DraftsMachine, settings, examples, drafts_max=DRAFTS_MAX, bans=bans)
