"""Compare pages with a model of word filters: what they hide, what they fold, and the next page.

The content of a page without filters is read from the store, which the models of the site and of
lists compare. The pages of visitors may be cached, and are compared when no event is waiting.
"""

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant

from tests.conftest import long
from tests.models.filters.filter_rules import FilterRules, drawn_filters
from tests.models.filters.machine import READERS, readers
from tests.models.filters.model import FILTERS_MAX, LIST_NUMBER
from tests.models.filters.page_checks import PageChecks
from tests.models.filters.status_rules import ACTIONS, Action, StatusRules, actions
from tests.models.filters.timeline_checks import TIMELINES, TimelineChecks
from tests.support.pages import serving
from tests.support.schema import live_keys
from tests.support.state_machines.machine import run_machine
from tests.support.state_machines.strategies import members
from webapp.accounts import keys as account_keys
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.config import Config
from webapp.lists import store as lists
from webapp.statuses import Filter
from webapp.statuses.filters import keys as filter_keys

VISITOR = 0
PAGE_KINDS = (*TIMELINES, "thread", "notifications", "by_ids", "thread", "notifications")
VISITOR_PAGE_KINDS = ("public", "tag", "profile", "replies", "thread")
FIRST_ACTIONS = ACTIONS[:4]  # so that there are posts and replies to filter


class FiltersMachine(StatusRules, FilterRules, TimelineChecks, PageChecks):
    """Let members post, boost and pin, two members filter words, and all open pages."""

    @initialize(
        pairs=st.sets(st.tuples(members, members), max_size=6),
        actions_before=st.lists(actions, min_size=4, max_size=9),
        filters_before=st.lists(st.tuples(readers, drawn_filters), min_size=2, max_size=4),
    )
    def begin(
        self,
        pairs: set[tuple[int, int]],
        actions_before: list[Action],
        filters_before: list[tuple[int, Filter]],
    ) -> None:
        """Post some statuses; the readers follow others, list them, and save filters."""
        self.sign_up_all(pairs | {(1, 3), (1, 4), (2, 1), (2, 3)})
        for uid in sorted(set(READERS)):
            self._create_list(uid)
        for index, (uid, action, content, back) in enumerate(actions_before):
            first = FIRST_ACTIONS[index : index + 1]
            self.act_once(uid, first[0] if first else action, content, back)
        for uid, record in filters_before:
            self.save_filter(uid, record)
        self.apply_events()

    def _create_list(self, uid: int) -> None:
        """Create a list of all other members."""
        number = lists.create(self.site, uid, "Birds", False, False)
        assert number == LIST_NUMBER
        for other in self.logins.keys() - {uid}:
            login = self.logins[other]
            lists.set_memberships(self.site, uid, login, {LIST_NUMBER: True})

    @invariant()
    def pages_equal_the_model(self) -> None:
        """Compare one kind of page for one reader, in turn."""
        self.turn += 1
        uid = READERS[self.turn % len(READERS)]
        if uid in self.visible_members:
            self._check_page(uid, PAGE_KINDS[self.turn % len(PAGE_KINDS)])

    def check(self) -> None:
        """Check the keys of filters, and a page for visitors, when no event is waiting."""
        stored = {key for key in live_keys(self.db) if key.startswith("filters:")}
        assert stored == {filter_keys.filters(uid) for uid, own in self.filters.items() if own}
        kind = VISITOR_PAGE_KINDS[self.turn % len(VISITOR_PAGE_KINDS)]
        self._check_page(VISITOR, kind)

    def _check_page(self, uid: int, kind: str) -> None:
        """Compare the first pages of a kind for a member or a visitor."""
        client = self._client(uid)
        if kind == "thread":
            self.check_thread(client, uid)
        elif kind == "by_ids":
            self.check_by_ids(client, uid)
        elif kind == "notifications":
            self.check_notifications(client, uid)
        else:
            self.check_timeline(client, uid, kind)

    def _client(self, uid: int) -> FlaskClient:
        """Return a browser, in which the member is signed in."""
        client = self.app.test_client()
        if uid:
            epoch = self.db.run(("HGET", account_keys.user(uid), "epoch"))
            epoch = epoch or sessions.INITIAL_EPOCH
            client.set_cookie(COOKIE_NAME, sessions.start(self.site, uid, epoch))
        return client


@pytest.mark.parametrize("examples", [3, long(14)])
def test_pages_equal_the_model_of_filters(settings: Config, examples: int) -> None:
    changes: dict[str, Any] = {"filters_max": FILTERS_MAX, "inline_projections": False}
    with serving(replace(settings, merged_seconds=0, page_size=2, **changes)) as app:
        machine = type("FiltersMachine", (FiltersMachine,), {"app": app})
        run_machine(machine, settings, examples, **changes)
