"""Word filters: creating, changing and deleting them, and their expiry."""

from dataclasses import replace

import orjson
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from tests.models.filters.machine import FiltersMachineBase, readers
from tests.models.filters.model import EXPIRED, FILTERED_WORDS, FILTERS_MAX, LATER
from tests.support.state_machines.strategies import booleans
from webapp.core.errors import Refused
from webapp.statuses import Filter
from webapp.statuses.filters import keys as filter_keys, store as filters
from webapp.statuses.filters.filter_set import CONTEXTS

ACTIONS = ("create", "create", "create", "change", "change", "delete", "expire")
some_contexts = st.sets(st.sampled_from(CONTEXTS), min_size=1).map(
    lambda contexts: tuple(sorted(contexts))
)
drawn_filters = st.builds(
    Filter,
    words=st.sampled_from(FILTERED_WORDS),
    whole_word=booleans,
    contexts=st.just(CONTEXTS) | some_contexts,
    expires_at=st.sampled_from([0, 0, LATER, LATER, EXPIRED]),
    hide=booleans,
)


class FilterRules(FiltersMachineBase):
    """Let members filter words."""

    @rule(
        uid=readers,
        action=st.sampled_from(ACTIONS),
        drawn=drawn_filters,
        number=st.integers(1, FILTERS_MAX + 2),
    )
    def manage_filter(self, uid: int, action: str, drawn: Filter, number: int) -> None:
        """Create, change, delete or expire a filter, which may not exist."""
        if action == "create":
            self.save_filter(uid, replace(drawn, number=0))
        elif action == "change":
            self.save_filter(uid, replace(drawn, number=number))
        elif action == "delete":
            filters.delete(self.db, uid, number)
            filters.delete(self.db, uid, number)
            self.filters.get(uid, {}).pop(number, None)
        elif number in self.filters.get(uid, {}):
            self._expire(uid, number)

    def save_filter(self, uid: int, record: Filter) -> None:
        """Save a filter, or assert that the expected error refuses it."""
        if error := self.account_error(uid) or self._filter_error(uid, record):
            with pytest.raises(Refused, match=error):
                filters.save(self.site, uid, record)
            return
        number = filters.save(self.site, uid, record)
        if not record.number and (equal := self._equal_filters(uid, record)):
            assert number in equal, "saved once"
            return
        self.created[uid] += not record.number
        assert number == (record.number or self.created[uid])
        self.filters.setdefault(uid, {})[number] = replace(record, number=number)

    def _equal_filters(self, uid: int, record: Filter) -> list[int]:
        """Return the numbers of a member's filters that equal a new one."""
        own = self.filters.get(uid, {})
        return [number for number, one in own.items() if replace(one, number=0) == record]

    def _filter_error(self, uid: int, record: Filter) -> str | None:
        """Return the error for a filter too many, or for one that does not exist."""
        own = self.filters.get(uid, {})
        if not record.number:
            if self._equal_filters(uid, record):
                return None
            return "filters_full" if len(own) == FILTERS_MAX else None
        return "no_filter" if record.number not in own else None

    def _expire(self, uid: int, number: int) -> None:
        expired = replace(self.filters[uid][number], expires_at=EXPIRED)
        self.filters[uid][number] = expired
        fields = (
            *(expired.words, expired.whole_word, expired.contexts),
            *(expired.expires_at, expired.hide),
        )
        packed = orjson.dumps(fields).decode()
        self.db.run(("HSET", filter_keys.filters(uid), number, packed))

    def on_account_deleted(self, uid: int) -> None:
        self.filters.pop(uid, None)

    @invariant()
    def filters_equal_the_model(self) -> None:
        for uid in self.logins.keys() - self.deleted_members:
            own = self.filters.get(uid, {})
            stored = self.db.read(filters.filters_of(uid))
            assert stored == tuple(own[number] for number in sorted(own, reverse=True))
