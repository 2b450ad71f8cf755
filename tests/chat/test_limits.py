"""Limits on chats and requests, and what blocks, removals and ignored chats prevent."""

from functools import partial

import pytest

from tests.support.chat import badge, draft, group, key, owners, send_messages, uids, unread
from tests.support.concurrently import result_or_code as refusal
from tests.support.settings import with_settings
from tests.support.world import PASSWORD, World
from webapp.chat import reading
from webapp.chat.bots import store as bots
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, keys as inbox_keys, listing
from webapp.chat.members import group_chats, invitations, membership
from webapp.chat.messages import sending
from webapp.config import Rate
from webapp.core.errors import Conflict, Forbidden, NotFound, RateLimited
from webapp.following import store as following


def test_number_of_chats_is_limited(world: World) -> None:
    few = with_settings(world, chats_max=3)
    ann, ben = world.people("ann", "ben")
    following.follow(few, ben, "ann")
    cids = [group(few, ann) for _ in range(2)]
    send_messages(few, ann, direct_id(ann, ben), "hello")
    world.apply_events()
    assert refusal(lambda: group(few, ann)) == "chats_full"
    [eve] = world.people("eve")
    assert refusal(lambda: send_messages(few, ann, direct_id(ann, eve), "hello")) == "chats_full"
    pond = group(few, eve, kind="open")
    assert refusal(lambda: membership.join(few, ann, pond)) == "chats_full"
    assert send_messages(few, ann, direct_id(ann, ben), "still here") == [2]
    membership.leave(few, ann, cids[0])
    world.apply_events()
    membership.join(few, ann, pond)
    world.apply_events()
    membership.join(few, ann, pond)  # again


def test_a_group_that_is_sent_again_is_the_same_whatever_has_changed(world: World) -> None:
    few = with_settings(world, chats_max=1)
    ann, ben = world.people("ann", "ben")
    following.follow(few, ben, "ann")
    create = partial(group_chats.create, few, ann, "private", "Larks", [ben], None)
    cid = create("key of a form")
    world.apply_events()
    world.block(ben, "ann")
    assert create("key of a form") == cid
    assert refusal(lambda: create("key of another")) == "cannot_write_them"
    world.unblock(ben, "ann")
    assert refusal(lambda: create("key of another")) == "chats_full"


def test_number_of_requests_is_limited_separately(world: World) -> None:
    few = with_settings(world, chats_max=3, chat_requests_max=2)
    ann, ben, eve = world.people("ann", "ben", "eve")
    following.follow(few, ben, "ann")
    for _ in range(2):
        group(few, eve, [ben])
    world.apply_events()
    assert refusal(lambda: group(few, eve, [ben])) == "their_chats_full"
    found = refusal(lambda: send_messages(few, eve, direct_id(eve, ben), "hello"))
    assert found == "their_chats_full"
    send_messages(few, ann, direct_id(ann, ben), "hello")
    cids = [group(few, ann, [ben]) for _ in range(2)]
    world.apply_events()
    assert badge(world.db, ben) == 3 and len(unread(world.db, ben)) == 5
    membership.leave(few, ann, cids[0])
    world.apply_events()
    assert refusal(lambda: group(few, ann, [ben])) == "their_chats_full"


def test_writing_to_strangers_is_rate_limited(world: World) -> None:
    slow = with_settings(world, limit_group=Rate(2, 3600))
    ann, *strangers = world.people("ann", "ben", "cem", "dan")
    for other in strangers[:2]:
        send_messages(slow, ann, direct_id(ann, other), "hello", "are you there?")
    slow.refuses(RateLimited, send_messages, ann, direct_id(ann, strangers[2]), "hello")
    following.follow(slow, strangers[2], "ann")
    send_messages(slow, ann, direct_id(ann, strangers[2]), "hello")


def test_ignored_chat_is_unlisted_until_the_member_writes(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = direct_id(ann, ben)
    world.do(send_messages, ann, cid, "hello")
    chat_state.ignore_request(world, ben, cid)
    world.do(send_messages, ann, cid, "hello?")
    assert listing.inbox(world.db, ben) == [] and not world.db.run(
        ("EXISTS", inbox_keys.member_chat_state(ben))
    )
    assert refusal(lambda: chat_state.ignore_request(world, ben, cid)) == "no_chat"
    chat_state.mark_read(world.db, ben, cid, 2)
    send_messages(world, ben, cid, "now I have time")
    world.do(send_messages, ann, cid, "good")
    assert unread(world.db, ben) == {cid: 1} and not listing.inbox(world.db, ben)[0].request_state


@pytest.mark.parametrize("ignores_last", [True, False])
def test_an_ignored_chat_goes_with_the_accounts_of_both(world: World, ignores_last: bool) -> None:
    ann, ben = world.people("ann", "ben")
    cid = direct_id(ann, ben)
    world.do(send_messages, ann, cid, "hello")
    if ignores_last:
        world.do(World.delete_account, ann, PASSWORD)
    chat_state.ignore_request(world, ben, cid)
    world.do(World.delete_account, ben, PASSWORD)
    if not ignores_last:
        assert uids(world.db, cid) == [ann]
        world.do(World.delete_account, ann, PASSWORD)
    assert not [name for name in world.db.on_every_primary("KEYS", f"chat:*:{cid}*")[0] if name]


def test_ignoring_a_group_leaves_it(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = world.do(group, ann, [ben])
    world.do(chat_state.ignore_request, ben, cid)
    assert listing.inbox(world.db, ben) == [] and uids(world.db, cid) == [ann]


def test_removed_member_returns_only_through_an_owner(world: World) -> None:
    ann, ben, cem = world.people("ann", "ben", "cem")
    cid = group(world, ann, [ben, cem], kind="open")
    by_ben, by_cem = (invitations.create(world, uid, cid, 5, 1) for uid in (ben, cem))
    membership.remove(world, ann, cid, ben)
    # The links that ben created are void.
    assert refusal(lambda: world.db.read(invitations.invited_chat(by_ben))) == "chat_invite_bad"
    for chat in ((cid,), invitations.parse_token(by_ben), invitations.parse_token(by_cem)):
        assert refusal(partial(membership.join, world, ben, *chat)) == "taken_out"
    assert refusal(lambda: membership.add(world, cem, cid, [ben])) == "only_owners"
    membership.add(world, ann, cid, [ben])
    membership.leave(world, ben, cid)  # a member who left may come back
    membership.join(world, ben, cid)
    group_chats.delete(world, ann, cid)
    assert not [name for name in world.db.on_every_primary("KEYS", f"chat:*:{cid}*")[0] if name]


def test_a_block_and_a_suspension_void_an_invitation(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann)
    secret = invitations.parse_token(invitations.create(world, ann, cid, 5, 1))[1]
    join = partial(membership.join, world, ben, cid, secret)
    show = partial(membership.require_maker, world.db, ben, cid, secret)
    world.block(ann, "ben")
    assert refusal(join) == refusal(show) == "chat_invite_bad"
    world.unblock(ann, "ben")
    world.suspend(ann)
    assert refusal(join) == refusal(show) == "chat_invite_bad"
    world.suspend(ann, False)
    show()
    join()


@pytest.mark.parametrize("leaves", [True, False])
def test_invitations_end_when_their_maker_goes(world: World, leaves: bool) -> None:
    ann, ben, cem = world.people("ann", "ben", "cem")
    cid = group(world, ann, [ben])
    by_ann, by_ben = (invitations.create(world, uid, cid, 5, 1) for uid in (ann, ben))
    if leaves:
        world.do(membership.leave, ben, cid)
    else:
        world.do(World.delete_account, ben, PASSWORD)
    join = partial(membership.join, world, cem)
    assert refusal(partial(join, *invitations.parse_token(by_ben))) == "chat_invite_bad"
    join(*invitations.parse_token(by_ann))


def test_block_applies_to_bots_of_the_blocked_member(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    bot = bots.create_bot(world, ben, "benbot", "Bot").uid
    world.block(ann, "ben")
    for forbidden in (
        lambda: send_messages(world, bot, direct_id(ann, bot), "hello"),
        lambda: send_messages(world, ann, direct_id(ann, bot), "hello"),
        lambda: group(world, ben, [ann]),
        lambda: group(world, ann, [bot]),
    ):
        with pytest.raises(Forbidden):
            forbidden()


def test_bot_never_owns_a_group_and_leaves_with_the_last_person(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    bot = bots.create_bot(world, ann, "annbot", "Bot").uid
    cid = group(world, ann, [bot, ben])
    other = group(world, ann)
    membership.add(world, ann, other, [bot])
    membership.leave(world, ann, cid)
    assert owners(world.db, cid) == {ben}
    membership.leave(world, ben, cid)
    world.do(membership.leave, ann, other)
    for deleted in (cid, other):
        world.refuses(NotFound, sending.send, bot, deleted, draft("anybody?"), key())
    assert listing.inbox(world.db, bot) == []


def test_only_owners_edit_in_an_announcement_group(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    [number] = send_messages(world, ben, cid, "before")
    group_chats.change(world, ann, cid, kind="announcement")
    assert refusal(lambda: sending.edit(world, ben, cid, number, "after")) == "only_owners"
    sending.delete(world, ben, cid, number)


def test_quiet_visit_marks_messages_as_read(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    world.do(send_messages, ann, cid, "hello")
    chat_state.accept_request(world.db, ben, cid)
    chat_state.mark_seen_page(world.db, ben, cid, 1, 0, quiet=True)
    assert unread(world.db, ben) == {cid: 0}
    assert world.db.read(reading.open_page(ben, cid, size=9)).last_read == 1


def test_inviting_unknown_or_too_many_members_is_refused(world: World) -> None:
    [ann] = world.people("ann")
    world.refuses(NotFound, group, ann, [999])
    with pytest.raises(Conflict):
        group(with_settings(world, chat_members_max=1), ann, world.people("ben"))
