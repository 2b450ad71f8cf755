"""Invitations to groups, by name and by link."""

import re

import pytest

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import NEW, members
from tests.support.concurrently import concurrently
from tests.support.moderators import as_moderator
from tests.support.world import Web, World
from webapp.accounts.renaming import store as renaming
from webapp.community.groups import keys, lookup, store
from webapp.community.groups.invitations import store as invitations
from webapp.core.errors import Conflict, Forbidden, NotFound, Refused
from webapp.core.store import Site
from webapp.moderation import acting
from webapp.notifications import store as notifications
from webapp.notifications.entries import Entry
from webapp.notifications.kinds import KINDS
from webapp.notifications.store import entries_of
from webapp.statuses.visibility.groups import GroupKind

CLOSED, OPEN, ANNOUNCEMENTS = GroupKind.CLOSED, GroupKind.OPEN, GroupKind.ANNOUNCEMENTS


def notices(site: Site, uid: int, kind: str = "invited") -> list[Entry]:
    return [one for one in site.db.read(entries_of(uid)) if one.kind.name == kind]


def invited_to(site: Site, uid: int) -> list[int]:
    return [one.gid for one in lookup.groups_page(site.db, uid).invited]


def test_an_invited_member_joins_a_closed_group_without_asking(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, kind=CLOSED)
    world.refuses(Forbidden, invitations.invite, ben, gid, ["cat"])
    assert invitations.invite(world, ann, gid, ["ben", "cat"]) == 1, "ben is in it"
    assert invitations.invite(world, ann, gid, ["cat"]) == 0, "again"
    world.apply_events()
    assert invited_to(world, cat) == [gid]
    assert [(one.actor, one.own) for one in notices(world, cat)] == [(ann, str(gid))]
    assert [one.login for one, _ in invitations.waiting(world.db, gid).members] == ["cat"]
    assert store.join(world, cat, gid)
    world.apply_events()
    assert members(world, gid) == [ann, ben, cat]
    assert invited_to(world, cat) == notices(world, cat) == []


def test_an_act_with_the_number_of_a_group_does_not_lead_there(
    world: World, make_group: MakeGroup
) -> None:
    ann, cat = world.people("ann", "cat")
    gid = make_group(ann)
    world.do(invitations.invite, ann, gid, ["cat"])
    assert acting.act(world, as_moderator(world, ann), cat, "limit", "Too loud.") == gid
    world.apply_events()
    page = notifications.page(world.db, cat, KINDS, None, 30, False)
    named = {group.kind.name: group.invited_to for group in page.items}
    assert named["moderated"] == "" and named["invited"]


def test_news_of_a_group_go_when_it_closes(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, kind=CLOSED)
    world.do(invitations.invite, ann, gid, ["cat"])
    read = lambda uid: notifications.page(world.db, uid, KINDS, None, 30, False).items
    assert [one.invited_to for uid in (ben, cat) for one in read(uid)] == ["Birders", "Birders"]
    world.do(store.close, ann, gid)
    assert read(ben) == read(cat) == ()


def test_an_invitation_ends_with_the_right_of_who_made_it(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, kind=CLOSED)
    store.set_owner(world, ann, gid, ben, is_owner=True)
    world.do(invitations.invite, ben, gid, ["cat"])
    store.set_owner(world, ben, gid, ben, is_owner=False)
    assert invited_to(world, cat) == []
    assert not world.db.read(lookup.group(gid, cat)).is_invited
    assert world.do(invitations.invite, ann, gid, ["cat"]) == 1
    assert invited_to(world, cat) == [gid] and world.db.read(lookup.group(gid, cat)).is_invited
    assert [one.actor for one in notices(world, cat)] == [ann]
    assert store.join(world, cat, gid)


def test_an_invitation_is_declined_or_revoked(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben)
    world.do(invitations.invite, ben, gid, ["cat"])
    world.do(invitations.end, cat, gid, f"@{cat}")
    assert invited_to(world, cat) == notices(world, cat) == []
    invitations.invite(world, ben, gid, ["cat"])
    world.do(invitations.end, ann, gid, f"@{cat}")
    assert invited_to(world, cat) == notices(world, cat) == []


def test_who_asked_to_join_is_told_once_an_owner_has_accepted(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, kind=CLOSED)
    for uid, accept in ((ben, True), (cat, False)):
        store.join(world, uid, gid)
        world.do(store.answer, ann, gid, uid, accept=accept)
    expected = [(ben, str(gid))]
    assert [(one.actor, one.own) for one in notices(world, ben, "group_accepted")] == expected
    assert notices(world, cat, "group_accepted") == []
    world.do(store.leave, ben, gid)
    assert notices(world, ben, "group_accepted") == []
    store.join(world, ben, gid)
    world.do(store.answer, ann, gid, ben, accept=True)
    assert notices(world, ben, "group_accepted"), "once more, for another request"


def test_who_is_banned_or_blocked_is_not_invited(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, kind=CLOSED)
    invitations.invite(world, ann, gid, ["ben"])
    world.do(store.remove, ann, gid, ben, "ban")
    assert invited_to(world, ben) == notices(world, ben) == []
    world.refuses(Conflict, invitations.invite, ann, gid, ["ben"])
    world.do(World.block, cat, "ann")
    world.refuses(Forbidden, invitations.invite, ann, gid, ["cat"])
    world.unblock(cat, "ann")
    world.block(ann, "cat")
    world.refuses(Forbidden, invitations.invite, ann, gid, ["cat"])
    world.refuses(NotFound, invitations.invite, ann, gid, ["nobody"])


def test_an_invitation_ends_when_its_maker_may_not_invite(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, kind=CLOSED)
    store.set_owner(world, ann, gid, ben, is_owner=True)
    _, secret = invitations.parse_token(invitations.make_link(world, ben, gid, 5, 1))
    invitations.invite(world, ben, gid, ["cat"])
    store.set_owner(world, ben, gid, ben, is_owner=False)
    assert not store.join(world, cat, gid), "a request"
    world.refuses(Forbidden, store.join, cat, gid, secret)


def test_a_suspended_maker_and_one_behind_a_block_let_nobody_in(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, kind=CLOSED)
    _, secret = invitations.parse_token(invitations.make_link(world, ann, gid, 5, 1))
    follow = lambda: invitations.require_link(world.db, cat, gid, secret)
    world.do(invitations.invite, ann, gid, ["ben"])
    for begin, end in (
        (lambda: world.suspend(ann), lambda: world.suspend(ann, False)),
        (lambda: world.block(ann, "cat"), lambda: world.unblock(ann, "cat")),
        (lambda: world.block(cat, "ann"), lambda: world.unblock(cat, "ann")),
    ):
        begin()
        world.refuses(Forbidden, store.join, cat, gid, secret)
        with pytest.raises(Forbidden):
            follow()
        end()
        follow()
    world.suspend(ben)
    assert invitations.waiting(world.db, gid).members == [], "who is suspended is not shown"
    world.suspend(ben, False)
    world.suspend(ann)
    assert not store.join(world, ben, gid), "a request, though he was invited by name"
    world.apply_events()
    assert invited_to(world, ben) == notices(world, ben) == []
    world.suspend(ann, False)
    assert store.join(world, cat, gid, secret)


def test_a_link_leads_in_as_often_as_it_says(world: World, make_group: MakeGroup) -> None:
    ann, *others = world.people("ann", *(f"member{n}" for n in range(20)))
    gid = make_group(ann, kind=CLOSED)
    _, secret = invitations.parse_token(invitations.make_link(world, ann, gid, 5, 1))
    assert secret not in str(world.db.run(("HGETALL", keys.group_invitations(gid))))
    joined = concurrently(lambda n: store.join(world, others[n], gid, secret), len(others))
    assert joined.count(True) == 5 and joined.count("group_invite_bad") == 15
    assert len(members(world, gid)) == 6
    with pytest.raises(Refused):
        invitations.require_link(world.db, others[0], gid, secret)
    world.refuses(Forbidden, store.join, others[joined.index("group_invite_bad")], gid, "wrong")


def test_invitations_are_bounded(
    world: World, make_group: MakeGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, _cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben)
    monkeypatch.setattr(invitations, "OWN_MAX", 1)
    monkeypatch.setattr(invitations, "ALL_MAX", 2)
    invitations.make_link(world, ann, gid, 1, 1)
    world.refuses(Conflict, invitations.invite, ann, gid, ["cat"])
    invitations.make_link(world, ben, gid, 1, 0)
    invitations.make_link(world, ben, gid, 1, 1)
    assert world.db.run(("HLEN", keys.group_invitations(gid))) == 2, "the ended one went"


def test_a_deleted_account_leaves_no_invitation(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben)
    world.do(invitations.invite, ben, gid, ["cat"])
    world.do(World.delete_account, cat, None)
    assert world.db.run(("HGETALL", keys.group_invitations(gid))) == []
    assert world.db.run(("ZCARD", keys.group_invited(ben))) == 0
    assert world.db.run(("ZCARD", keys.invited_to(cat))) == 0


def test_the_pages_of_invitations(web: Web) -> None:
    ann, ben, cat = web.member("ann"), web.member("ben"), web.member("cat")
    ann.post("/groups/new", data=NEW | {"kind": "closed"})
    path = "/groups/birders/invitations"
    assert ben.get(path).status_code == 403
    assert "Invite people" in ann.get("/groups/birders/members").text
    assert "@ben" in ann.post(path, data={"q": "ben", "find": "1"}).text
    assert ann.post(path, data={}).status_code == 422
    assert ann.post(path, data={"people": "nobody"}).status_code == 404
    assert ann.post(path, data={"people": ["ben", "cat"]}).location == path
    assert "Birders" in ben.get("/notifications").text
    for page in ("/groups", "/groups/birders"):
        assert "Accept the invitation to Birders" in ben.get(page).text
    assert ben.post("/groups/birders/join").status_code == 303
    assert ben.get("/groups/birders/members").status_code == 200
    assert cat.post(f"{path}/decline").location == "/groups"
    assert "Birders" not in cat.get("/notifications").text
    assert "Accept the invitation" not in cat.get("/groups").text
    made = ann.post(f"{path}/link", data={"uses": "1", "hours": "1"})
    link = re.search(r"<code>\w+://[^/]+(/groups/join/[^<]+)</code>", made.text)
    assert made.status_code == 201 and link
    assert ann.post(f"{path}/link", data={"uses": "0", "hours": "1"}).status_code == 422
    assert "Join group" in cat.get(link[1]).text
    assert cat.post(link[1]).location == "/groups/1"
    assert web.member("dan").get(link[1]).status_code == 403, "it is used up"
    for wrong in ("x", "1.", ".x", "99.x", "1.x", "1x.y"):
        assert cat.get(f"/groups/join/{wrong}").status_code in (403, 404)
    target = {"target": "wrong"}
    assert ann.post(f"{path}/end", data=target).location == path


def test_a_member_who_is_named_by_an_old_and_a_new_username_is_invited_once(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann)
    world.do(renaming.rename, ben, "bo")
    assert world.do(invitations.invite, ann, gid, ["ben", "bo"]) == 1
