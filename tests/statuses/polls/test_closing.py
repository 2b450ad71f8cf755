"""The end of polls: late votes, notifications, and deletion."""

from __future__ import annotations

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.polls import end, event, post_poll, tally
from webapp.accounts import lifecycle
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context
from webapp.core.site import Site
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.following import store as following
from webapp.notifications import keys as notification_keys
from webapp.notifications import kinds, poll_projections
from webapp.notifications import store as notifications
from webapp.statuses import store as statuses
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.polls import projections as polls_projections
from webapp.statuses.polls import voting


def test_a_vote_in_time_counts_when_applied_late(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post_poll(site, ann)
    apply_events()
    voting.vote(site, ben, status_id, {0})
    end(site.db, status_id)
    voting.close_due(site, range(PARTITIONS))
    apply_events()
    assert tally(site.db, status_id) == (1, 0, 0, 1)


def test_the_end_of_a_poll_notifies_author_and_voters_once(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(poll_projections, "BATCH", 2)
    ann, *voters, cid = people("ann", *(f"bird{number}" for number in range(5)), "cid")
    status_id, running = post_poll(site, ann), post_poll(site, ann, text="and later?")
    for uid in voters:
        voting.vote(site, uid, status_id, {0})
    notifications.set_preferences(site.db, voters[4], {"poll": kinds.NOBODY})
    apply_events()
    voting.close_due(site, range(PARTITIONS))
    assert site.db.run(("ZCARD", poll_keys.poll_deadlines(partition_of(ann)))) == 2
    assert not site.db.run(("XLEN", event_keys.outbox(partition_of(ann))))
    end(site.db, status_id)
    for _ in range(2):  # two workers in sequence
        loop = worker.group_loop(site, "fanout", "tests")
        loop.acquire()
        loop._run_jobs()
        loop.release()
    assert site.db.run(("XLEN", event_keys.outbox(partition_of(ann)))) == 1
    assert site.db.run(("ZRANGE", poll_keys.poll_deadlines(partition_of(ann)), 0, -1)) == [
        str(running)
    ]
    apply_events()

    def notified(uid: int) -> list[int]:
        page = notifications.page(
            site.db, uid, kinds.kinds_in_tab("all"), None, 30, mark_shown_read=False
        )
        return [
            group.status.id for group in page.items if group.status and group.kind.name == "poll"
        ]

    assert [notified(uid) for uid in (ann, *voters, cid)] == [[status_id]] * 5 + [[], []]
    assert site.db.run(("SCARD", notification_keys.unread_notifications(ann))) == 1
    statuses.delete(site, ann, status_id)
    apply_events()
    assert [notified(uid) for uid in (ann, voters[0])] == [[], []]


def test_a_vote_counted_after_the_end_still_notifies_the_voter(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = post_poll(site, ann)
    voting.vote(site, ben, status_id, {0})
    events = site.db.run(("XRANGE", event_keys.outbox(partition_of(ben)), "-", "+"))
    vote_event = [fields for _, fields in events if "voted" in fields]
    site.db.run(("DEL", event_keys.outbox(partition_of(ben))))  # applied later
    end(site.db, status_id)
    voting.close_due(site, range(PARTITIONS))
    apply_events()
    assert site.db.run(("EXISTS", notification_keys.notifications(ben))) == 0
    for _ in range(2):  # twice, as after a crash
        site.db.run(("XADD", event_keys.outbox(partition_of(ben)), "*", *vote_event[0]))
        apply_events()
    assert site.db.run(("ZRANGE", notification_keys.notifications(ben), 0, -1)) == [
        f"poll:{ann}:{status_id}"
    ]
    running = post_poll(site, ann, text="and later?")
    voting.vote(site, cid, running, {0})
    apply_events()
    assert site.db.run(("EXISTS", notification_keys.notifications(cid))) == 0, "the poll is running"


def test_a_full_outbox_postpones_the_end_of_a_poll(site: Site, people: People) -> None:
    [ann] = people("ann")
    status_id = post_poll(site, ann)
    end(site.db, status_id)
    voting.close_due(with_settings(site, outbox_max=1), range(PARTITIONS))
    assert site.db.run(("ZCARD", poll_keys.poll_deadlines(partition_of(ann)))) == 1
    voting.close_due(site, range(PARTITIONS))
    assert not site.db.run(("ZCARD", poll_keys.poll_deadlines(partition_of(ann))))


@pytest.mark.parametrize("deletion", ["delete", "erase"])
def test_deleting_a_status_deletes_its_poll(
    deletion: str, site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post_poll(site, ann)
    voting.vote(site, ben, status_id, {0})
    apply_events()
    assert {poll_keys.votes(status_id), poll_keys.poll_deadlines(partition_of(ann))} <= set(
        live_keys(site.db)
    )
    if deletion == "delete":
        statuses.delete(site, ann, status_id)
    else:
        lifecycle.delete_account(site, ann, None)
    apply_events()
    polls_projections.sync_votes(
        Context(site.db, site.config, lambda: None), [event("voted", ben, status_id, 10_000)]
    )
    assert not {poll_keys.votes(status_id), poll_keys.poll_deadlines(partition_of(ann))} & set(
        live_keys(site.db)
    )


def test_the_end_of_a_protected_members_poll_notifies(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    apply_events()
    lifecycle.protect(site, ann)
    status_id = post_poll(site, ann)
    voting.vote(site, ben, status_id, {0})
    apply_events()
    end(site.db, status_id)
    voting.close_due(site, range(PARTITIONS))
    apply_events()
    for uid in (ann, ben):
        assert (
            site.db.run(("ZRANGE", notification_keys.notifications(uid), 0, -1))[-1]
            == f"poll:{ann}:{status_id}"
        )
