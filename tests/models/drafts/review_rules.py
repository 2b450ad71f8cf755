"""Moderators who decide about drafts that are held for review."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.conftest import PASSWORD
from tests.models.drafts.draft_rules import DraftRules
from tests.models.drafts.machine import HELD
from tests.models.drafts.model import DraftKey, DraftRecord
from tests.support.crashing_db import dies
from tests.support.moderators import as_moderator
from webapp.accounts import registration
from webapp.accounts.member import Member
from webapp.core.store import Site
from webapp.moderation import acting, desk, history
from webapp.reports import listing
from webapp.reports.listing import Report
from webapp.statuses.drafts import publishing

decisions = st.sampled_from(["publish", "withhold"])


class ReviewRules(DraftRules):
    """Let moderators publish drafts or not, and take that back."""

    moderators: tuple[Member, ...] = ()
    unfinished: frozenset[str] = frozenset()  # reports whose answer a projection finishes

    def appoint_moderators(self) -> None:
        """Sign up two moderators. They write nothing."""
        uids = [registration.sign_up(self.site, one, one, PASSWORD).uid for one in ("owl", "jay")]
        self.moderators = tuple(as_moderator(self.site, uid) for uid in uids)

    @precondition(lambda self: self.drafts)
    @rule(
        back=st.integers(0, 3),
        first=decisions,
        second=decisions,
        trips=st.none() | st.integers(0, 8),
    )
    def decide(self, back: int, first: str, second: str, trips: int | None) -> None:
        """Let two moderators answer a report. The first one's process may die after some trips."""
        reports = listing.list_newest(self.db)
        if not reports:
            return
        report = reports[back % len(reports)]
        draft = self._waiting_draft(report)
        owl, jay = self.moderators

        def decide_first(site: Site) -> None:
            answered = desk.answer_reports(site, owl, first, "Why.", [report.id]).answered
            assert answered == (draft is not None)

        has_died = trips is not None and dies(self.site, trips, decide_first)
        if has_died:
            self.unfinished |= {report.id}
        if trips is None:
            decide_first(self.site)
        answered = desk.answer_reports(self.site, jay, second, "Why.", [report.id]).answered
        assert not answered or (has_died and draft), "decided twice, or about what does not wait"
        if draft:
            self._apply_decision(draft, second if answered else first)
            uid, form_key = _key_of(report)
            late = {"saved": draft.saved_ms, "reason": "in_review", "term": HELD}
            assert self.site.run(publishing.FAIL, uid=uid, form_key=form_key, **late) == 0, (
                "a worker that finds the word late undoes the decision"
            )
        elif report.author and report.id not in self.unfinished:
            assert report.id not in {one.id for one in listing.list_newest(self.db)}

    @precondition(lambda self: self.drafts)
    @rule(data=st.data(), is_again=st.booleans())
    def take_back(self, data: st.DataObject, is_again: bool) -> None:
        """Grant the appeal for a draft that was not published; it may be another one since."""
        uid, _form_key = data.draw(st.sampled_from(sorted(self.drafts)))
        acts = self.db.read(history.acts_on(uid))
        entry = next((one for one in acts if one.kind == "withhold" and one.stands), None)
        if entry is None:
            return
        acting.answer(self.site, self.moderators[0], uid, entry.number, True)
        for (owner, _), draft in self.drafts.items():
            is_meant = (owner, draft.saved_ms) == (uid, str(entry.draft))
            if is_meant and draft.error_code == "withheld":
                self._apply_decision(draft, "publish")

    def check_desk(self) -> None:
        """Check that moderators see each draft that waits for them once, as it is now."""
        self.unfinished = frozenset()  # no event waits
        waiting = [key for key, draft in self.drafts.items() if draft.error_code == "in_review"]
        shown = [one for one in listing.list_newest(self.db) if self._waiting_draft(one)]
        assert sorted(map(_key_of, shown)) == sorted(waiting)
        for report in shown:
            assert report.texts[0].startswith(self.drafts[_key_of(report)].text)

    def _waiting_draft(self, report: Report) -> DraftRecord | None:
        """Return the draft of a report, None if it does not wait, or not as it was reported."""
        draft = self.drafts.get(_key_of(report))
        if draft and (draft.error_code, draft.saved_ms) == ("in_review", str(report.draft_saved)):
            return draft
        return None

    def _apply_decision(self, draft: DraftRecord, decision: str) -> None:
        if decision == "publish":
            draft.hours, draft.error_code, draft.reviewed = -1, "", True
        else:
            draft.error_code = "withheld"


def _key_of(report: Report) -> DraftKey:
    """Return the owner and the form key of a reported draft."""
    _draft, uid, form_key = report.id.split(":")[1].split(".", 2)
    return int(uid), form_key
