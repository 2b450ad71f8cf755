"""Compare polls and notifications with a model.

Each vote counts once, and none after the end. Members are notified of the end once. Each member has
exactly the notifications that their preferences allow.
"""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from tests.conftest import long
from tests.models.notifications.checks import NotificationChecks
from tests.models.notifications.events import NotificationEvents
from tests.models.notifications.machine import kinds_of_notifications, preferences
from tests.models.notifications.poll_rules import PollRules
from tests.models.notifications.status_rules import StatusRules
from tests.support.notified import notified
from tests.support.state_machines.machine import on_small_site, run_machine
from tests.support.state_machines.member_rules import mute_with_notifications
from tests.support.state_machines.strategies import members, visibilities
from webapp.config import Config
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses import Visibility


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


@pytest.mark.parametrize("examples", [8, long(60)])
def test_notifications_equal_the_model(settings: Config, examples: int) -> None:
    run_machine(NotificationsMachine, settings, examples)


def test_a_deleted_member_keeps_old_notifications_until_the_purge_and_gets_no_new_ones(
    settings: Config,
) -> None:
    """A block of theirs and a post to them are applied late, and a worker has lost its lease."""
    machine = on_small_site(NotificationsMachine, settings)()
    poll = (2, 4, Visibility.PUBLIC)  # 4 is mentioned, by a member who is protected afterwards
    machine.begin(pairs={(1, 2)}, polls_before=[poll], chosen={}, muted=set(), protected={2})
    machine.apply_events()
    machine.relate(4, 1, blocks.block)
    machine.apply_next(4, "log", 1, True)
    machine.post(3, "hello @bird4")
    machine.change_account(4, "delete", True)
    for _ in range(2):  # the second worker takes the lease from the first
        machine.apply_next(3, "log", 1, True)
    for dead_worker in machine.dead_workers:
        machine.resume(*dead_worker)
        machine.notifications_equal_the_model()
        machine.deleted_members_are_notified_of_nothing_new()
    assert machine.left_over[4]
    machine.apply_events()
    assert notified(machine.db, 4) == []
    machine.teardown()


def test_nobody_is_notified_of_a_request_that_is_granted_as_they_became_public(
    settings: Config,
) -> None:
    machine = on_small_site(NotificationsMachine, settings)()
    machine.begin(pairs={(2, 3)}, polls_before=[], chosen={}, muted=set(), protected={1})
    machine.apply_events()
    machine.relate(2, 1, following.follow)
    machine.change_account(1, "open", False)
    machine.apply_next(2, "log", 1, False)
    machine.notifications_equal_the_model()
    machine.apply_events()
    assert [kind for kind, _, _ in notified(machine.db, 1)] == ["follow"]
    machine.teardown()
