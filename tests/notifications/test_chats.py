"""Mentions in groups notify members, who see them as long as they may read the message."""

from tests.support.chat import draft, group, key, send_messages
from tests.support.world import World
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import membership
from webapp.chat.messages import sending
from webapp.core.events.outbox import Event
from webapp.core.store import Db
from webapp.notifications import chats, keys as notification_keys, store
from webapp.notifications.chats import ChatMention
from webapp.notifications.kinds import kinds_in_tab


def chat_mentions(db: Db, uid: int) -> list[ChatMention | None]:
    """Return the mentions in chats on a member's list of mentions."""
    return [
        entry.chat_mention
        for entry in store.page(db, uid, kinds_in_tab("mentions"), None, 20, False).items
    ]


def test_a_message_in_a_group_notifies_only_those_it_mentions(world: World) -> None:
    ann, ben, cid, dan = world.people("ann", "ben", "cid", "dan")
    for uid in (ben, cid):
        world.follow(uid, "ann")
    world.apply_events()
    larks = world.do(group, ann, [ben, cid])
    (first,) = world.do(
        send_messages, ann, larks, "@BEN @ben and @dan, @ann and @nobody: at the mill"
    )
    assert chat_mentions(world.db, ben) == [
        ChatMention(larks, "Larks", first, "@BEN @ben and @dan, @ann and @nobody: at the mill")
    ]
    assert (
        chat_mentions(world.db, ann)
        == chat_mentions(world.db, cid)
        == chat_mentions(world.db, dan)
        == []
    )
    (second,) = world.do(send_messages, cid, larks, "@ben once more")
    expected = [second, first]
    assert [mention and mention.message_id for mention in chat_mentions(world.db, ben)] == expected
    data = {"chat": larks, "id": str(first), "uid": str(ann)}
    chats.notify_chat_mentions(
        world.context,
        [Event("9-1", 0, "log", 10**6, "message_sent", "-", data)],
    )
    assert len(chat_mentions(world.db, ben)) == world.db.read(store.unread_count(ben)) == 2


def test_muted_chats_deleted_messages_direct_chats_and_former_members_get_no_mentions(
    world: World,
) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for uid, login in ((ben, "ann"), (cid, "ann"), (ann, "ben")):
        world.follow(uid, login)
    world.apply_events()
    larks = world.do(group, ann, [ben, cid])
    chat_state.mute(world.db, cid, larks)
    first, second = world.do(send_messages, ann, larks, "@ben @cid one", "@ben two")
    assert len(chat_mentions(world.db, ben)) == 2 and chat_mentions(world.db, cid) == []
    sending.delete(world, ann, larks, first)
    assert [mention and mention.message_id for mention in chat_mentions(world.db, ben)] == [second]
    world.apply_events()
    assert world.db.read(store.unread_count(ben)) == 2, "the second, and that Ann follows him"
    world.do(sending.send, ann, direct_id(ann, ben), draft("@ben between us"), key())
    assert [mention and mention.message_id for mention in chat_mentions(world.db, ben)] == [second]
    world.do(membership.leave, ben, larks)
    assert chat_mentions(world.db, ben) == []


def test_a_blocked_members_message_notifies_nobody_who_blocks_them(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    larks = world.do(group, ann, [ben])
    world.do(send_messages, ann, larks, "@ben one")
    assert len(chat_mentions(world.db, ben)) == 1
    world.do(World.block, ben, "ann")
    world.do(send_messages, ann, larks, "@ben two")
    assert chat_mentions(world.db, ben) == []
    assert world.db.run(("ZCARD", notification_keys.notifications(ben))) == 0


def test_an_invited_member_gets_no_mentions_before_accepting(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    larks = group(world, ann, [ben])
    world.do(send_messages, ann, larks, "@ben come and look")
    assert world.db.read(chat_state.is_pending(ben, larks))
    assert chat_mentions(world.db, ben) == [] and world.db.read(store.unread_count(ben)) == 0
    chat_state.accept_request(world.db, ben, larks)
    (second,) = world.do(send_messages, ann, larks, "@ben welcome")
    assert [mention and mention.message_id for mention in chat_mentions(world.db, ben)] == [second]


def test_who_comes_after_a_message_is_not_notified_of_it(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    larks = world.do(group, ann, [])
    send_messages(world, ann, larks, "@ben should be here")
    membership.add(world, ann, larks, [ben])
    send_messages(world, ann, larks, "@ben welcome")
    world.apply_events()
    assert [mention and mention.message_id for mention in chat_mentions(world.db, ben)] == [2]
    assert world.db.read(store.unread_count(ben)) == 1


def test_a_removed_member_sees_no_mentions_even_after_coming_back(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    larks = world.do(group, ann, [ben])
    world.do(send_messages, ann, larks, "@ben one")
    assert len(chat_mentions(world.db, ben)) == 1
    membership.remove(world, ann, larks, ben)
    assert chat_mentions(world.db, ben) == [], "before events are applied"
    assert world.db.read(store.unread_count(ben)) == 1
    world.apply_events()
    assert world.db.read(store.unread_count(ben)) == 0
    world.do(membership.add, ann, larks, [ben])
    assert chat_mentions(world.db, ben) == [], "the message is older than the new membership"
