"""Lists: creating, changing, filling and deleting them."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.models.lists.checks import ListChecks
from tests.models.lists.model import NAMES, ListKey, ListRecord
from tests.support.state_machines.strategies import booleans, members
from webapp.core.errors import NotFound, Refused
from webapp.core.store import partition_of
from webapp.following.blocks import store as blocks
from webapp.lists import keys as list_keys, store as lists

ACTIONS = ("create", *["update"] * 2, "delete", *["set_memberships"] * 4, "block", "expire")


class ListRules(ListChecks):
    """Let members create lists of each other."""

    @rule(
        data=st.data(),
        action=st.sampled_from(ACTIONS),
        uid=members,
        name=st.sampled_from(NAMES),
        flags=st.tuples(booleans, booleans),
        wanted=st.tuples(booleans, booleans),
    )
    def manage_list(
        self,
        data: st.DataObject,
        action: str,
        uid: int,
        name: str,
        flags: tuple[bool, bool],
        wanted: tuple[bool, bool],
    ) -> None:
        """Create, change, delete or fill a list, block a member, or let a list become inactive."""
        if action == "create" or not self.lists:
            self.create_list(uid, name, *flags)
            return
        key = data.draw(st.sampled_from(sorted(self.lists)))
        if action == "update":
            self._update_list(key, name, *flags)
        elif action == "delete":
            self._delete_list(key)
        elif action == "set_memberships":
            self._choose_lists(key[0], uid, wanted, reads_lists=flags[0])
        elif action == "block":
            self._block_member(key, owner_blocks=flags[0])
        else:
            self._expire(key)

    def create_list(self, uid: int, name: str, private: bool, exclusive: bool) -> None:
        """Create a list, or assert that the expected error refuses it."""
        create = partial(lists.create, self.site, uid, name, private, exclusive)
        if error := self.creation_error(uid, name):
            with pytest.raises(Refused, match=error):
                create()
            return
        number = create()
        self.last_numbers[uid] = self.last_numbers.get(uid, 0) + 1
        assert number == self.last_numbers[uid], "a number is never used again"
        self.lists[uid, number] = ListRecord(name, private, exclusive)

    def _update_list(self, key: ListKey, name: str, private: bool, exclusive: bool) -> None:
        uid, number = key
        update = partial(lists.update, self.site, *key, name, private, exclusive)
        if self.name_error(uid, name, except_number=number):
            with pytest.raises(Refused, match="list_named"):
                update()
            return
        update()
        self.lists[key] = replace(self.lists[key], name=name, private=private, exclusive=exclusive)

    def _delete_list(self, key: ListKey) -> None:
        """Delete a list. The form is sent twice."""
        lists.delete(self.site, *key)
        del self.lists[key]
        with pytest.raises(NotFound):
            lists.delete(self.site, *key)

    def _choose_lists(
        self, owner: int, member: int, wanted: tuple[bool, bool], reads_lists: bool
    ) -> None:
        """Choose the lists of a member. Their statuses appear before events are applied."""
        choice = dict(zip(self.lists_of(owner), wanted, strict=False))
        for number in self.set_memberships(owner, member, choice):
            if reads_lists:
                self.check_list((owner, number), owner, complete=True)

    def set_memberships(self, uid: int, member: int, choice: dict[int, bool]) -> list[int]:
        """Add a member to some lists and remove them from others, all or nothing.

        Return the numbers of the lists that they are new on.
        """
        own = self.lists_of(uid)
        added = [number for number, is_wanted in choice.items() if is_wanted]
        new = [number for number in added if member not in own[number].members]
        new_lists = [own[number] for number in new]
        save = partial(lists.set_memberships, self.site, uid, self.logins[member], choice)
        if error := self.membership_error(uid, member, bool(added), new_lists):
            with pytest.raises(Refused, match=error):
                save()
            return []
        save()
        for number in choice.keys() - set(added):
            if member in own[number].members:
                own[number].members.remove(member)
        for record in new_lists:
            record.members.append(member)
        return new

    def _block_member(self, key: ListKey, owner_blocks: bool) -> None:
        """Let the owner block a member of a list, or the other way round."""
        owner, record = key[0], self.lists[key]
        member = record.members[0] if record.members else owner
        pair = (owner, member) if owner_blocks else (member, owner)
        self.relate(*pair, blocks.block)

    def _expire(self, key: ListKey) -> None:
        """Let a list become inactive."""
        uid, number = key
        self.db.trip(
            ("ZREM", list_keys.active_lists(partition_of(uid)), f"{uid}:{number}"),
            ("DEL", list_keys.list_home(*key)),
        )
