"""Read positions and the badge of unread messages."""

from __future__ import annotations

from tests.conftest import ApplyEvents, People
from tests.support.chat import (
    badge,
    draft,
    group,
    key,
    run_concurrently,
    send_messages,
    unread,
)
from webapp.chat import reading
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import membership
from webapp.chat.messages import sending
from webapp.core.site import Site
from webapp.following import store as following


def test_concurrent_mark_read_only_moves_forward(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    send_messages(site, ann, cid, *(f"song {number}" for number in range(50)))
    apply_events()
    assert unread(site.db, ben) == {cid: 50}
    run_concurrently(20, lambda index: chat_state.mark_read(site.db, ben, cid, index + 1))
    assert unread(site.db, ben) == {cid: 30}
    chat_state.mark_read(site.db, ben, cid, 3)
    chat_state.mark_seen_page(site.db, ben, cid, 4, 0)
    assert unread(site.db, ben) == {cid: 30}
    chat_state.mark_read(site.db, ben, cid, 1_000_000)  # beyond the newest message
    assert unread(site.db, ben) == {cid: 0}
    send_messages(site, ann, cid, "one more")
    apply_events()
    assert unread(site.db, ben) == {cid: 1}
    assert site.db.read(reading.open_page(ann, cid, size=1)).read_positions[ben] == 50


def test_badge_leaves_out_muted_and_archived_chats_and_requests(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    for login in ("ann", "cat"):
        following.follow(site, ben, login)
    apply_events()
    loud, muted, archived = (group(site, ann, [ben]) for _ in range(3))
    for cid in (loud, muted, archived):
        send_messages(site, ann, cid, "one", "two")
    sending.send(site, cat, direct_id(ben, cat), draft("hello"), key())
    apply_events()
    assert badge(site.db, ben) == 7
    chat_state.mute(site.db, ben, muted)
    chat_state.archive(site.db, ben, archived)
    assert badge(site.db, ben) == 3
    assert sum(unread(site.db, ben).values()) == 7
    chat_state.unmute(site.db, ben, muted)
    assert badge(site.db, ben) == 5


def test_own_messages_are_never_unread(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    cid = direct_id(ann, ben)
    send_messages(site, ann, cid, "one", "two")
    send_messages(site, ben, cid, "not read yet")
    send_messages(site, ann, cid, "three")
    send_messages(site, ben, cid, "still not read")
    apply_events()
    assert unread(site.db, ann) == {cid: 2} and unread(site.db, ben) == {cid: 3}
    assert badge(site.db, ben) == 3
    chat_state.mark_read(site.db, ben, cid, 1)
    assert unread(site.db, ben) == {cid: 2}
    chat_state.mark_read(site.db, ben, cid, 3)  # his own
    assert unread(site.db, ben) == {cid: 1}
    chat_state.mark_read(site.db, ben, cid, 5)
    assert unread(site.db, ben) == {cid: 0} and unread(site.db, ann) == {cid: 2}
    send_messages(site, ben, cid, "read at once")
    apply_events()
    assert unread(site.db, ben) == {cid: 0} and unread(site.db, ann) == {cid: 3}


def test_own_messages_are_not_unread_before_their_events_are_applied(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    send_messages(site, ann, cid, *"abc")
    apply_events()
    send_messages(site, ben, cid, *"def")
    chat_state.mark_read(site.db, ben, cid, 5)  # two of his own, which his list has not
    assert unread(site.db, ben) == {cid: 0}
    apply_events()
    assert unread(site.db, ben) == {cid: 0} and unread(site.db, ann) == {cid: 3}


def test_own_messages_stay_read_for_members_who_come_back(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    send_messages(site, ann, cid, "one")
    send_messages(site, ben, cid, "two", "three")
    apply_events()
    membership.leave(site, ben, cid)
    membership.add(site, ann, cid, [ben])  # before his list has lost the chat
    apply_events()
    assert unread(site.db, ben) == {cid: 0}
    send_messages(site, ann, cid, "four", "five")
    send_messages(site, ben, cid, "six")
    apply_events()
    assert unread(site.db, ben) == {cid: 2}
    chat_state.mark_read(site.db, ben, cid, 4)
    assert unread(site.db, ben) == {cid: 1}


def test_page_in_the_middle_leaves_only_messages_of_others_unread(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    for _ in range(3):
        send_messages(site, ann, cid, "hers")
        send_messages(site, ben, cid, "his")
    apply_events()
    page = site.db.read(reading.open_page(ben, cid, after=0, size=2))
    assert page.last_shown == 2 and page.unread_left() == 2
    chat_state.mark_seen_page(site.db, ben, cid, page.last_shown, page.sent_shown)
    assert unread(site.db, ben) == {cid: 2}


def test_deleted_messages_are_not_unread(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(site, ann, [ben, cat])
    for name in ("one", "two", "three"):
        send_messages(site, ann, cid, name)
    send_messages(site, ben, cid, "four")
    apply_events()
    chat_state.mark_read(site.db, cat, cid, 1)
    sending.delete(site, ann, cid, 1)
    sending.delete(site, ann, cid, 3)
    sending.delete(site, ben, cid, 4)  # his own, which he has not read up to
    apply_events()
    assert [unread(site.db, uid) for uid in (ann, ben, cat)] == [{cid: 0}, {cid: 1}, {cid: 1}]
    page = site.db.read(reading.open_page(cat, cid, after=0, size=2))
    row = listing.inbox(site.db, cat)[0]
    assert (row.unread, page.last_shown, page.unread_left(row.deleted)) == (1, 2, 0)
    chat_state.mark_read(site.db, cat, cid, 4)
    assert unread(site.db, cat) == {cid: 0} and not listing.inbox(site.db, cat)[0].deleted
    send_messages(site, ann, cid, "five")
    apply_events()
    assert unread(site.db, cat) == {cid: 1}


def test_only_so_many_deleted_messages_are_noted(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    noted = 200
    send_messages(site, ann, cid, *("gone",) * (noted + 5), "last")
    apply_events()
    for message_id in range(1, noted + 6):
        sending.delete(site, ann, cid, message_id)
    apply_events()
    assert len(listing.inbox(site.db, ben)[0].deleted) == noted
    assert unread(site.db, ben) == {cid: 6}  # the oldest count again
    chat_state.mark_read(site.db, ben, cid, 5)
    assert unread(site.db, ben) == {cid: 1}


def test_request_with_deleted_messages_counts_without_them_when_it_comes_back(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    cid = direct_id(ann, ben)
    send_messages(site, ann, cid, "one", "two")
    apply_events()
    sending.delete(site, ann, cid, 1)
    apply_events()
    chat_state.ignore_request(site, ben, cid)
    assert unread(site.db, ben) == {}
    send_messages(site, ben, cid, "three")
    apply_events()
    assert unread(site.db, ben) == {cid: 1}
