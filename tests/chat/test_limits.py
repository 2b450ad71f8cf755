"""Limits on chats and requests, and what blocks, removals and ignored chats prevent."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.chat import badge, draft, group, key, owners, send_messages, uids, unread
from tests.support.settings import with_settings
from webapp.chat import reading
from webapp.chat.bots import store as bots
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.members import groups, invitations, membership
from webapp.chat.messages import sending
from webapp.config import Rate
from webapp.core.errors import Conflict, Forbidden, NotFound, RateLimited, Refused
from webapp.core.site import Site
from webapp.following import store as following
from webapp.following.blocks import store as blocks


def refusal(call: Callable[[], object]) -> str:
    """Return the code of the error that a call raises."""
    with pytest.raises(Refused) as caught:
        call()
    return caught.value.code


def test_number_of_chats_is_limited(site: Site, people: People, apply_events: ApplyEvents) -> None:
    few = with_settings(site, chats_max=3)
    ann, ben = people("ann", "ben")
    following.follow(few, ben, "ann")
    cids = [group(few, ann) for _ in range(2)]
    send_messages(few, ann, direct_id(ann, ben), "hello")
    apply_events()
    assert refusal(lambda: group(few, ann)) == "chats_full"
    [eve] = people("eve")
    assert refusal(lambda: send_messages(few, ann, direct_id(ann, eve), "hello")) == "chats_full"
    pond = group(few, eve, kind="open")
    assert refusal(lambda: membership.join(few, ann, pond)) == "chats_full"
    assert send_messages(few, ann, direct_id(ann, ben), "still here") == [2]
    membership.leave(few, ann, cids[0])
    apply_events()
    membership.join(few, ann, pond)


def test_number_of_requests_is_limited_separately(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    few = with_settings(site, chats_max=3, chat_requests_max=2)
    ann, ben, eve = people("ann", "ben", "eve")
    following.follow(few, ben, "ann")
    for _ in range(2):
        group(few, eve, [ben])
    apply_events()
    assert refusal(lambda: group(few, eve, [ben])) == "their_chats_full"
    assert (
        refusal(lambda: send_messages(few, eve, direct_id(eve, ben), "hello")) == "their_chats_full"
    )
    send_messages(few, ann, direct_id(ann, ben), "hello")
    cids = [group(few, ann, [ben]) for _ in range(2)]
    apply_events()
    assert badge(site.db, ben) == 3 and len(unread(site.db, ben)) == 5
    membership.leave(few, ann, cids[0])
    apply_events()
    assert refusal(lambda: group(few, ann, [ben])) == "their_chats_full"


def test_writing_to_strangers_is_rate_limited(site: Site, people: People) -> None:
    slow = with_settings(site, limit_group=Rate(2, 3600))
    ann, *strangers = people("ann", "ben", "cem", "dan")
    for other in strangers[:2]:
        send_messages(slow, ann, direct_id(ann, other), "hello", "are you there?")
    with pytest.raises(RateLimited):
        send_messages(slow, ann, direct_id(ann, strangers[2]), "hello")
    following.follow(slow, strangers[2], "ann")
    send_messages(slow, ann, direct_id(ann, strangers[2]), "hello")


def test_ignored_chat_is_unlisted_until_the_member_writes(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    send_messages(site, ann, cid, "hello")
    apply_events()
    chat_state.ignore_request(site, ben, cid)
    send_messages(site, ann, cid, "hello?")
    apply_events()
    assert listing.inbox(site.db, ben) == [] and not site.db.run(
        ("EXISTS", inbox_keys.member_chat_state(ben))
    )
    assert refusal(lambda: chat_state.ignore_request(site, ben, cid)) == "no_chat"
    chat_state.mark_read(site.db, ben, cid, 2)
    send_messages(site, ben, cid, "now I have time")
    send_messages(site, ann, cid, "good")
    apply_events()
    assert unread(site.db, ben) == {cid: 1} and not listing.inbox(site.db, ben)[0].request_state


def test_ignoring_a_group_leaves_it(site: Site, people: People, apply_events: ApplyEvents) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    apply_events()
    chat_state.ignore_request(site, ben, cid)
    apply_events()
    assert listing.inbox(site.db, ben) == [] and uids(site.db, cid) == [ann]


def test_removed_member_returns_only_through_an_owner(site: Site, people: People) -> None:
    ann, ben, cem = people("ann", "ben", "cem")
    cid = group(site, ann, [ben, cem], kind="open")
    by_ben, by_cem = (invitations.create(site, uid, cid, 5, 1) for uid in (ben, cem))
    membership.remove(site, ann, cid, ben)
    # The links that ben created are void.
    assert refusal(lambda: site.db.read(invitations.invited_chat(by_ben))) == "chat_invite_bad"
    for chat in ((cid,), invitations.parse_token(by_ben), invitations.parse_token(by_cem)):
        assert refusal(partial(membership.join, site, ben, *chat)) == "taken_out"
    assert refusal(lambda: membership.add(site, cem, cid, [ben])) == "only_owners"
    membership.add(site, ann, cid, [ben])
    membership.leave(site, ben, cid)  # a member who left may come back
    membership.join(site, ben, cid)
    groups.delete(site, ann, cid)
    assert not [name for name in site.db.on_every_primary("KEYS", f"chat:*:{cid}*")[0] if name]


def test_block_voids_an_invitation(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann)
    token = invitations.create(site, ann, cid, 5, 1)
    blocks.block(site, ann, "ben")
    join = partial(membership.join, site, ben, *invitations.parse_token(token))
    assert refusal(join) == "chat_invite_bad"
    blocks.unblock(site, ann, "ben")
    join()


def test_block_applies_to_bots_of_the_blocked_member(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    bot = bots.create_bot(site, ben, "benbot", "Bot").uid
    blocks.block(site, ann, "ben")
    for forbidden in (
        lambda: send_messages(site, bot, direct_id(ann, bot), "hello"),
        lambda: send_messages(site, ann, direct_id(ann, bot), "hello"),
        lambda: group(site, ben, [ann]),
        lambda: group(site, ann, [bot]),
    ):
        with pytest.raises(Forbidden):
            forbidden()


def test_bot_never_owns_a_group_and_leaves_with_the_last_person(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    bot = bots.create_bot(site, ann, "annbot", "Bot").uid
    cid = group(site, ann, [bot, ben])
    other = group(site, ann)
    membership.add(site, ann, other, [bot])
    membership.leave(site, ann, cid)
    assert owners(site.db, cid) == {ben}
    membership.leave(site, ben, cid)
    membership.leave(site, ann, other)
    apply_events()
    for deleted in (cid, other):
        with pytest.raises(NotFound):
            sending.send(site, bot, deleted, draft("anybody?"), key())
    assert listing.inbox(site.db, bot) == []


def test_only_owners_edit_in_an_announcement_group(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    [number] = send_messages(site, ben, cid, "before")
    groups.change(site, ann, cid, kind="announcement")
    assert refusal(lambda: sending.edit(site, ben, cid, number, "after")) == "only_owners"
    sending.delete(site, ben, cid, number)


def test_quiet_visit_marks_messages_as_read(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    send_messages(site, ann, cid, "hello")
    apply_events()
    chat_state.accept_request(site.db, ben, cid)
    chat_state.mark_seen_page(site.db, ben, cid, 1, 0, quiet=True)
    assert unread(site.db, ben) == {cid: 0}
    assert site.db.read(reading.open_page(ben, cid, size=9)).last_read == 1


def test_inviting_unknown_or_too_many_members_is_refused(site: Site, people: People) -> None:
    [ann] = people("ann")
    with pytest.raises(NotFound):
        group(site, ann, [999])
    with pytest.raises(Conflict):
        group(with_settings(site, chat_members_max=1), ann, people("ben"))
