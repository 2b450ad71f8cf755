"""Mentions in groups notify members, who see them as long as they may read the message."""

from __future__ import annotations

from tests.conftest import ApplyEvents, People
from tests.support.chat import draft, group, key, send_messages
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import membership
from webapp.chat.messages import sending
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.notifications import chats, store
from webapp.notifications import keys as notification_keys
from webapp.notifications.chats import ChatMention
from webapp.notifications.kinds import kinds_in_tab


def chat_mentions(db: Db, uid: int) -> list[ChatMention | None]:
    """Return the mentions in chats on a member's list of mentions."""
    return [
        entry.chat_mention
        for entry in store.page(db, uid, kinds_in_tab("mentions"), None, 20, False).items
    ]


def test_a_message_in_a_group_notifies_only_those_it_mentions(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid, dan = people("ann", "ben", "cid", "dan")
    for uid in (ben, cid):
        following.follow(db, config, uid, "ann")
    apply_events()
    larks = group(db, config, ann, [ben, cid])
    apply_events()
    (first,) = send_messages(
        db, config, ann, larks, "@BEN @ben and @dan, @ann and @nobody: at the mill"
    )
    apply_events()
    assert chat_mentions(db, ben) == [
        ChatMention(larks, "Larks", first, "@BEN @ben and @dan, @ann and @nobody: at the mill")
    ]
    assert chat_mentions(db, ann) == chat_mentions(db, cid) == chat_mentions(db, dan) == []
    (second,) = send_messages(db, config, cid, larks, "@ben once more")
    apply_events()
    assert [mention and mention.message_id for mention in chat_mentions(db, ben)] == [second, first]
    data = {"chat": larks, "id": str(first), "uid": str(ann)}
    chats.notify_chat_mentions(
        Context(db, config, lambda: None),
        [Event("9-1", 0, "log", 10**6, "message_sent", "-", data)],
    )
    assert len(chat_mentions(db, ben)) == db.read(store.unread_count(ben)) == 2


def test_muted_chats_deleted_messages_direct_chats_and_former_members_get_no_mentions(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for uid, login in ((ben, "ann"), (cid, "ann"), (ann, "ben")):
        following.follow(db, config, uid, login)
    apply_events()
    larks = group(db, config, ann, [ben, cid])
    apply_events()
    chat_state.mute(db, cid, larks)
    first, second = send_messages(db, config, ann, larks, "@ben @cid one", "@ben two")
    apply_events()
    assert len(chat_mentions(db, ben)) == 2 and chat_mentions(db, cid) == []
    sending.delete(db, config, ann, larks, first)
    assert [mention and mention.message_id for mention in chat_mentions(db, ben)] == [second]
    apply_events()
    assert db.read(store.unread_count(ben)) == 2, "the second, and that Ann follows him"
    sending.send(db, config, ann, direct_id(ann, ben), draft("@ben between us"), key())
    apply_events()
    assert [mention and mention.message_id for mention in chat_mentions(db, ben)] == [second]
    membership.leave(db, config, ben, larks)
    apply_events()
    assert chat_mentions(db, ben) == []


def test_a_blocked_members_message_notifies_nobody_who_blocks_them(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    apply_events()
    larks = group(db, config, ann, [ben])
    apply_events()
    send_messages(db, config, ann, larks, "@ben one")
    apply_events()
    assert len(chat_mentions(db, ben)) == 1
    blocks.block(db, config, ben, "ann")
    apply_events()
    send_messages(db, config, ann, larks, "@ben two")
    apply_events()
    assert chat_mentions(db, ben) == []
    assert db.run(("ZCARD", notification_keys.notifications(ben))) == 0


def test_an_invited_member_gets_no_mentions_before_accepting(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    larks = group(db, config, ann, [ben])
    send_messages(db, config, ann, larks, "@ben come and look")
    apply_events()
    assert db.read(chat_state.is_pending(ben, larks))
    assert chat_mentions(db, ben) == [] and db.read(store.unread_count(ben)) == 0
    chat_state.accept_request(db, ben, larks)
    (second,) = send_messages(db, config, ann, larks, "@ben welcome")
    apply_events()
    assert [mention and mention.message_id for mention in chat_mentions(db, ben)] == [second]


def test_a_removed_member_sees_no_mentions_even_after_coming_back(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    apply_events()
    larks = group(db, config, ann, [ben])
    apply_events()
    send_messages(db, config, ann, larks, "@ben one")
    apply_events()
    assert len(chat_mentions(db, ben)) == 1
    membership.remove(db, config, ann, larks, ben)
    assert chat_mentions(db, ben) == [], "before events are applied"
    assert db.read(store.unread_count(ben)) == 1
    apply_events()
    assert db.read(store.unread_count(ben)) == 0
    membership.add(db, config, ann, larks, [ben])
    apply_events()
    assert chat_mentions(db, ben) == [], "the message is older than the new membership"
