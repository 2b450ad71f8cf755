"""Limits on chats and requests, and what blocks, removals and ignored chats prevent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.chat import badge, draft, group, key, owners, send_messages, uids, unread
from webapp.chat import reading
from webapp.chat.bots import store as bots
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.members import groups, invitations, membership
from webapp.chat.messages import sending
from webapp.config import Config, Rate
from webapp.core.errors import Conflict, Forbidden, NotFound, RateLimited, Refused
from webapp.core.store.client import Db
from webapp.following import store as following
from webapp.following.blocks import store as blocks


def refusal(call: Callable[[], object]) -> str:
    """Return the code of the error that a call raises."""
    with pytest.raises(Refused) as caught:
        call()
    return caught.value.code


def test_number_of_chats_is_limited(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    few = replace(config, chats_max=3)
    ann, ben = people("ann", "ben")
    following.follow(db, few, ben, "ann")
    cids = [group(db, few, ann) for _ in range(2)]
    send_messages(db, few, ann, direct_id(ann, ben), "hello")
    apply_events()
    assert refusal(lambda: group(db, few, ann)) == "chats_full"
    [eve] = people("eve")
    assert (
        refusal(lambda: send_messages(db, few, ann, direct_id(ann, eve), "hello")) == "chats_full"
    )
    pond = group(db, few, eve, kind="open")
    assert refusal(lambda: membership.join(db, few, ann, pond)) == "chats_full"
    assert send_messages(db, few, ann, direct_id(ann, ben), "still here") == [2]
    membership.leave(db, few, ann, cids[0])
    apply_events()
    membership.join(db, few, ann, pond)


def test_number_of_requests_is_limited_separately(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    few = replace(config, chats_max=3, chat_requests_max=2)
    ann, ben, eve = people("ann", "ben", "eve")
    following.follow(db, few, ben, "ann")
    for _ in range(2):
        group(db, few, eve, [ben])
    apply_events()
    assert refusal(lambda: group(db, few, eve, [ben])) == "their_chats_full"
    assert (
        refusal(lambda: send_messages(db, few, eve, direct_id(eve, ben), "hello"))
        == "their_chats_full"
    )
    send_messages(db, few, ann, direct_id(ann, ben), "hello")
    cids = [group(db, few, ann, [ben]) for _ in range(2)]
    apply_events()
    assert badge(db, ben) == 1 and len(unread(db, ben)) == 5
    membership.leave(db, few, ann, cids[0])
    apply_events()
    assert refusal(lambda: group(db, few, ann, [ben])) == "their_chats_full"


def test_writing_to_strangers_is_rate_limited(db: Db, config: Config, people: People) -> None:
    slow = replace(config, limit_group=Rate(2, 3600))
    ann, *strangers = people("ann", "ben", "cem", "dan")
    for other in strangers[:2]:
        send_messages(db, slow, ann, direct_id(ann, other), "hello", "are you there?")
    with pytest.raises(RateLimited):
        send_messages(db, slow, ann, direct_id(ann, strangers[2]), "hello")
    following.follow(db, slow, strangers[2], "ann")
    send_messages(db, slow, ann, direct_id(ann, strangers[2]), "hello")


def test_ignored_chat_is_unlisted_until_the_member_writes(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    send_messages(db, config, ann, cid, "hello")
    apply_events()
    chat_state.ignore_request(db, config, ben, cid)
    send_messages(db, config, ann, cid, "hello?")
    apply_events()
    assert listing.inbox(db, ben) == [] and not db.run(
        ("EXISTS", inbox_keys.member_chat_state(ben))
    )
    assert refusal(lambda: chat_state.ignore_request(db, config, ben, cid)) == "no_chat"
    chat_state.mark_read(db, ben, cid, 2)
    send_messages(db, config, ben, cid, "now I have time")
    send_messages(db, config, ann, cid, "good")
    apply_events()
    assert unread(db, ben) == {cid: 1} and not listing.inbox(db, ben)[0].request_state


def test_ignoring_a_group_leaves_it(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    apply_events()
    chat_state.ignore_request(db, config, ben, cid)
    apply_events()
    assert listing.inbox(db, ben) == [] and uids(db, cid) == [ann]


def test_removed_member_returns_only_through_an_owner(
    db: Db, config: Config, people: People
) -> None:
    ann, ben, cem = people("ann", "ben", "cem")
    cid = group(db, config, ann, [ben, cem], kind="open")
    by_ben, by_cem = (invitations.create(db, config, uid, cid, 5, 1) for uid in (ben, cem))
    membership.remove(db, config, ann, cid, ben)
    # The links that ben created are void.
    assert refusal(lambda: db.read(invitations.invited_chat(by_ben))) == "chat_invite_bad"
    for chat in ((cid,), invitations.parse_token(by_ben), invitations.parse_token(by_cem)):
        assert refusal(partial(membership.join, db, config, ben, *chat)) == "taken_out"
    assert refusal(lambda: membership.add(db, config, cem, cid, [ben])) == "only_owners"
    membership.add(db, config, ann, cid, [ben])
    membership.leave(db, config, ben, cid)  # a member who left may come back
    membership.join(db, config, ben, cid)
    groups.delete(db, config, ann, cid)
    assert not [name for name in db.on_every_primary("KEYS", f"chat:*:{cid}*")[0] if name]


def test_block_voids_an_invitation(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann)
    token = invitations.create(db, config, ann, cid, 5, 1)
    blocks.block(db, config, ann, "ben")
    join = partial(membership.join, db, config, ben, *invitations.parse_token(token))
    assert refusal(join) == "chat_invite_bad"
    blocks.unblock(db, config, ann, "ben")
    join()


def test_block_applies_to_bots_of_the_blocked_member(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    bot = bots.create_bot(db, config, ben, "benbot", "Bot").uid
    blocks.block(db, config, ann, "ben")
    for forbidden in (
        lambda: send_messages(db, config, bot, direct_id(ann, bot), "hello"),
        lambda: send_messages(db, config, ann, direct_id(ann, bot), "hello"),
        lambda: group(db, config, ben, [ann]),
        lambda: group(db, config, ann, [bot]),
    ):
        with pytest.raises(Forbidden):
            forbidden()


def test_bot_never_owns_a_group_and_leaves_with_the_last_person(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    bot = bots.create_bot(db, config, ann, "annbot", "Bot").uid
    cid = group(db, config, ann, [bot, ben])
    other = group(db, config, ann)
    membership.add(db, config, ann, other, [bot])
    membership.leave(db, config, ann, cid)
    assert owners(db, cid) == {ben}
    membership.leave(db, config, ben, cid)
    membership.leave(db, config, ann, other)
    apply_events()
    for deleted in (cid, other):
        with pytest.raises(NotFound):
            sending.send(db, config, bot, deleted, draft("anybody?"), key())
    assert listing.inbox(db, bot) == []


def test_only_owners_edit_in_an_announcement_group(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    [number] = send_messages(db, config, ben, cid, "before")
    groups.change(db, config, ann, cid, kind="announcement")
    assert refusal(lambda: sending.edit(db, config, ben, cid, number, "after")) == "only_owners"
    sending.delete(db, config, ben, cid, number)


def test_quiet_visit_marks_messages_as_read(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    send_messages(db, config, ann, cid, "hello")
    apply_events()
    chat_state.accept_request(db, ben, cid)
    chat_state.mark_seen_page(db, ben, cid, 1, 0, quiet=True)
    assert unread(db, ben) == {cid: 0}
    assert db.read(reading.open_page(ben, cid, size=9)).last_read == 1


def test_inviting_unknown_or_too_many_members_is_refused(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    with pytest.raises(NotFound):
        group(db, config, ann, [999])
    with pytest.raises(Conflict):
        group(db, replace(config, chat_members_max=1), ann, people("ben"))
