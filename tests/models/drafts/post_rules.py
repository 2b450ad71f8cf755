"""Posts and their quote policies."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.models.drafts.machine import TEXTS, DraftsMachineBase, contents, quote_policies
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.state_machines.strategies import members, posts
from webapp.accounts import profile
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.core.errors import Refused
from webapp.statuses.quotes import keys as quote_keys, store as quotes


class PostRules(DraftsMachineBase):
    """Let members post, delete, and set quote policies."""

    @rule(
        uid=members,
        action=st.sampled_from(["post", "post", "delete", "delete", "set_policy"]),
        content=contents,
        back=posts,
    )
    def write_or_delete(self, uid: int, action: str, content: dict[str, Any], back: int) -> None:
        """Post, delete, or set the quote policy of future posts."""
        if action == "post":
            self.post(uid, self.text_of(content), **self.options_of(content))
        elif action == "delete":
            self.delete(self.pick(back))
        elif self.attempt(profile.edit, uid, {"quote_policy": content["quote_policy"].value}):
            self.quote_policies[uid] = content["quote_policy"]

    @precondition(lambda self: self.posted_ids)
    @rule(
        back=posts,
        actor=st.none() | st.none() | members,
        quote_policy=quote_policies,
        mode=st.sampled_from(["once", "twice", "dies", "suspended"]),
        other=members,
    )
    def change_quote_policy(
        self, back: int, actor: int | None, quote_policy: QuotePolicy, mode: str, other: int
    ) -> None:
        """Change the quote policy of a post, then quote it.

        The author may be suspended, or the process may die, and another member may try it.
        """
        status_id = self.pick(back)
        status = self.statuses.get(status_id)
        uid = actor or (status.author if status else other)
        if mode == "suspended":
            self.change_account(uid, "suspend", False)
        quotes_before = self._quoting_ids(status_id)
        if mode == "dies":
            with suppress(Crashed):
                quotes.set_quote_policy(CrashingDb(self.db, 0), uid, status_id, quote_policy)
        for _ in range(2 if mode == "twice" else 1):
            self._set_quote_policy(uid, status_id, quote_policy)
        if mode == "suspended":
            self.change_account(uid, "restore", False)
        assert self._quoting_ids(status_id) == quotes_before, "existing quotes stay"
        self.post(other, TEXTS[0], quote=status_id)

    def _set_quote_policy(self, uid: int, status_id: int, quote_policy: QuotePolicy) -> None:
        """Set a quote policy, or assert that the expected error refuses it."""
        if error := self.quote_policy_error(uid, status_id):
            with pytest.raises(Refused, match=error):
                quotes.set_quote_policy(self.db, uid, status_id, quote_policy)
            return
        quotes.set_quote_policy(self.db, uid, status_id, quote_policy)
        self.statuses[status_id].quote_policy = quote_policy

    def _quoting_ids(self, status_id: int) -> Any:
        return self.db.run(("ZRANGE", quote_keys.quotes(status_id), 0, -1))
