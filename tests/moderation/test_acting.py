"""Acts of moderators: who may do what, what follows, and how it is taken back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conftest import ApplyEvents, People
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.site import Site
from webapp.core.text.parser import parse
from webapp.moderation import acting, desk, history, keys, log, projections
from webapp.notifications import store as notifications
from webapp.reports import listing
from webapp.reports import store as reports
from webapp.statuses import store as statuses
from webapp.timelines import keys as timeline_keys


def kinds(site: Site, uid: int) -> list[str]:
    return [entry.kind.name for entry in site.db.read(notifications.entries_of(uid))]


def as_moderator(site: Site, uid: int, right: str = "moderator") -> Member:
    lifecycle.grant(site.db, uid, right)
    return site.db.read(accounts.get_or_404(uid))


def test_a_removed_post_closes_its_reports_and_everybody_is_told(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, mod = people("ann", "ben", "mod")
    by = as_moderator(site, mod)
    post = statuses.post(site, ben, parse("rude"), "form")
    reports.report_status(site, ann, post, "It is rude.")
    [report] = listing.list_newest(site.db)
    outcome = desk.answer_reports(site, by, "remove", "Be kind.", [report.id, "9:post:9"])
    assert (outcome.answered, outcome.refusals) == (1, ())
    with pytest.raises(NotFound):
        statuses.get(site.db, post)
    assert listing.list_newest(site.db) == []
    apply_events()
    apply_events()
    assert kinds(site, ben) == ["moderated"] and kinds(site, ann) == ["report_answered"]
    [entry] = site.db.read(history.acts_on(ben))
    assert (entry.kind, entry.text, entry.why) == ("remove", "rude", "Be kind.")
    [done] = listing.with_contents(
        site.db, site.db.read(listing.times_in("done", None, 9)), 9
    ).items
    assert done.outcome == "remove" and done.closed_by and done.closed_by.login == "mod"
    [logged] = log.page(site.db, None, 9).items
    assert (logged.kind, logged.login, logged.by_login) == ("remove", "ben", "mod")
    assert "mod,remove,ben" in "".join(log.export(site.db))


def test_reports_of_and_about_deleted_accounts_can_be_answered(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat, mod = people("ann", "ben", "cat", "mod")
    by = as_moderator(site, mod)
    post = statuses.post(site, ben, parse("rude"), "form")
    reports.report_status(site, ann, post, "It is rude.")
    reports.report_status(site, cat, post, "Yes, it is.")
    lifecycle.delete_account(site, ann, None)
    apply_events()
    ids = [one.id for one in listing.list_newest(site.db)]
    assert desk.answer_reports(site, by, "warn", "Be kind.", ids).answered == 2
    apply_events()
    assert kinds(site, cat) == ["report_answered"]
    assert not site.db.run(("EXISTS", keys.answered_reports(ann))), "nothing is left of them"
    reports.report_member(site, cat, "ben", "Again.")
    lifecycle.delete_account(site, ben, None)
    apply_events()
    ids = [one.id for one in listing.list_newest(site.db)]
    desk.answer_reports(site, by, "dismiss", "They left.", ids)
    assert listing.list_newest(site.db) == []


def test_appeals_of_deleted_accounts_leave_the_list_and_hide_no_others(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat, mod = people("ann", "ben", "cat", "mod")
    by = as_moderator(site, mod)
    for uid, at in ((ann, 1), (ben, 2), (cat, 3)):
        number = acting.act(site, by, uid, "limit", "Too many posts.")
        acting.appeal(site, uid, number, "No.")
        site.db.run(("ZADD", keys.appeals(), at, f"{uid}.{number}"))
    lifecycle.delete_account(site, cat, None)
    apply_events()
    page = desk.appeals_page(site.db, site.db.read(desk.waiting_appeals(None, 1)), 1)
    assert [one.member.uid for one in page.items] == [ben] and page.next
    rest = desk.appeals_page(site.db, site.db.read(desk.waiting_appeals(page.next, 1)), 1)
    assert [one.member.uid for one in rest.items] == [ann]
    assert site.db.run(("ZCARD", keys.appeals())) == 2


def test_nobody_acts_on_their_equals_or_betters(site: Site, people: People) -> None:
    ann, mod, other, boss = people("ann", "mod", "other", "boss")
    moderator, admin = as_moderator(site, mod), as_moderator(site, boss, "admin")
    as_moderator(site, other)
    member = site.db.read(accounts.get_or_404(ann))
    for by, uid in ((member, mod), (moderator, other), (moderator, boss), (moderator, mod)):
        with pytest.raises(Forbidden):
            acting.act(site, by, uid, "warn", "no")
    with pytest.raises(Forbidden):
        acting.act(site, moderator, ann, "promote", "")
    acting.act(site, admin, ann, "promote", "")
    assert lifecycle.rights(site.db, ann) == ("moderator",)
    acting.act(site, admin, ann, "demote", "")
    assert lifecycle.rights(site.db, ann) == ()
    with pytest.raises(Conflict):
        acting.act(site, admin, ann, "demote", "")
    acting.act(site, moderator, boss, "note", "Talked to them.")


def test_fifty_suspensions_at_once_are_one_and_can_be_appealed_against_once(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, mod = people("ann", "mod")
    by = as_moderator(site, mod)

    def suspend(_attempt: int) -> bool:
        try:
            return acting.act(site, by, ann, "suspend", "Spam.") > 0
        except Conflict:
            return False

    with ThreadPoolExecutor(10) as pool:
        assert list(pool.map(suspend, range(50))).count(True) == 1
    acting.appeal(site, ann, 1, "It was not spam.")
    with pytest.raises(Conflict):
        acting.appeal(site, ann, 1, "Again.")
    with pytest.raises(NotFound):
        acting.appeal(site, mod, 1, "Not mine.")
    apply_events()
    [appeal] = desk.appeals_page(site.db, site.db.read(desk.waiting_appeals(None, 9)), 9).items
    assert (appeal.member.login, appeal.entry.appeal) == ("ann", "It was not spam.")
    acting.answer(site, by, ann, 1, granted=True)
    with pytest.raises(Conflict):
        acting.answer(site, by, ann, 1, granted=True)
    assert not site.db.read(accounts.get_or_404(ann)).suspended
    assert site.db.read(desk.waiting_appeals(None, 9)) == []
    assert [one.kind for one in log.page(site.db, None, 9).items] == ["undo", "suspend"]


def test_a_suspended_account_is_deleted_after_its_days_unless_restored(
    site: Site, people: People
) -> None:
    ann, ben, mod = people("ann", "ben", "mod")
    by = as_moderator(site, mod)
    for uid in (ann, ben):
        acting.act(site, by, uid, "suspend", "Spam.")
    acting.answer(site, by, ben, 1, granted=True)
    assert projections.delete_suspended(site, ann % 64) == 0
    kept_ms = int(history.KEPT.total_seconds() * 1000)
    for uid, field in ((ann, "suspended"), (ben, "nothing")):
        site.db.run(("HSET", account_keys.user(uid), field, 1_000))
        site.db.run(("ZADD", keys.ending_suspensions(uid), 1_000 + kept_ms, uid))
    for uid in (ann, ben):
        projections.delete_suspended(site, uid % 64)
    assert site.db.read(accounts.get(ann)) is None
    assert site.db.read(accounts.get(ben)) is not None


def test_a_limited_member_leaves_public_places_and_comes_back(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, mod = people("ann", "mod")
    by = as_moderator(site, mod)
    before = statuses.post(site, ann, parse("one #bird"), "form")
    apply_events()

    def public() -> list[int]:
        entries = site.db.run(("ZRANGE", timeline_keys.public_timeline(), 0, -1))
        return [int(entry.split(":")[0]) for entry in entries]

    assert public() == [before]
    acting.act(site, by, ann, "limit", "Too loud.")
    after = statuses.post(site, ann, parse("two #bird"), "form2")
    apply_events()
    assert public() == [] and statuses.get(site.db, after).visibility.slug == "unlisted"
    acting.answer(site, by, ann, 1, granted=True)
    apply_events()
    assert public() == [before, after]
    assert statuses.get(site.db, after).visibility.slug == "public"


def test_pictures_that_moderators_cover_stay_covered(site: Site, people: People) -> None:
    ann, mod = people("ann", "mod")
    by, post = as_moderator(site, mod), statuses.post(site, ann, parse("bird"), "form")
    with pytest.raises(Conflict):  # not a post of hers
        acting.act(site, by, ann, "cover", "x", post + 64)
    acting.act(site, by, ann, "cover", "Blood.", post, "bird")
    assert statuses.get(site.db, post).sensitive
    acting.answer(site, by, ann, 1, granted=True)
    assert not statuses.get(site.db, post).sensitive
