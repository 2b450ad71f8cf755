"""What one member can do to another, or to the site, by making many chats: bounds, blocks, and who stays outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.chat import badge, draft, group, key, say, unread
from webapp.chat import keys as chat_keys
from webapp.chat.bots import store as bots
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import groups, invitations, membership
from webapp.chat.messages import reading, sending
from webapp.config import Config, Rate
from webapp.core.store.client import Db
from webapp.errors import Conflict, Forbidden, NotFound, RateLimited, Refused
from webapp.following import store as following
from webapp.following.blocks import store as blocks

People = Callable[..., list[int]]
Settle = Callable[[], None]


def refusal(act: Callable[[], object]) -> str:
    """Why an act is refused."""
    with pytest.raises(Refused) as caught:
        act()
    return caught.value.code


def test_nobody_has_more_chats_than_anyone_may(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    few = replace(config, chats_max=3)
    ann, ben = people("ann", "ben")
    following.follow(db, few, ben, "ann")
    cids = [group(db, few, ann) for _ in range(2)]
    say(db, few, ann, direct_id(ann, ben), "hello")
    settle()
    assert refusal(lambda: group(db, few, ann)) == "chats_full"
    [eve] = people("eve")
    assert refusal(lambda: say(db, few, ann, direct_id(ann, eve), "hello")) == "chats_full"
    pond = group(db, few, eve, kind="open")
    assert refusal(lambda: membership.join(db, few, ann, pond)) == "chats_full"
    assert say(db, few, ann, direct_id(ann, ben), "still here") == [2]
    membership.leave(db, few, ann, cids[0])
    settle()
    membership.join(db, few, ann, pond)


def test_strangers_fill_ones_requests_and_nothing_else(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    few = replace(config, chats_max=3, chat_requests_max=2)
    ann, ben, eve = people("ann", "ben", "eve")
    following.follow(db, few, ben, "ann")
    for _ in range(2):
        group(db, few, eve, [ben])
    settle()
    assert refusal(lambda: group(db, few, eve, [ben])) == "their_chats_full"
    assert refusal(lambda: say(db, few, eve, direct_id(eve, ben), "hello")) == "their_chats_full"
    say(db, few, ann, direct_id(ann, ben), "hello")
    cids = [group(db, few, ann, [ben]) for _ in range(2)]
    settle()
    assert badge(db, ben) == 1 and len(unread(db, ben)) == 5
    membership.leave(db, few, ann, cids[0])
    settle()
    assert refusal(lambda: group(db, few, ann, [ben])) == "their_chats_full"


def test_who_writes_to_many_strangers_has_to_wait(db: Db, config: Config, people: People) -> None:
    slow = replace(config, limit_group=Rate(2, 3600))
    ann, *strangers = people("ann", "ben", "cem", "dan")
    for other in strangers[:2]:
        say(db, slow, ann, direct_id(ann, other), "hello", "are you there?")
    with pytest.raises(RateLimited):
        say(db, slow, ann, direct_id(ann, strangers[2]), "hello")
    following.follow(db, slow, strangers[2], "ann")
    say(db, slow, ann, direct_id(ann, strangers[2]), "hello")


def test_an_ignored_chat_is_off_the_list_until_one_writes_in_it(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    say(db, config, ann, cid, "hello")
    settle()
    chat_state.ignore_request(db, config, ben, cid)
    say(db, config, ann, cid, "hello?")
    settle()
    assert listing.inbox(db, ben) == [] and not db.run(("EXISTS", chat_keys.member_chat_state(ben)))
    assert refusal(lambda: chat_state.ignore_request(db, config, ben, cid)) == "no_chat"
    chat_state.mark_read(db, ben, cid, 2)
    say(db, config, ben, cid, "now I have time")
    say(db, config, ann, cid, "good")
    settle()
    assert unread(db, ben) == {cid: 1} and not listing.inbox(db, ben)[0].request_state


def test_a_group_one_ignores_is_left(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    settle()
    chat_state.ignore_request(db, config, ben, cid)
    settle()
    assert listing.inbox(db, ben) == [] and [
        one.member.uid for one in membership.list_members(db, cid)
    ] == [ann]


def test_who_was_taken_out_comes_back_only_with_an_owner(
    db: Db, config: Config, people: People
) -> None:
    ann, ben, cem = people("ann", "ben", "cem")
    cid = group(db, config, ann, [ben, cem], kind="open")
    own, others = (invitations.create(db, config, uid, cid, 5, 1) for uid in (ben, cem))
    membership.remove(db, config, ann, cid, ben)
    assert (
        refusal(lambda: db.read(invitations.invited_chat(own))) == "chat_invite_bad"
    )  # what they made is worth nothing
    for way in ((cid,), invitations.parse_token(own), invitations.parse_token(others)):
        assert refusal(lambda way=way: membership.join(db, config, ben, *way)) == "taken_out"  # type: ignore[misc]
    assert refusal(lambda: membership.add(db, config, cem, cid, [ben])) == "only_owners"
    membership.add(db, config, ann, cid, [ben])
    membership.leave(db, config, ben, cid)  # which one may undo oneself
    membership.join(db, config, ben, cid)
    groups.delete(db, config, ann, cid)
    assert not [name for name in db.on_every_primary("KEYS", f"chat:*:{cid}*")[0] if name]


def test_an_invitation_does_not_lead_past_a_block(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann)
    token = invitations.create(db, config, ann, cid, 5, 1)
    blocks.block(db, config, ann, "ben")
    assert (
        refusal(lambda: membership.join(db, config, ben, *invitations.parse_token(token)))
        == "chat_invite_bad"
    )
    blocks.unblock(db, config, ann, "ben")
    membership.join(db, config, ben, *invitations.parse_token(token))


def test_a_block_holds_for_ones_bots_too(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    bot = bots.create_bot(db, config, ben, "benbot", "Bot").uid
    blocks.block(db, config, ann, "ben")
    for act in (
        lambda: say(db, config, bot, direct_id(ann, bot), "hello"),
        lambda: say(db, config, ann, direct_id(ann, bot), "hello"),
        lambda: group(db, config, ben, [ann]),
        lambda: group(db, config, ann, [bot]),
    ):
        with pytest.raises(Forbidden):
            act()


def test_a_bot_inherits_no_chat_and_goes_with_the_last_of_the_people(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    bot = bots.create_bot(db, config, ann, "annbot", "Bot").uid
    cid = group(db, config, ann, [bot, ben])
    other = group(db, config, ann)
    membership.add(db, config, ann, other, [bot])
    membership.leave(db, config, ann, cid)
    assert {one.member.uid for one in membership.list_members(db, cid) if one.is_owner} == {ben}
    membership.leave(db, config, ben, cid)
    membership.leave(db, config, ann, other)
    settle()
    for gone in (cid, other):
        with pytest.raises(NotFound):
            sending.send(db, config, bot, gone, draft("anybody?"), key())
    assert listing.inbox(db, bot) == []


def test_where_only_owners_write_nobody_else_edits_either(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    [number] = say(db, config, ben, cid, "before")
    groups.change(db, config, ann, cid, kind="announcement")
    assert refusal(lambda: sending.edit(db, config, ben, cid, number, "after")) == "only_owners"
    sending.delete(db, config, ben, cid, number)


def test_a_look_that_is_told_to_nobody_is_a_look(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    say(db, config, ann, cid, "hello")
    settle()
    chat_state.accept_request(db, ben, cid)
    chat_state.mark_seen_page(db, ben, cid, 1, quiet=True)
    assert (
        unread(db, ben) == {cid: 0} and db.read(reading.open_page(ben, cid, size=9)).last_read == 1
    )


def test_who_cannot_be_found_cannot_be_asked(db: Db, config: Config, people: People) -> None:
    [ann] = people("ann")
    with pytest.raises(NotFound):
        group(db, config, ann, [999])
    with pytest.raises(Conflict):
        group(db, replace(config, chat_members_max=1), ann, people("ben"))
