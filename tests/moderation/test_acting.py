"""Acts of moderators: who may do what, what follows, and how it is taken back."""

import time

import pytest

from tests.support.concurrently import at_once, concurrently
from tests.support.events import event_types
from tests.support.moderators import as_moderator
from tests.support.notified import notified
from tests.support.world import World
from webapp.accounts import keys as account_keys, lifecycle, store as accounts
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.moderation import acting, desk, history, keys, log, projections
from webapp.notifications import keys as notification_keys, store as notifications
from webapp.reports import listing, store as reports
from webapp.reports.category import Category
from webapp.statuses.edits import editing
from webapp.timelines import keys as timeline_keys


def kinds(site: Site, uid: int) -> list[str]:
    return [entry.kind.name for entry in site.db.read(notifications.entries_of(uid))]


def test_a_removed_post_closes_its_reports_and_everybody_is_told(world: World) -> None:
    ann, ben, mod = world.people("ann", "ben", "mod")
    by = as_moderator(world, mod)
    post = world.post(ben, "rude")
    reports.report_status(world, ann, post, "It is rude.")
    [report] = listing.list_newest(world.db)
    outcome = desk.answer_reports(world, by, "remove", "Be kind.", [report.id, "9:post:9"])
    assert (outcome.answered, outcome.refusals) == (1, ())
    with pytest.raises(NotFound):
        world.status(post)
    assert listing.list_newest(world.db) == []
    world.apply_events()
    world.apply_events()
    assert kinds(world, ben) == ["moderated"] and kinds(world, ann) == ["report_answered"]
    [entry] = world.db.read(history.acts_on(ben))
    assert (entry.kind, entry.text, entry.why) == ("remove", "rude", "Be kind.")
    [done] = listing.with_contents(
        world.db, world.db.read(listing.times_in("done", None, 9)), 9
    ).items
    assert done.outcome == "remove" and done.closed_by and done.closed_by.login == "mod"
    [logged] = log.page(world.db, None, 9).items
    assert (logged.kind, logged.login, logged.by_login) == ("remove", "ben", "mod")
    assert "mod,remove,ben" in "".join(log.export(world.db))


def test_reports_of_and_about_deleted_accounts_can_be_answered(world: World) -> None:
    ann, ben, cat, mod = world.people("ann", "ben", "cat", "mod")
    by = as_moderator(world, mod)
    post = world.post(ben, "rude")
    reports.report_status(world, ann, post, "It is rude.")
    reports.report_status(world, cat, post, "Yes, it is.")
    world.do(lifecycle.delete_account, ann, None)
    ids = [one.id for one in listing.list_newest(world.db)]
    assert desk.answer_reports(world, by, "warn", "Be kind.", ids).answered == 2
    world.apply_events()
    assert kinds(world, cat) == ["report_answered"]
    assert not world.db.run(("EXISTS", keys.answered_reports(ann))), "nothing is left of them"
    reports.report_member(world, cat, "ben", "Again.")
    world.do(lifecycle.delete_account, ben, None)
    ids = [one.id for one in listing.list_newest(world.db)]
    desk.answer_reports(world, by, "dismiss", "They left.", ids)
    assert listing.list_newest(world.db) == []


def test_appeals_of_deleted_accounts_leave_the_list_and_hide_no_others(world: World) -> None:
    ann, ben, cat, mod = world.people("ann", "ben", "cat", "mod")
    by = as_moderator(world, mod)
    for uid, at in ((ann, 1), (ben, 2), (cat, 3)):
        number = acting.act(world, by, uid, "limit", "Too many posts.")
        acting.appeal(world, uid, number, "No.")
        world.db.run(("ZADD", keys.appeals(), at, f"{uid}.{number}"))
    world.do(lifecycle.delete_account, cat, None)
    page = desk.appeals_page(world.db, world.db.read(desk.waiting_appeals(None, 1)), 1)
    assert [one.member.uid for one in page.items] == [ben] and page.next
    rest = desk.appeals_page(world.db, world.db.read(desk.waiting_appeals(page.next, 1)), 1)
    assert [one.member.uid for one in rest.items] == [ann]
    assert world.db.run(("ZCARD", keys.appeals())) == 2


def test_appeals_of_one_moment_are_on_one_page_each(world: World) -> None:
    world.db.trip(*(acting.LIST_APPEAL(name=f"{uid}.1", at=5_000) for uid in (*range(9), 8)))
    names = world.db.read(desk.waiting_appeals(None, 20))
    assert sorted(at for _name, at in names) == list(range(5_000, 5_009))


def test_an_appeal_that_is_answered_leaves_the_list_whoever_listed_it_last(world: World) -> None:
    ann, mod = world.people("ann", "mod")
    by = as_moderator(world, mod)
    number = acting.act(world, by, ann, "limit", "Too many posts.")
    acting.appeal(world, ann, number, "No.")
    acting.answer(world, by, ann, number, granted=False)
    world.db.run(("ZADD", keys.appeals(), 1, f"{ann}.{number}"))  # by a process that was slower
    page = desk.appeals_page(world.db, world.db.read(desk.waiting_appeals(None, 9)), 9)
    assert not page.items and not world.db.run(("ZCARD", keys.appeals()))


def test_accounts_that_wait_no_longer_leave_the_list_and_hide_no_others(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    for uid in (ann, ben, cat):
        world.db.run(("HSET", account_keys.user(uid), "waiting", "I watch birds."))
        world.db.run(("ZADD", keys.waiting(), uid, uid))
    world.do(lifecycle.delete_account, ann, None)
    world.db.run(("HDEL", account_keys.user(ben), "waiting"))  # its process died after this
    [(member, reason)] = desk.waiting_sign_ups(world.db, 2)
    assert (member.uid, reason) == (cat, "I watch birds.")


def test_who_is_restored_or_deleted_by_an_operator_waits_no_longer(world: World) -> None:
    uids = world.people("ann", "ben", "cat")
    for uid in uids:
        world.suspend(uid)
        world.db.run(("HSET", account_keys.user(uid), "waiting", "I watch birds."))
    world.apply_events()
    assert world.db.run(("ZCARD", keys.waiting())) == 3
    world.suspend(uids[0], False)
    world.do(lifecycle.delete_account, uids[1], None)
    assert world.db.run(("ZRANGE", keys.waiting(), 0, -1)) == [str(uids[2])]


def test_entries_of_the_log_from_one_moment_are_on_one_page_each(world: World) -> None:
    content = {"kind": "dismiss", "about": "", "login": "", "by_login": "mod", "post": 0}
    for _ in range(2):  # each is safe to repeat
        for name in ("a", "b", "c", "d"):
            log.write(world.db, name, 1_000, {**content, "why": name})
    first = log.page(world.db, None, 2)
    rest = log.page(world.db, first.next, 2)
    assert [one.why for one in (*first.items, *rest.items)] == ["a", "b", "c", "d"]
    assert rest.next is None and len(list(log.export(world.db))) == 5
    log.write(world.db, "late", log.YEAR_MS + 2_000, content)  # and the rest is a year old
    assert world.db.trip(("ZCARD", keys.log()), ("HLEN", keys.log_entries())) == [1, 1]


def test_reports_that_one_act_answers_are_on_one_page_each(world: World) -> None:
    ben, mod, *others = world.people("ben", "mod", "ann", "cat", "dan", "eve", "fay")
    by, post = as_moderator(world, mod), world.post(ben, "rude")
    for uid in others:
        reports.report_status(world, uid, post, "It is rude.", Category.SPAM)
    ids = [report.id for report in listing.list_newest(world.db)]
    assert desk.answer_reports(world, by, "dismiss", "", ids).answered == 5
    for queue in ("done", "done.spam"):
        found, before = [], None
        for _ in range(3):
            page = listing.with_contents(
                world.db, world.db.read(listing.times_in(queue, before, 3)), 2
            )
            found += [report.id for report in page.items]
            before = page.next
        assert sorted(found) == sorted(ids) and before is None
    reports.report_status(world, others[0], post, "Again.", Category.SPAM)
    for queue in ("done", "done.spam"):
        assert len(world.db.read(listing.times_in(queue, None, 9))) == 4


def test_nobody_acts_on_their_equals_or_betters(world: World) -> None:
    ann, mod, other, boss = world.people("ann", "mod", "other", "boss")
    moderator, admin = as_moderator(world, mod), as_moderator(world, boss, "admin")
    as_moderator(world, other)
    member = world.db.read(accounts.get_or_404(ann))
    for by, uid in ((member, mod), (moderator, other), (moderator, boss), (moderator, mod)):
        world.refuses(Forbidden, acting.act, by, uid, "warn", "no")
    world.refuses(Forbidden, acting.act, moderator, ann, "promote", "")
    acting.act(world, admin, ann, "promote", "")
    assert lifecycle.rights(world.db, ann) == ("moderator",)
    acting.act(world, admin, ann, "demote", "")
    assert lifecycle.rights(world.db, ann) == ()
    world.refuses(Conflict, acting.act, admin, ann, "demote", "")
    acting.act(world, moderator, boss, "note", "Talked to them.")


def test_fifty_suspensions_at_once_are_one_and_can_be_appealed_against_once(world: World) -> None:
    ann, mod = world.people("ann", "mod")
    by = as_moderator(world, mod)
    suspended = concurrently(lambda _: acting.act(world, by, ann, "suspend", "Spam."), 50)
    assert suspended.count("act_done") == 49
    acting.appeal(world, ann, 1, "It was not spam.")
    world.refuses(Conflict, acting.appeal, ann, 1, "Again.")
    world.refuses(NotFound, acting.appeal, mod, 1, "Not mine.")
    world.apply_events()
    [appeal] = desk.appeals_page(world.db, world.db.read(desk.waiting_appeals(None, 9)), 9).items
    assert (appeal.member.login, appeal.entry.appeal) == ("ann", "It was not spam.")
    acting.answer(world, by, ann, 1, granted=True)
    world.refuses(Conflict, acting.answer, by, ann, 1, granted=True)
    assert not world.db.read(accounts.get_or_404(ann)).suspended
    assert world.db.read(desk.waiting_appeals(None, 9)) == []
    assert [one.kind for one in log.page(world.db, None, 9).items] == ["undo", "suspend"]


def test_a_suspended_account_is_deleted_after_its_days_unless_restored(world: World) -> None:
    ann, ben, mod = world.people("ann", "ben", "mod")
    by = as_moderator(world, mod)
    for uid in (ann, ben):
        acting.act(world, by, uid, "suspend", "Spam.")
    acting.answer(world, by, ben, 1, granted=True)
    assert projections.delete_suspended(world, ann % 64) == 0
    kept_ms = int(history.KEPT.total_seconds() * 1000)
    for uid, field in ((ann, "suspended"), (ben, "nothing")):
        world.db.run(("HSET", account_keys.user(uid), field, 1_000))
        world.db.run(("ZADD", keys.ending_suspensions(uid), 1_000 + kept_ms, uid))
    for uid in (ann, ben):
        projections.delete_suspended(world, uid % 64)
    assert world.db.read(accounts.get(ann)) is None
    assert world.db.read(accounts.get(ben)) is not None


def test_a_suspended_account_is_kept_until_its_appeal_is_answered(world: World) -> None:
    ann, mod = world.people("ann", "mod")
    by = as_moderator(world, mod)
    acting.act(world, by, ann, "suspend", "Spam.")
    acting.appeal(world, ann, 1, "It was not spam.")
    world.db.run(("HSET", account_keys.user(ann), "suspended", 1_000))

    def delete_due() -> bool:
        """Let the job meet the account. Return True if that is there afterwards."""
        past = 1_000 + int(history.KEPT.total_seconds() * 1000)
        world.db.run(("ZADD", keys.ending_suspensions(ann), past, ann))
        assert projections.delete_suspended(world, ann % 64) == 1
        assert projections.delete_suspended(world, ann % 64) == 0, "it holds nobody else up"
        return world.db.read(accounts.get(ann)) is not None

    assert delete_due()
    assert world.db.run(("ZSCORE", keys.ending_suspensions(ann), ann)), "it comes again"
    acting.answer(world, by, ann, 1, granted=False)
    assert not delete_due()


def test_a_worker_whose_clock_is_wrong_deletes_nobody(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, mod = world.people("ann", "mod")
    acting.act(world, as_moderator(world, mod), ann, "suspend", "Spam.")
    monkeypatch.setattr(time, "time", lambda: 1e11)
    assert projections.delete_suspended(world, ann % 64) == 0
    assert world.db.read(accounts.get(ann)) is not None


def test_a_decision_in_force_outlasts_all_later_acts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acting, "ACTS_MAX", 3)
    ann, mod = world.people("ann", "mod")
    by = as_moderator(world, mod)
    for kind in ("note", "limit", *("note",) * 4):
        acting.act(world, by, ann, kind, "Too many posts.")
    kept = world.db.read(history.acts_on(ann))
    assert [(one.number, one.kind) for one in kept][2:] == [(4, "note"), (2, "limit")]
    acting.appeal(world, ann, 2, "No.")
    acting.answer(world, by, ann, 2, granted=True)
    assert not world.db.read(accounts.get_or_404(ann)).limited


def test_taking_an_earlier_suspension_back_leaves_a_later_one(world: World) -> None:
    ann, mod = world.people("ann", "mod")
    by = as_moderator(world, mod)
    first = acting.act(world, by, ann, "suspend", "Spam.")
    world.suspend(ann, False)  # by an operator
    second = acting.act(world, by, ann, "suspend", "Threats.")
    acting.answer(world, by, ann, first, granted=True)
    assert world.db.read(accounts.get_or_404(ann)).suspended
    acting.answer(world, by, ann, second, granted=True)
    assert not world.db.read(accounts.get_or_404(ann)).suspended


def test_an_end_of_a_suspension_that_comes_late_changes_nothing(world: World) -> None:
    ann, mod = world.people("ann", "mod")
    by, ending = as_moderator(world, mod), keys.ending_suspensions(ann)
    acting.act(world, by, ann, "suspend", "Spam.")
    suspended = world.db.run(("HGET", account_keys.user(ann), "suspended"))
    ends = world.db.run(("ZSCORE", ending, ann))
    acting.answer(world, by, ann, 1, granted=True)
    world.refuses(Conflict, lifecycle.delete_account, ann, None, suspended)
    world.db.run(("ZADD", ending, int(ends) + 1, ann))
    world.run(projections.END_SUSPENSION, uid=ann, ends=ends, put_off=0)
    assert world.db.run(("ZCARD", ending)) == 1, "that of a newer suspension"
    world.run(projections.END_SUSPENSION, uid=ann, ends=int(ends) + 1, put_off=0)
    assert world.db.run(("ZCARD", ending)) == 0


def test_a_limited_member_leaves_public_places_and_comes_back(world: World) -> None:
    ann, mod = world.people("ann", "mod")
    by = as_moderator(world, mod)
    before = world.post(ann, "one #bird")
    world.apply_events()

    def public() -> list[int]:
        entries = world.db.run(("ZRANGE", timeline_keys.public_timeline(), 0, -1))
        return [int(entry.split(":")[0]) for entry in entries]

    assert public() == [before]
    acting.act(world, by, ann, "limit", "Too loud.")
    after = world.post(ann, "two #bird")
    world.apply_events()
    assert public() == [] and world.status(after).visibility.slug == "unlisted"
    world.do(acting.answer, by, ann, 1, granted=True)
    assert public() == [before, after]
    assert world.status(after).visibility.slug == "public"


def test_pictures_that_moderators_cover_stay_covered(world: World) -> None:
    ann, mod = world.people("ann", "mod")
    by, post = as_moderator(world, mod), world.post(ann, "bird, @mod")
    world.apply_events()
    removal = (notification_keys.notifications(mod), notification_keys.unread_notifications(mod))
    world.db.run(("DEL", *removal))
    with pytest.raises(Conflict):  # not a post of hers
        acting.act(world, by, ann, "cover", "x", post + 64)
    acting.act(world, by, ann, "cover", "Blood.", post, "bird")
    assert world.status(post).sensitive
    acting.answer(world, by, ann, 1, granted=True)
    assert not world.status(post).sensitive
    assert event_types(world.db, ann).count("edited") == 2  # so that pages show it anew
    world.apply_events()
    assert notified(world.db, mod) == []  # who is mentioned is not told again


@pytest.mark.parametrize("uncovers", [True, False])
def test_pictures_that_their_author_covers_stay_so_when_moderators_change_their_mind(
    world: World, uncovers: bool
) -> None:
    ann, mod = world.people("ann", "mod")
    by, post = as_moderator(world, mod), world.post(ann, "bird", sensitive=True)
    acting.act(world, by, ann, "cover", "Blood.", post, "bird")
    with pytest.raises(Conflict):
        acting.act(world, by, ann, "cover", "Blood.", post, "bird")
    if uncovers:
        editing.edit(world, ann, post, parse("bird"), "", "0", sensitive=False)
        assert world.status(post).sensitive
    acting.answer(world, by, ann, 1, granted=True)
    assert world.status(post).sensitive != uncovers


def test_of_many_moderators_who_answer_a_report_at_once_one_does(world: World) -> None:
    ann, ben, *mods = world.people("ann", "ben", "mod", "nod", "rod")
    moderators = [as_moderator(world, mod) for mod in mods]
    post = world.post(ben, "rude")
    reports.report_status(world, ann, post, "It is rude.")
    [report] = listing.list_newest(world.db)

    def dismiss(attempt: int) -> int:
        by = moderators[attempt % 3]
        return desk.answer_reports(world, by, "dismiss", "No.", [report.id]).answered

    assert sum(at_once(10, dismiss, range(30))) == 1
    [logged] = log.page(world.db, None, 9).items
    assert logged.kind == "dismiss"
    reports.report_status(world, ann, post, "It is still rude.")
    world.apply_events()  # those of the earlier report
    assert [one.reason for one in listing.list_newest(world.db)] == ["It is still rude."]
    assert desk.answer_reports(world, moderators[0], "warn", "Yes.", [report.id]).answered == 1


def test_a_report_about_nobody_is_logged_each_time_that_it_is_left(world: World) -> None:
    ann, mod = world.people("ann", "mod")
    by = as_moderator(world, mod)
    for _ in range(2):
        reports.add(world, ann, "AbCd:0", "A bad chat.", 0, ["hey"])
        [report] = listing.list_newest(world.db)
        assert sum(
            at_once(
                5,
                lambda name: desk.answer_reports(world, by, "dismiss", "", [name]).answered > 0,
                [report.id] * 5,
            )
        )
    assert len(log.page(world.db, None, 9).items) == 2


def test_the_log_has_both_answers_to_an_appeal(world: World) -> None:
    ann, mod = world.people("ann", "mod")
    by = as_moderator(world, mod)
    number = acting.act(world, by, ann, "limit", "Too many posts.")
    acting.appeal(world, ann, number, "No.")
    acting.answer(world, by, ann, number, granted=False)
    acting.answer(world, by, ann, number, granted=True)
    world.apply_events()
    kinds_logged = {one.kind for one in log.page(world.db, None, 9).items}
    assert kinds_logged == {"limit", "keep", "undo"}
