"""Invariants of lists, homes and stored keys."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from tests.models.lists.machine import ListsMachineBase
from tests.models.lists.model import MEMBERS_MAX, ListKey, ListRecord
from tests.support.schema import live_keys
from tests.support.state_machines.strategies import members
from tests.support.statuses.boosts import all_entries
from tests.support.timelines import home_timeline
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import partition_of
from webapp.lists import access, keys as list_keys, lookup
from webapp.lists.timeline import list_page
from webapp.statuses import Item, Timeline
from webapp.timelines import keys as timeline_keys

VISITOR = 0
KEY_PREFIXES = ("list:", "list_members:", "list_home:")


class ListChecks(ListsMachineBase):
    """Compare lists with the model, as their owners and others see them."""

    @precondition(lambda self: self.lists)
    @rule(data=st.data(), viewer=members)
    def read_list(self, data: st.DataObject, viewer: int) -> None:
        self.check_list(data.draw(st.sampled_from(sorted(self.lists))), viewer, complete=False)

    def check_list(self, key: ListKey, viewer: int, complete: bool) -> None:
        """Check the pages of a list. With `complete`, no entry may be missing."""
        uid, record = key[0], self.lists[key]
        may_read = self.may_read(uid, record, viewer)
        assert self.db.read(access.may_read(*key, viewer or None)) == may_read

        def read(before: int | None) -> Timeline[Item]:
            return list_page(self.site, *key, viewer or None, before)[1]

        if not may_read:
            with pytest.raises((NotFound, Forbidden)):
                read(None)
            return
        self._check_members(key, record, viewer)
        active_lists = list_keys.active_lists(partition_of(uid))
        active_since = self.db.run(("ZSCORE", active_lists, f"{uid}:{key[1]}"))
        entries = list(all_entries(read, short=float(active_since or 0) <= 0))
        allowed = self.allowed_entries(record, uid, viewer)
        assert set(entries) <= {entry for _, entry in allowed}
        assert len(entries) == len(set(entries))
        newest_first = [entry for _, entry in sorted(allowed, reverse=True)]
        assert entries == [entry for entry in newest_first if entry in entries]
        assert not complete or self.required_entries(allowed, uid) <= set(entries)

    def _check_members(self, key: ListKey, record: ListRecord, viewer: int) -> None:
        """Check that a viewer sees the newest members first, and the owner suspended ones too."""
        page = access.members_page(self.db, *key, viewer or None, None, MEMBERS_MAX)[1]
        is_owner = viewer == key[0]
        visible = self.logins.keys() - self.deleted_members if is_owner else self.visible_members
        expected = [member for member in reversed(record.members) if member in visible]
        assert [member.uid for member in page.items] == expected

    @invariant()
    def memberships_equal_the_model(self) -> None:
        first_member = next(iter(self.logins), VISITOR)
        for uid in self.list_owners:
            expected = self.lists_of(uid)
            found = {one.number: one for one in self.db.read(lookup.owned(uid, first_member))}
            assert list(found) == sorted(expected, reverse=True)
            for number, record in expected.items():
                one = found[number]
                assert (one.name, one.private, one.exclusive, one.size, one.has_member) == (
                    record.name,
                    record.private,
                    record.exclusive,
                    len(record.members),
                    first_member in record.members,
                )
                assert self.db.read(lookup.member_uids(uid, number)) == record.members
            stored_excluded = self.listed(timeline_keys.home_excluded(uid))
            assert stored_excluded == self.excluded_from_home(uid)

    def check(self) -> None:
        """Check all lists, and what they keep out of homes, when no event is waiting."""
        for key, record in self.lists.items():
            assert not self.deleted_members & set(record.members)
            for viewer in (VISITOR, *self.visible_members):
                self.check_list(key, viewer, complete=True)
        owners = self.list_owners.intersection(self.visible_members)
        for uid in owners or self.visible_members[:1]:
            self._check_home(uid)
        self._check_keys()

    def _check_keys(self) -> None:
        """Check that the store has only keys of lists that exist."""
        for uid in self.logins:
            on_lists = {
                f"{owner}:{number}"
                for (owner, number), record in self.lists.items()
                if uid in record.members
            }
            assert set(self.db.run(("ZRANGE", list_keys.listed_on(uid), 0, -1))) == on_lists
        for uid in self.logins.keys() - self.list_owners:
            assert not self.listed(timeline_keys.home_excluded(uid))
            assert not self.listed(list_keys.lists(uid))
        stored = {key for key in live_keys(self.db) if key.startswith(KEY_PREFIXES)}
        builders = (list_keys.list_, list_keys.list_members, list_keys.list_home)
        assert stored <= {build(*key) for build in builders for key in self.lists}

    def _check_home(self, uid: int) -> None:
        """Check that a home lacks the members of exclusive lists, and nothing else."""
        excluded = self.excluded_from_home(uid)
        authors = {uid, *self.follows(uid)}
        allowed = {
            status_id
            for status_id, status in self.statuses.items()
            if status.author in authors - excluded
            and (status.author == uid or status.reply_to_uid in {0, *authors})
            and self.is_visible(uid, status, {status.author})
        }
        entries = list(
            all_entries(lambda before: home_timeline(self.site, uid, before), short=True)
        )
        # Replies to others appear only if both authors were followed at that time.
        required = {
            status_id
            for status_id in allowed
            if self.statuses[status_id].author == uid or not self.statuses[status_id].reply_to_uid
        }
        assert required <= {entry for entry in entries if isinstance(entry, int)} <= allowed
        uid_of = {login: member for member, login in self.logins.items()}
        for booster, status_id in (entry for entry in entries if isinstance(entry, tuple)):
            assert not {self.statuses[status_id].author, uid_of[booster]} & excluded
