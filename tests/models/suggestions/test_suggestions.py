"""Compare suggestions with a plain model, while members act, jobs run, and workers die.

At any moment the stored list is shown without those whom something hides, or whose reason no longer
holds. When no event is waiting, a computation finds what the model finds.
"""

from contextlib import suppress

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from tests.models.suggestions.model import Model
from tests.support.state_machines.machine import MemberMachine, run_machine
from tests.support.state_machines.strategies import members
from webapp.config import Config
from webapp.core.errors import Refused
from webapp.explore.suggestions import jobs, keys, store
from webapp.explore.suggestions.reasons import Suggestion, Why, unpack
from webapp.following import keys as following_keys
from webapp.timelines import keys as timeline_keys
from webapp.timelines.tags import store as tags

TAGS = ("birds", "reeds")
names = st.sampled_from(TAGS)
PERSONAL = (Why.FOLLOWED, Why.FOLLOWED_TAG, Why.USED_TAG, Why.COMMON)


class SuggestionMachine(MemberMachine):
    """Let members post and dismiss, and jobs compute what to suggest."""

    def __init__(self) -> None:
        super().__init__()
        self.dismissed: set[tuple[int, int]] = set()
        self.stored: dict[int, list[Suggestion]] = {}

    @rule(uid=members, name=names)
    def write(self, uid: int, name: str) -> None:
        """Post about a hashtag."""
        self.post(uid, f"hello #{name}")

    @rule(uid=members, name=names)
    def follow_tag(self, uid: int, name: str) -> None:
        """Follow a hashtag."""
        self.attempt(tags.follow, uid, name)

    @rule(uid=members, other=members)
    def dismiss(self, uid: int, other: int) -> None:
        """Dismiss a member."""
        if uid in self.visible_members:
            with suppress(Refused):
                store.dismiss(self.db, uid, self.logins[other])
                self.dismissed.add((uid, other))

    @rule(uid=members)
    def compute(self, uid: int) -> None:
        """Compute suggestions for a member, whatever waits."""
        jobs.compute(self.db, uid)
        entries = self.db.run(("ZRANGE", keys.suggestions(uid), 0, -1))
        self.stored[uid] = list(map(unpack, entries))

    def on_account_deleted(self, uid: int) -> None:
        self.stored.pop(uid, None)
        self.dismissed = {pair for pair in self.dismissed if pair[0] != uid}

    @invariant()
    def shown_are_those_that_still_hold(self) -> None:
        """Compare what members are shown with their stored lists."""
        for uid in self.stored.keys() & set(self.visible_members):
            found = store.suggested(self.db, uid, 50, self.db.read(store.candidates(uid)))
            shown = [one.suggestion for one in found if one.suggestion.why in PERSONAL]
            assert shown == [one for one in self.stored[uid] if self._holds(uid, one)], uid

    def check(self) -> None:
        """Compare what a computation finds with the model, when no event is waiting."""
        model = self._model()
        for uid in self.visible_members:
            rows = [(one.uid, one.why.value) for one in jobs.choose(self.db, uid)]
            assert rows == model.suggestions(uid), uid

    def _holds(self, uid: int, one: Suggestion) -> bool:
        """Return True if a stored suggestion may be shown now."""
        follows, gone = self.follows(uid), self.suspended | self.deleted_members
        hidden = gone | self.blocked_with(uid) | self.muted(uid)
        known = {uid, *follows, *self.related(following_keys.sent_follow_requests(uid))}
        if one.uid in known | hidden or (uid, one.uid) in self.dismissed:
            return False
        if one.uid in self.protected and one.why is not Why.FOLLOWED:
            return False
        if one.via and (one.via not in follows or one.via in hidden):
            return False
        if one.why is Why.FOLLOWED_TAG:
            return one.tag in self._followed_tags(uid)
        return one.why is not Why.FOLLOWED or one.uid in self.follows(one.via)

    def _followed_tags(self, uid: int) -> list[str]:
        return list(self.db.run(("ZRANGE", timeline_keys.followed_tags(uid), 0, -1)))

    def _model(self) -> Model:
        """Return the model of how everything is now."""
        model = Model()
        for uid in self.logins.keys() - self.deleted_members:
            model.follows[uid] = list(self.follows(uid))
            model.tags[uid] = self._followed_tags(uid)
            requested = self.related(following_keys.sent_follow_requests(uid))
            model.requests |= {(uid, other) for other in requested}
            blocked = self.related(following_keys.blocks(uid))
            model.blocks |= {(uid, other) for other in blocked}
            model.mutes |= {(uid, other) for other in self.muted(uid)}
        model.posts = [(one.author, one.text.rpartition("#")[2]) for one in self.statuses.values()]
        model.dismissed = set(self.dismissed)
        model.protected = self.protected - self.deleted_members
        model.gone = self.suspended | self.deleted_members
        return model


def test_suggestions_equal_the_model(config: Config) -> None:
    run_machine(SuggestionMachine, config, 12)
