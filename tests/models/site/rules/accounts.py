"""Accounts: signing up, protecting, suspending and deleting them, and staying away."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from tests.conftest import PASSWORD
from tests.models.site.machine import SiteMachineBase, members
from tests.models.site.model.events import set_present
from webapp.accounts import keys as account_keys, lifecycle, registration
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import partition_of

MEMBERS_MAX = 6


class AccountRules(SiteMachineBase):
    """Let members and operators change accounts."""

    @initialize(target=members)
    def sign_up_first(self) -> int:
        return self._sign_up()

    @precondition(lambda self: len(self.model.logins) < MEMBERS_MAX)
    @rule(target=members)
    def sign_up(self) -> int:
        return self._sign_up()

    def _sign_up(self) -> int:
        login = f"member{len(self.model.logins)}"
        uid = registration.sign_up(self.site, login, login, PASSWORD).uid
        self.model.logins[uid] = login
        self.model.emit(uid, "joined", uid, uid)
        return uid

    @rule(uid=members, wanted=st.booleans())
    def protect(self, uid: int, wanted: bool) -> None:
        if not self.is_active(uid):
            with pytest.raises((NotFound, Forbidden)):
                lifecycle.protect(self.site, uid, wanted)
            return
        changed = lifecycle.protect(self.site, uid, wanted)
        assert changed == (wanted != (uid in self.model.protected))
        set_present(self.model.protected, uid, wanted)
        self.model.ever_protected |= self.model.protected
        if changed:
            self.model.emit(uid, "protected" if wanted else "unprotected", uid, uid)
        if wanted:  # pages of hashtags leave out restricted statuses before that is applied
            for statuses in self.model.applied_tags.values():
                statuses -= self.model.written_by(uid)

    @rule(uid=members, wanted=st.booleans())
    def suspend(self, uid: int, wanted: bool) -> None:
        if uid in self.model.deleted_members:
            with pytest.raises(NotFound):
                lifecycle.suspend(self.site, uid, wanted)
            return
        changed = lifecycle.suspend(self.site, uid, wanted)
        assert changed == (wanted != (uid in self.model.suspended))
        set_present(self.model.suspended, uid, wanted)
        if changed:
            self.model.emit(uid, "suspended" if wanted else "restored", uid, uid)

    @precondition(lambda self: len(self.model.logins) > 1)
    @rule(uid=members, number=st.integers(0, 2))
    def delete_account(self, uid: int, number: int) -> None:
        """Delete an account, once in three times."""
        if number or uid in self.model.deleted_members:
            return
        lifecycle.delete_account(self.site, uid, None)
        self.model.delete_member(uid)
        self.model.emit(uid, "account_deleted", uid, uid)

    @rule(uid=members)
    def become_inactive(self, uid: int) -> None:
        """Drop the home of a member who stays away; their next visit builds it again."""
        self.db.trip(
            ("ZREM", account_keys.active_members(partition_of(uid)), uid),
            ("DEL", account_keys.home(uid)),
        )
