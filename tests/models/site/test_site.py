"""Compare the store with a model while members act and workers apply events and die.

While events wait, a home shows only statuses that the member may see, and all that were delivered;
followers and the public timeline show the applied events. Afterwards all show the current state.
"""

from dataclasses import replace

import pytest

from tests.conftest import long
from tests.models.site.checks.profiles import ProfileChecks
from tests.models.site.checks.settled import SettledChecks
from tests.models.site.checks.statuses import StatusChecks
from tests.models.site.model.timelines import HOME_MAX
from tests.models.site.rules.accounts import AccountRules
from tests.models.site.rules.interactions import LIKES_MAX, InteractionRules
from tests.models.site.rules.relationships import RelationshipRules
from tests.models.site.rules.reviews import HELD, ReviewRules
from tests.models.site.rules.statuses import EDITS_MAX, PINNED_MAX, REFUSED
from tests.support.state_machines.runs import run_steps
from webapp.config import Config
from webapp.site_settings import REFUSE, REVIEW, Ban, BanList


class SiteMachine(
    AccountRules,
    RelationshipRules,
    ReviewRules,
    InteractionRules,
    ProfileChecks,
    StatusChecks,
    SettledChecks,
):
    """Members act, workers apply events and die, in any order."""

    def teardown(self) -> None:
        """Apply all events and check everything once more."""
        self.apply_events()
        self.homes_equal_the_model()
        self.profiles_lists_and_counts_equal_the_model()
        self.the_public_timeline_equals_the_model()
        self.hashtags_equal_the_model()
        self.statuses_that_members_may_open_equal_the_model()
        self.mutes_equal_the_model()
        self.notifications_show_existing_statuses_and_visible_members()
        self.interactions_equal_the_model()
        self.bookmarks_and_likes_of_members_equal_the_model()
        self.lists_of_statuses_belong_to_existing_statuses()
        self.threads_equal_the_model()
        self.quotes_equal_the_model()
        self.histories_equal_the_model()
        self.check_complete_threads()
        self.db.close()


@pytest.mark.parametrize(
    ("push_max", "examples"), [(1, 6), (1_000, 6), long(1, 15), long(1_000, 15)]
)
def test_reading_equals_the_model(settings: Config, push_max: int, examples: int) -> None:
    config = replace(
        settings,
        push_max_followers=push_max,
        merged_seconds=0,
        home_max=HOME_MAX,
        home_slack=1,
        likes_max=LIKES_MAX,
        edits_max=EDITS_MAX,
        pinned_max=PINNED_MAX,
        page_size=2,
        attempts_max=1_000,
        bans=BanList((Ban("word", REFUSED, REFUSE), Ban("word", HELD, REVIEW))),
    )
    machine = type("ConfiguredSiteMachine", (SiteMachine,), {"config": config})
    run_steps(machine, examples, steps=40)
