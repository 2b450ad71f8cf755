"""Compare polls and notifications with a model.

Each vote counts once, and none after the end. Members are notified of the end once. Each member has
exactly the notifications that their preferences allow.
"""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from tests.conftest import long
from tests.models.notifications.checks import NotificationChecks
from tests.models.notifications.events import NotificationEvents
from tests.models.notifications.machine import kinds_of_notifications, preferences
from tests.models.notifications.poll_rules import PollRules
from tests.models.notifications.status_rules import StatusRules
from tests.support.state_machines.machine import run_machine
from tests.support.state_machines.member_rules import mute_with_notifications
from tests.support.state_machines.strategies import members, visibilities
from webapp.config import Config
from webapp.statuses.visibility.visibility import Visibility


class NotificationsMachine(StatusRules, PollRules, NotificationEvents, NotificationChecks):
    """Let members post polls, vote, and be notified of what others do."""

    @initialize(
        pairs=st.sets(st.tuples(members, members), min_size=2, max_size=8),
        polls_before=st.lists(st.tuples(members, members, visibilities), min_size=2, max_size=5),
        chosen=st.dictionaries(members, st.tuples(kinds_of_notifications, preferences)),
        muted=st.sets(st.tuples(members, members), max_size=4),
        protected=st.sets(members),
    )
    def begin(
        self,
        pairs: set[tuple[int, int]],
        polls_before: list[tuple[int, int, Visibility]],
        chosen: dict[int, tuple[set[str], str]],
        muted: set[tuple[int, int]],
        protected: set[int],
    ) -> None:
        """Post some polls, set some preferences, and protect some accounts."""
        self.sign_up_all(pairs)
        for uid, mentioned, visibility in polls_before:
            self.post_poll(uid, mentioned, visibility)
        self.apply_events()
        for uid, (kinds, preference) in chosen.items():
            self.set_preferences(uid, kinds, preference, marks_read=False)
        for uid, other in sorted(muted):
            self.relate(uid, other, mute_with_notifications)
        for uid in sorted(protected):
            self.change_account(uid, "protect", False)


@pytest.mark.parametrize("examples", [20, long(60)])
def test_notifications_equal_the_model(settings: Config, examples: int) -> None:
    run_machine(NotificationsMachine, settings, examples)
