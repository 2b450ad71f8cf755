"""Mentions in groups notify members, who see them as long as they may read the message."""

from __future__ import annotations

from tests.conftest import ApplyEvents, People
from tests.support.chat import draft, group, key, send_messages
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import membership
from webapp.chat.messages import sending
from webapp.core.events.outbox import Context, Event
from webapp.core.site import Site
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
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid, dan = people("ann", "ben", "cid", "dan")
    for uid in (ben, cid):
        following.follow(site, uid, "ann")
    apply_events()
    larks = group(site, ann, [ben, cid])
    apply_events()
    (first,) = send_messages(site, ann, larks, "@BEN @ben and @dan, @ann and @nobody: at the mill")
    apply_events()
    assert chat_mentions(site.db, ben) == [
        ChatMention(larks, "Larks", first, "@BEN @ben and @dan, @ann and @nobody: at the mill")
    ]
    assert (
        chat_mentions(site.db, ann)
        == chat_mentions(site.db, cid)
        == chat_mentions(site.db, dan)
        == []
    )
    (second,) = send_messages(site, cid, larks, "@ben once more")
    apply_events()
    assert [mention and mention.message_id for mention in chat_mentions(site.db, ben)] == [
        second,
        first,
    ]
    data = {"chat": larks, "id": str(first), "uid": str(ann)}
    chats.notify_chat_mentions(
        Context(site.db, site.config, lambda: None),
        [Event("9-1", 0, "log", 10**6, "message_sent", "-", data)],
    )
    assert len(chat_mentions(site.db, ben)) == site.db.read(store.unread_count(ben)) == 2


def test_muted_chats_deleted_messages_direct_chats_and_former_members_get_no_mentions(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for uid, login in ((ben, "ann"), (cid, "ann"), (ann, "ben")):
        following.follow(site, uid, login)
    apply_events()
    larks = group(site, ann, [ben, cid])
    apply_events()
    chat_state.mute(site.db, cid, larks)
    first, second = send_messages(site, ann, larks, "@ben @cid one", "@ben two")
    apply_events()
    assert len(chat_mentions(site.db, ben)) == 2 and chat_mentions(site.db, cid) == []
    sending.delete(site, ann, larks, first)
    assert [mention and mention.message_id for mention in chat_mentions(site.db, ben)] == [second]
    apply_events()
    assert site.db.read(store.unread_count(ben)) == 2, "the second, and that Ann follows him"
    sending.send(site, ann, direct_id(ann, ben), draft("@ben between us"), key())
    apply_events()
    assert [mention and mention.message_id for mention in chat_mentions(site.db, ben)] == [second]
    membership.leave(site, ben, larks)
    apply_events()
    assert chat_mentions(site.db, ben) == []


def test_a_blocked_members_message_notifies_nobody_who_blocks_them(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    apply_events()
    larks = group(site, ann, [ben])
    apply_events()
    send_messages(site, ann, larks, "@ben one")
    apply_events()
    assert len(chat_mentions(site.db, ben)) == 1
    blocks.block(site, ben, "ann")
    apply_events()
    send_messages(site, ann, larks, "@ben two")
    apply_events()
    assert chat_mentions(site.db, ben) == []
    assert site.db.run(("ZCARD", notification_keys.notifications(ben))) == 0


def test_an_invited_member_gets_no_mentions_before_accepting(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    larks = group(site, ann, [ben])
    send_messages(site, ann, larks, "@ben come and look")
    apply_events()
    assert site.db.read(chat_state.is_pending(ben, larks))
    assert chat_mentions(site.db, ben) == [] and site.db.read(store.unread_count(ben)) == 0
    chat_state.accept_request(site.db, ben, larks)
    (second,) = send_messages(site, ann, larks, "@ben welcome")
    apply_events()
    assert [mention and mention.message_id for mention in chat_mentions(site.db, ben)] == [second]


def test_a_removed_member_sees_no_mentions_even_after_coming_back(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    apply_events()
    larks = group(site, ann, [ben])
    apply_events()
    send_messages(site, ann, larks, "@ben one")
    apply_events()
    assert len(chat_mentions(site.db, ben)) == 1
    membership.remove(site, ann, larks, ben)
    assert chat_mentions(site.db, ben) == [], "before events are applied"
    assert site.db.read(store.unread_count(ben)) == 1
    apply_events()
    assert site.db.read(store.unread_count(ben)) == 0
    membership.add(site, ann, larks, [ben])
    apply_events()
    assert chat_mentions(site.db, ben) == [], "the message is older than the new membership"
