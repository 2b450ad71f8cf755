"""Read positions and the badge of unread messages."""

from tests.support.chat import badge, draft, group, key, send_messages, unread
from tests.support.concurrently import concurrently
from tests.support.world import World
from webapp.chat import reading
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import membership
from webapp.chat.messages import sending


def test_concurrent_mark_read_only_moves_forward(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    world.do(send_messages, ann, cid, *(f"song {number}" for number in range(50)))
    assert unread(world.db, ben) == {cid: 50}
    concurrently(lambda index: chat_state.mark_read(world.db, ben, cid, index + 1), 20)
    assert unread(world.db, ben) == {cid: 30}
    chat_state.mark_read(world.db, ben, cid, 3)
    chat_state.mark_seen_page(world.db, ben, cid, 4, 0)
    assert unread(world.db, ben) == {cid: 30}
    chat_state.mark_read(world.db, ben, cid, 1_000_000)  # beyond the newest message
    assert unread(world.db, ben) == {cid: 0}
    world.do(send_messages, ann, cid, "one more")
    assert unread(world.db, ben) == {cid: 1}
    assert world.db.read(reading.open_page(ann, cid, size=1)).read_positions[ben] == 50


def test_badge_leaves_out_muted_and_archived_chats_and_requests(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    for login in ("ann", "cat"):
        world.follow(ben, login)
    world.apply_events()
    loud, muted, archived = (group(world, ann, [ben]) for _ in range(3))
    for cid in (loud, muted, archived):
        send_messages(world, ann, cid, "one", "two")
    world.do(sending.send, cat, direct_id(ben, cat), draft("hello"), key())
    assert badge(world.db, ben) == 7
    chat_state.mute(world.db, ben, muted)
    chat_state.archive(world.db, ben, archived)
    assert badge(world.db, ben) == 3
    assert sum(unread(world.db, ben).values()) == 7
    chat_state.mute(world.db, ben, muted, is_on=False)
    assert badge(world.db, ben) == 5


def test_own_messages_are_never_unread(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.follow(ben, "ann")
    cid = direct_id(ann, ben)
    send_messages(world, ann, cid, "one", "two")
    send_messages(world, ben, cid, "not read yet")
    send_messages(world, ann, cid, "three")
    world.do(send_messages, ben, cid, "still not read")
    assert unread(world.db, ann) == {cid: 2} and unread(world.db, ben) == {cid: 3}
    assert badge(world.db, ben) == 3
    chat_state.mark_read(world.db, ben, cid, 1)
    assert unread(world.db, ben) == {cid: 2}
    chat_state.mark_read(world.db, ben, cid, 3)  # his own
    assert unread(world.db, ben) == {cid: 1}
    chat_state.mark_read(world.db, ben, cid, 5)
    assert unread(world.db, ben) == {cid: 0} and unread(world.db, ann) == {cid: 2}
    world.do(send_messages, ben, cid, "read at once")
    assert unread(world.db, ben) == {cid: 0} and unread(world.db, ann) == {cid: 3}


def test_own_messages_are_not_unread_before_their_events_are_applied(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    world.do(send_messages, ann, cid, *"abc")
    send_messages(world, ben, cid, *"def")
    chat_state.mark_read(world.db, ben, cid, 5)  # two of his own, which his list has not
    assert unread(world.db, ben) == {cid: 0}
    world.apply_events()
    assert unread(world.db, ben) == {cid: 0} and unread(world.db, ann) == {cid: 3}


def test_own_messages_stay_read_for_members_who_come_back(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    send_messages(world, ann, cid, "one")
    world.do(send_messages, ben, cid, "two", "three")
    membership.leave(world, ben, cid)
    world.do(membership.add, ann, cid, [ben])  # before his list has lost the chat
    assert unread(world.db, ben) == {cid: 1}  # the chat that he was added to, none of its messages
    send_messages(world, ann, cid, "four", "five")
    world.do(send_messages, ben, cid, "six")
    assert unread(world.db, ben) == {cid: 2}
    chat_state.mark_read(world.db, ben, cid, 4)
    assert unread(world.db, ben) == {cid: 1}


def test_page_in_the_middle_leaves_only_messages_of_others_unread(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    for _ in range(3):
        send_messages(world, ann, cid, "hers")
        send_messages(world, ben, cid, "his")
    world.apply_events()
    page = world.db.read(reading.open_page(ben, cid, after=0, size=2))
    assert page.last_shown == 2 and page.unread_left() == 2
    chat_state.mark_seen_page(world.db, ben, cid, page.last_shown, page.sent_shown)
    assert unread(world.db, ben) == {cid: 2}


def test_deleted_messages_are_not_unread(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    cid = group(world, ann, [ben, cat])
    for name in ("one", "two", "three"):
        send_messages(world, ann, cid, name)
    world.do(send_messages, ben, cid, "four")
    chat_state.mark_read(world.db, cat, cid, 1)
    sending.delete(world, ann, cid, 1)
    sending.delete(world, ann, cid, 3)
    world.do(sending.delete, ben, cid, 4)  # his own, which he has not read up to
    assert [unread(world.db, uid) for uid in (ann, ben, cat)] == [{cid: 0}, {cid: 1}, {cid: 1}]
    page = world.db.read(reading.open_page(cat, cid, after=0, size=2))
    row = listing.inbox(world.db, cat)[0]
    assert (row.unread, page.last_shown, page.unread_left(row.deleted)) == (1, 2, 0)
    chat_state.mark_read(world.db, cat, cid, 4)
    assert unread(world.db, cat) == {cid: 0} and not listing.inbox(world.db, cat)[0].deleted
    world.do(send_messages, ann, cid, "five")
    assert unread(world.db, cat) == {cid: 1}


def test_only_so_many_deleted_messages_are_noted(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    noted = 200
    world.do(send_messages, ann, cid, *("gone",) * (noted + 5), "last")
    for message_id in range(1, noted + 6):
        sending.delete(world, ann, cid, message_id)
    world.apply_events()
    assert len(listing.inbox(world.db, ben)[0].deleted) == noted
    assert unread(world.db, ben) == {cid: 6}  # the oldest count again
    chat_state.mark_read(world.db, ben, cid, 5)
    assert unread(world.db, ben) == {cid: 1}


def test_request_with_deleted_messages_counts_without_them_when_it_comes_back(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.follow(ben, "ann")
    cid = direct_id(ann, ben)
    world.do(send_messages, ann, cid, "one", "two")
    world.do(sending.delete, ann, cid, 1)
    chat_state.ignore_request(world, ben, cid)
    assert unread(world.db, ben) == {}
    world.do(send_messages, ben, cid, "three")
    assert unread(world.db, ben) == {cid: 1}
