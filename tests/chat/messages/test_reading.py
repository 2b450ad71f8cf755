"""Read the history of a chat and what changed since a position."""

import time
from dataclasses import replace
from datetime import datetime, timedelta

from tests.support.chat import all_messages, fetch, group, send_messages, texts
from tests.support.settings import with_settings
from tests.support.store_dump import calls
from tests.support.world import World
from webapp.chat import keys as chat_keys, reading
from webapp.chat.inbox import chat_state
from webapp.chat.live.positions import CHANGES_MAX, changes_since
from webapp.chat.members import group_chats
from webapp.chat.messages import sending
from webapp.core.errors import NotFound
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse


def test_chat_keeps_its_newest_messages(world: World) -> None:
    few = with_settings(world, chat_history=10)
    ann, ben = world.people("ann", "ben")
    cid = group(few, ann, [ben])
    for number in range(25):
        send_messages(few, ann, cid, f"song {number}")
        sending.react(few, ben, cid, number + 1, "🐦", True)
    world.apply_events()
    assert [message.id for message in all_messages(world.db, ben, cid, 3)] == list(range(16, 26))
    assert world.db.run(("HLEN", chat_keys.chat_messages(cid))) == 10
    assert world.db.run(("HLEN", chat_keys.chat_reactions(cid))) == 10
    assert fetch(few, ben) == {cid: list(range(16, 26))}
    few.refuses(NotFound, sending.react, ben, cid, 15, "🐦", True)
    few.refuses(NotFound, sending.edit, ann, cid, 15, "again", ())
    few.refuses(NotFound, sending.delete, ann, cid, 15)


def position(db: Db, uid: int, cid: str) -> tuple[int, int]:
    """Return the newest message id and the revision of a chat."""
    chat = db.read(reading.open_page(uid, cid, size=1)).chat
    return chat.last_id, chat.revision


def test_changes_since_returns_new_and_changed_messages(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    cid = group(world, ann, [ben])
    send_messages(world, ann, cid, "one", "two", "three")
    last, rev = position(world.db, ben, cid)
    assert world.db.read(changes_since(cid, last, rev, [ben])).messages == []
    parsed = parse("two, better")
    sending.edit(world, ann, cid, 2, parsed.text, parsed.entities)
    sending.delete(world, ann, cid, 3)
    sending.react(world, ben, cid, 1, "👍", True)
    send_messages(world, ben, cid, "four")
    changes = world.db.read(changes_since(cid, last, rev, [ben, cat]))
    expected = [(1, "one", False), (2, "two, better", False), (3, "", True), (4, "four", False)]
    assert sorted((one.id, one.text, one.deleted) for one in changes.messages) == expected
    assert changes.first_visible == {ben: 1} and not changes.must_reload
    assert changes.chat and (changes.chat.last_id, changes.chat.revision) == position(
        world.db, ben, cid
    )
    assert world.db.read(changes_since(cid, *position(world.db, ben, cid), [ben])).messages == []


def test_changes_since_an_old_position_require_a_reload(world: World) -> None:
    many = with_settings(world, outbox_max=100_000)
    ann, ben = world.people("ann", "ben")
    cid = group(many, ann, [ben])
    send_messages(many, ann, cid, "one")
    last, rev = position(world.db, ben, cid)
    send_messages(many, ann, cid, *(f"song {number}" for number in range(CHANGES_MAX + 1)))
    assert world.db.read(changes_since(cid, last, rev, [ben])).must_reload
    last, rev = position(world.db, ben, cid)
    send_messages(many, ann, cid, "one more")
    changes = world.db.read(changes_since(cid, last, rev, [ben]))
    assert not changes.must_reload and texts(changes.messages) == ["one more"]
    # A position ahead of the chat: restored from a backup, or made up.
    assert world.db.read(changes_since(cid, last + 1_000, rev, [ben])).must_reload


def test_changes_since_a_trimmed_revision_require_a_reload(world: World) -> None:
    many, few = (
        replace(world.config, outbox_max=100_000, chat_history=size) for size in (10_000, 50)
    )
    ann, ben = world.people("ann", "ben")
    cid = group(Site(world.db, many), ann, [ben])
    send_messages(Site(world.db, many), ann, cid, *(f"song {number}" for number in range(1_010)))
    last, rev = position(world.db, ben, cid)
    # The next thousand changes push this one out.
    sending.react(Site(world.db, many), ben, cid, 1_010, "👍", True)
    for number in range(1, 1_006):
        sending.react(Site(world.db, many), ben, cid, number, "👍", True)
    assert world.db.read(changes_since(cid, last, rev, [ben])).must_reload
    # Most messages are trimmed and few changes remain. The list looks complete but is not.
    send_messages(Site(world.db, few), ann, cid, "one more")
    assert world.db.read(changes_since(cid, last, rev, [ben])).must_reload
    assert not world.db.read(changes_since(cid, *position(world.db, ben, cid), [ben])).must_reload


def test_changes_since_of_a_deleted_chat_are_empty(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    last, rev = position(world.db, ben, cid)
    group_chats.delete(world, ann, cid)
    changes = world.db.read(changes_since(cid, last, rev, [ann, ben]))
    assert changes.chat is None and not changes.first_visible and not changes.messages


def test_date_opens_at_the_first_message_from_then_on(world: World) -> None:
    [ann] = world.people("ann")
    cid = group(world, ann)
    for number in range(30):
        send_messages(world, ann, cid, f"song {number}")
        time.sleep(0.003)  # so that their times differ
    messages = all_messages(world.db, ann, cid)

    def first_from(moment: datetime) -> list[int]:
        page = world.db.read(reading.open_page(ann, cid, date=moment, size=1))
        return [message.id for message in page.messages]

    for message in messages:
        assert first_from(message.sent_at) == [message.id]
        assert first_from(message.sent_at - timedelta(milliseconds=1)) == [message.id]
    assert first_from(messages[0].sent_at - timedelta(days=400)) == [1]
    assert first_from(messages[-1].sent_at + timedelta(days=400)) == []
    few = with_settings(world, chat_history=5)
    send_messages(few, ann, cid, "the last")
    assert first_from(messages[0].sent_at) == [27]


def test_own_messages_are_counted_from_the_nearer_end(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    for _ in range(10):
        send_messages(world, ben, cid, "his")
        send_messages(world, ann, cid, "hers")
    chat_state.mark_read(world.db, ann, cid, 3)

    def reads(message_id: int) -> int:
        before = calls(world.db, "hmget")
        page = world.db.read(reading.open_page(ann, cid, around=message_id, size=1))
        assert page.sent - page.sent_shown == 10 - max(message_id, 3) // 2
        return calls(world.db, "hmget") - before

    in_short_chat = [reads(message_id) for message_id in range(1, 20)]
    later = range(21, 4_000)
    for ids in (later[start : start + 500] for start in range(0, len(later), 500)):
        bodies = (part for id_ in ids for part in (id_, f'{{"by":{ben},"at":1,"gone":2}}'))
        world.db.run(("HSET", chat_keys.chat_messages(cid), *bodies))
    world.db.run(("HSET", chat_keys.chat(cid), "last", later[-1]))
    assert [reads(message_id) for message_id in range(1, 20)] == in_short_chat
    before = calls(world.db, "hmget")
    assert chat_state.mark_read(world.db, ann, cid, 12) == 12
    assert calls(world.db, "hmget") - before < 5
    assert reads(12) <= in_short_chat[11]
