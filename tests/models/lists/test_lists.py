"""Compare lists with a model: members, visible statuses, and what they keep out of homes.

A list never shows a status to a viewer who may not see it. When no event is waiting, it shows all
statuses that the viewer may see.
"""

from dataclasses import replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from tests.conftest import long
from tests.models.lists.events import ListEvents
from tests.models.lists.list_rules import ListRules
from tests.models.lists.model import LISTS_MAX, MEMBERS_MAX, NAMES, UNLIMITED
from tests.models.lists.status_rules import StatusRules
from tests.support.state_machines.machine import run_machine
from tests.support.state_machines.strategies import booleans, members, visibilities
from webapp.config import Config
from webapp.statuses import Visibility


class ListsMachine(ListRules, StatusRules, ListEvents):
    """Let members create lists of each other and read them."""

    @initialize(
        pairs=st.sets(st.tuples(members, members), min_size=2, max_size=8),
        list_members=st.sets(members, min_size=1),
        flags=st.tuples(booleans, booleans),
        list_home_max=st.sampled_from([2, UNLIMITED, UNLIMITED]),
        push_max=st.sampled_from([1, 1_000]),
        posts_before=st.lists(
            st.tuples(members, visibilities, st.none() | members), min_size=3, max_size=6
        ),
    )
    def begin(
        self,
        pairs: set[tuple[int, int]],
        list_members: set[int],
        flags: tuple[bool, bool],
        list_home_max: int,
        push_max: int,
        posts_before: list[tuple[int, Visibility, int | None]],
    ) -> None:
        """Create a list of the first member, and some statuses."""
        self.list_home_max = list_home_max
        self.config = replace(self.config, list_home_max=list_home_max, push_max_followers=push_max)
        self.sign_up_all(pairs)
        self.create_list(1, NAMES[0], *flags)
        for member in sorted(list_members):
            self.set_memberships(1, member, {1: True})
        self.apply_events()  # reads the list, so that it is active
        for uid, visibility, replier in posts_before:
            status_id = self.post(uid, "hello", visibility=visibility)
            if replier:
                self.post(replier, "so it is", reply=status_id)


@pytest.mark.parametrize("examples", [7, long(50)])
def test_lists_equal_the_model(settings: Config, examples: int) -> None:
    run_machine(ListsMachine, settings, examples, lists_max=LISTS_MAX, list_members_max=MEMBERS_MAX)
