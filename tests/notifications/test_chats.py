"""Who is named in a group's message is told, and sees it as long as they belong to the chat and it is there."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.chat import draft, group, key, say
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

People = Callable[..., list[int]]
Settle = Callable[[], None]


def heard(db: Db, uid: int) -> list[ChatMention | None]:
    """What a member's list of mentions shows of chats."""
    return [
        one.chat_mention
        for one in store.page(db, uid, kinds_in_tab("mentions"), None, 20, False).items
    ]


def test_a_group_tells_whom_it_names_and_nobody_else(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dan = people("ann", "ben", "cid", "dan")
    for one in (ben, cid):
        following.follow(db, config, one, "ann")
    settle()
    larks = group(db, config, ann, [ben, cid])
    settle()
    (first,) = say(db, config, ann, larks, "@BEN @ben and @dan, @ann and @nobody: at the mill")
    settle()
    assert heard(db, ben) == [
        ChatMention(larks, "Larks", first, "@BEN @ben and @dan, @ann and @nobody: at the mill")
    ]
    assert heard(db, ann) == heard(db, cid) == heard(db, dan) == []
    (second,) = say(db, config, cid, larks, "@ben once more")
    settle()
    assert [one and one.message_id for one in heard(db, ben)] == [second, first]
    again = {"chat": larks, "id": str(first), "by": str(ann)}
    chats.notify_chat_mentions(
        Context(db, config, lambda: None), [Event("9-1", 0, "log", 10**6, "chatted", "-", again)]
    )
    assert len(heard(db, ben)) == db.read(store.unread_count(ben)) == 2


def test_what_is_muted_deleted_left_or_between_two_is_not_shown(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for one, other in ((ben, "ann"), (cid, "ann"), (ann, "ben")):
        following.follow(db, config, one, other)
    settle()
    larks = group(db, config, ann, [ben, cid])
    settle()
    chat_state.mute(db, cid, larks)
    first, second = say(db, config, ann, larks, "@ben @cid one", "@ben two")
    settle()
    assert len(heard(db, ben)) == 2 and heard(db, cid) == []
    sending.delete(db, config, ann, larks, first)
    assert [one and one.message_id for one in heard(db, ben)] == [second]
    sending.send(db, config, ann, direct_id(ann, ben), draft("@ben between us"), key())
    settle()
    assert [one and one.message_id for one in heard(db, ben)] == [second]
    membership.leave(db, config, ben, larks)
    settle()
    assert heard(db, ben) == []


def test_whom_one_blocks_tells_nothing_in_a_chat_either(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    larks = group(db, config, ann, [ben])
    settle()
    say(db, config, ann, larks, "@ben one")
    settle()
    assert len(heard(db, ben)) == 1
    blocks.block(db, config, ben, "ann")
    settle()
    say(db, config, ann, larks, "@ben two")
    settle()
    assert heard(db, ben) == [] and db.run(("ZCARD", notification_keys.notifications(ben))) == 0


def test_who_is_asked_into_a_group_is_told_nothing_before_they_answer(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    larks = group(db, config, ann, [ben])
    say(db, config, ann, larks, "@ben come and look")
    settle()
    assert db.read(chat_state.is_pending(ben, larks))
    assert heard(db, ben) == [] and db.read(store.unread_count(ben)) == 0
    chat_state.accept_request(db, ben, larks)
    (second,) = say(db, config, ann, larks, "@ben welcome")
    settle()
    assert [one and one.message_id for one in heard(db, ben)] == [second]


def test_who_is_taken_out_sees_nothing_at_once_nor_later_what_they_may_not(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    larks = group(db, config, ann, [ben])
    settle()
    say(db, config, ann, larks, "@ben one")
    settle()
    assert len(heard(db, ben)) == 1
    membership.remove(db, config, ann, larks, ben)
    assert heard(db, ben) == [], "whatever waits to be applied"
    settle()
    membership.add(db, config, ann, larks, [ben])
    settle()
    assert heard(db, ben) == [], "the message is from before they came"
