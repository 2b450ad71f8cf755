"""The chat of a group: who enters it, and that nobody stays who has left the group."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from flask.testing import FlaskClient

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import NEW
from tests.support.chat import all_messages, draft, key, owners, remaining_keys, texts, uids
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.chat.inbox import listing
from webapp.chat.members import group_chats, invitations, membership
from webapp.chat.messages import sending
from webapp.community.groups import chat, store
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Site
from webapp.statuses.visibility import keys as group_keys
from webapp.statuses.visibility.groups import GroupKind

CLOSED = GroupKind.CLOSED


def chat_of(site: Site, gid: int) -> str:
    return str(site.db.run(("HGET", group_keys.group(gid), "chat")))


def listed(site: Site, uid: int) -> list[str]:
    return [entry.cid for entry in site.db.read(listing.list_entries(uid))]


def test_members_of_a_group_enter_its_chat(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, kind=CLOSED)
    world.refuses(NotFound, chat.enter, ben, gid)
    world.refuses(Forbidden, chat.start, ben, gid)
    chat.start(world, ann, gid)
    chat.start(world, ann, gid)
    cid = chat_of(world, gid)
    sending.send(world, ann, cid, draft("hello"), key())
    assert chat.enter(world, ben, gid) == chat.enter(world, ben, gid) == cid
    world.apply_events()
    assert uids(world.db, cid) == [ann, ben] and owners(world.db, cid) == {ann}
    assert texts(all_messages(world.db, ben, cid)) == ["hello"], "newcomers see what was before"
    assert listed(world, ann) == listed(world, ben) == [cid]
    world.refuses(Forbidden, chat.enter, cat, gid)


@pytest.mark.parametrize(
    "end",
    [
        lambda site, ann, ben, gid: store.leave(site, ben, gid),
        lambda site, ann, ben, gid: store.remove(site, ann, gid, ben, "remove"),
        lambda site, ann, ben, gid: store.remove(site, ann, gid, ben, "ban"),
    ],
    ids=["leave", "remove", "ban"],
)
def test_who_is_no_longer_in_the_group_sees_nothing_from_then_on(
    world: World, make_group: MakeGroup, end: Callable[[Site, int, int, int], None]
) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben, kind=CLOSED)
    chat.start(world, ann, gid)
    cid = world.do(chat.enter, ben, gid)
    end(world, ann, ben, gid)
    with pytest.raises(Forbidden):
        all_messages(world.db, ben, cid)
    world.refuses(Forbidden, sending.send, ben, cid, draft("still here"), key())
    world.refuses(Forbidden, chat.enter, ben, gid)
    world.apply_events()
    assert listed(world, ben) == []


def test_nobody_comes_in_but_through_the_group(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben)
    chat.start(world, ann, gid)
    cid = chat.enter(world, ben, gid)
    for attempt in (
        lambda: membership.add(world, ann, cid, [cat]),
        lambda: invitations.create(world, ann, cid, 1, 1),
        lambda: membership.remove(world, ann, cid, ben),
        lambda: membership.promote(world.db, ann, cid, ben),
        lambda: group_chats.change(world, ann, cid, kind="open"),
        lambda: group_chats.delete(world, ann, cid),
    ):
        with pytest.raises(Conflict):
            attempt()
    group_chats.change(world, ann, cid, topic="hides")
    world.refuses(NotFound, membership.join, cat, cid)


def test_owners_of_the_group_own_its_chat(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, cat)
    chat.start(world, ann, gid)
    cid = chat.enter(world, ben, gid)
    for uid in (ben, cat):
        store.set_owner(world, ann, gid, uid, is_owner=True)
    assert owners(world.db, cid) == {ann, ben}
    chat.enter(world, cat, gid)
    store.set_owner(world, ben, gid, ben, is_owner=False)
    assert owners(world.db, cid) == {ann, cat}
    for uid in (ann, ben, cat):
        membership.leave(world, uid, cid)
    assert chat.enter(world, ben, gid) == cid, "it stays while it is empty"
    assert owners(world.db, cid) == set()


def test_a_chat_ends_with_its_group(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    for end in (chat.delete, store.close):
        gid = make_group(ann, ben, slug=f"group-{end.__name__}")
        chat.start(world, ann, gid)
        cid = chat.enter(world, ben, gid)
        sending.send(world, ben, cid, draft("hello"), key())
        end(world, ann, gid)
        with pytest.raises((Forbidden, NotFound)):
            all_messages(world.db, ben, cid)
        world.apply_events()
        assert not remaining_keys(world.db, cid)
        assert listed(world, ann) == listed(world, ben) == []


def test_a_deleted_account_leaves_the_chat_of_its_group(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben)
    chat.start(world, ann, gid)
    cid = world.do(chat.enter, ben, gid)
    world.do(World.delete_account, ann, None)
    assert uids(world.db, cid) == [ben] and owners(world.db, cid) == {ben}


def test_chats_of_groups_are_bounded_while_many_enter_and_are_removed(
    world: World, make_group: MakeGroup
) -> None:
    ann, *others = world.people("ann", *(f"m{number}" for number in range(20)))
    gid = make_group(ann, *others)
    small = with_settings(world, chat_members_max=12)
    chat.start(small, ann, gid)
    cid = chat_of(world, gid)

    def enter(uid: int) -> None:
        with suppress(Conflict, Forbidden):
            chat.enter(small, uid, gid)

    with ThreadPoolExecutor(10) as threads:
        removed = others[::4]
        removals = [threads.submit(store.remove, world, ann, gid, uid, "ban") for uid in removed]
        list(threads.map(enter, others))
        assert not [removal.result() for removal in removals if removal.result()]
    inside = uids(world.db, cid)
    assert len(inside) <= 12 and not set(inside) & set(removed)


def test_the_pages_of_a_groups_chat(ann: FlaskClient, ben: FlaskClient) -> None:
    ann.post("/groups/new", data=NEW)
    ben.post("/groups/birders/join")
    assert "/groups/birders/chat" not in ben.get("/groups/birders").text
    assert ben.post("/groups/birders/settings/chat", data={"chat": "start"}).status_code == 403
    assert ben.post("/groups/birders/chat").status_code == 404
    assert "Start a chat" in ann.get("/groups/birders/settings").text
    assert ann.post("/groups/birders/settings/chat", data={"chat": "start"}).status_code == 303
    assert "/groups/birders/chat" in ben.get("/groups/birders").text
    path = ben.post("/groups/birders/chat").location
    assert "/groups/birders" in ben.get(path).text
    people = ann.get(f"{path}/people").text
    assert "@ben" in people and "Add people" not in people and "Make owner" not in people
    settings = ann.get(f"{path}/settings").text
    assert "Delete group" not in settings and 'name="kind"' not in settings
    form = {"name": "Hides", "topic": "", "retention": "history"}
    assert ann.post(f"{path}/settings", data=form).status_code == 303
    assert "Hides" in ben.get(path).text
    ann.post("/groups/birders/settings", data={**NEW, "name": "Early birders", "rules": ""})
    assert "Early birders" in ben.get(path).text
    ben.post("/groups/birders/leave")
    assert ben.get(path).status_code == 404
    ann.post("/groups/birders/settings/chat", data={"chat": "delete"})
    assert ann.get(path).status_code == 404
