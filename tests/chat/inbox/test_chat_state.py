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
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.following import store as following


def test_concurrent_mark_read_only_moves_forward(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    send_messages(db, config, ann, cid, *(f"song {number}" for number in range(50)))
    apply_events()
    assert unread(db, ben) == {cid: 50}
    run_concurrently(20, lambda index: chat_state.mark_read(db, ben, cid, index + 1))
    assert unread(db, ben) == {cid: 30}
    chat_state.mark_read(db, ben, cid, 3)
    chat_state.mark_seen_page(db, ben, cid, 4, 0)
    assert unread(db, ben) == {cid: 30}
    chat_state.mark_read(db, ben, cid, 1_000_000)  # beyond the newest message
    assert unread(db, ben) == {cid: 0}
    send_messages(db, config, ann, cid, "one more")
    apply_events()
    assert unread(db, ben) == {cid: 1}
    assert db.read(reading.open_page(ann, cid, size=1)).read_positions[ben] == 50


def test_badge_leaves_out_muted_and_archived_chats_and_requests(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    for login in ("ann", "cat"):
        following.follow(db, config, ben, login)
    apply_events()
    loud, muted, archived = (group(db, config, ann, [ben]) for _ in range(3))
    for cid in (loud, muted, archived):
        send_messages(db, config, ann, cid, "one", "two")
    sending.send(db, config, cat, direct_id(ben, cat), draft("hello"), key())
    apply_events()
    assert badge(db, ben) == 7
    chat_state.mute(db, ben, muted)
    chat_state.archive(db, ben, archived)
    assert badge(db, ben) == 3
    assert sum(unread(db, ben).values()) == 7
    chat_state.unmute(db, ben, muted)
    assert badge(db, ben) == 5


def test_own_messages_are_never_unread(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    cid = direct_id(ann, ben)
    send_messages(db, config, ann, cid, "one", "two")
    send_messages(db, config, ben, cid, "not read yet")
    send_messages(db, config, ann, cid, "three")
    send_messages(db, config, ben, cid, "still not read")
    apply_events()
    assert unread(db, ann) == {cid: 2} and unread(db, ben) == {cid: 3}
    assert badge(db, ben) == 3
    chat_state.mark_read(db, ben, cid, 1)
    assert unread(db, ben) == {cid: 2}
    chat_state.mark_read(db, ben, cid, 3)  # his own
    assert unread(db, ben) == {cid: 1}
    chat_state.mark_read(db, ben, cid, 5)
    assert unread(db, ben) == {cid: 0} and unread(db, ann) == {cid: 2}
    send_messages(db, config, ben, cid, "read at once")
    apply_events()
    assert unread(db, ben) == {cid: 0} and unread(db, ann) == {cid: 3}


def test_own_messages_are_not_unread_before_their_events_are_applied(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    send_messages(db, config, ann, cid, *"abc")
    apply_events()
    send_messages(db, config, ben, cid, *"def")
    chat_state.mark_read(db, ben, cid, 5)  # two of his own, which his list has not
    assert unread(db, ben) == {cid: 0}
    apply_events()
    assert unread(db, ben) == {cid: 0} and unread(db, ann) == {cid: 3}


def test_own_messages_stay_read_for_members_who_come_back(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    send_messages(db, config, ann, cid, "one")
    send_messages(db, config, ben, cid, "two", "three")
    apply_events()
    membership.leave(db, config, ben, cid)
    membership.add(db, config, ann, cid, [ben])  # before his list has lost the chat
    apply_events()
    assert unread(db, ben) == {cid: 0}
    send_messages(db, config, ann, cid, "four", "five")
    send_messages(db, config, ben, cid, "six")
    apply_events()
    assert unread(db, ben) == {cid: 2}
    chat_state.mark_read(db, ben, cid, 4)
    assert unread(db, ben) == {cid: 1}


def test_page_in_the_middle_leaves_only_messages_of_others_unread(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    for _ in range(3):
        send_messages(db, config, ann, cid, "hers")
        send_messages(db, config, ben, cid, "his")
    apply_events()
    page = db.read(reading.open_page(ben, cid, after=0, size=2))
    assert page.last_shown == 2 and page.unread_left() == 2
    chat_state.mark_seen_page(db, ben, cid, page.last_shown, page.sent_shown)
    assert unread(db, ben) == {cid: 2}


def test_deleted_messages_are_not_unread(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(db, config, ann, [ben, cat])
    for name in ("one", "two", "three"):
        send_messages(db, config, ann, cid, name)
    send_messages(db, config, ben, cid, "four")
    apply_events()
    chat_state.mark_read(db, cat, cid, 1)
    sending.delete(db, config, ann, cid, 1)
    sending.delete(db, config, ann, cid, 3)
    sending.delete(db, config, ben, cid, 4)  # his own, which he has not read up to
    apply_events()
    assert [unread(db, uid) for uid in (ann, ben, cat)] == [{cid: 0}, {cid: 1}, {cid: 1}]
    page = db.read(reading.open_page(cat, cid, after=0, size=2))
    row = listing.inbox(db, cat)[0]
    assert (row.unread, page.last_shown, page.unread_left(row.deleted)) == (1, 2, 0)
    chat_state.mark_read(db, cat, cid, 4)
    assert unread(db, cat) == {cid: 0} and not listing.inbox(db, cat)[0].deleted
    send_messages(db, config, ann, cid, "five")
    apply_events()
    assert unread(db, cat) == {cid: 1}


def test_only_so_many_deleted_messages_are_noted(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    noted = 200
    send_messages(db, config, ann, cid, *("gone",) * (noted + 5), "last")
    apply_events()
    for message_id in range(1, noted + 6):
        sending.delete(db, config, ann, cid, message_id)
    apply_events()
    assert len(listing.inbox(db, ben)[0].deleted) == noted
    assert unread(db, ben) == {cid: 6}  # the oldest count again
    chat_state.mark_read(db, ben, cid, 5)
    assert unread(db, ben) == {cid: 1}


def test_request_with_deleted_messages_counts_without_them_when_it_comes_back(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    cid = direct_id(ann, ben)
    send_messages(db, config, ann, cid, "one", "two")
    apply_events()
    sending.delete(db, config, ann, cid, 1)
    apply_events()
    chat_state.ignore_request(db, config, ben, cid)
    assert unread(db, ben) == {}
    send_messages(db, config, ben, cid, "three")
    apply_events()
    assert unread(db, ben) == {cid: 1}
