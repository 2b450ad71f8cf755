"""Private mentions in the store: whom they concern, by conversation, and what is left of them."""

import pytest

from tests.support import worker
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.core.errors import NotFound
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.private_mentions import keys, store


def mention(site: Site, uid: int, text: str, reply: int | None = None) -> int:
    """Post a private mention."""
    return statuses.post(
        site, uid, parse(text), f"form-{text}", reply=reply, visibility=Visibility.MENTIONED
    )


def shown(site: Site, uid: int) -> list[tuple[int, bool]]:
    """Return the newest status of each conversation of a member, and whether it is unread."""
    return [(one.last_id, one.unread) for one in site.db.read(store.conversations_of(uid))]


def listed(site: Site, uid: int) -> list[int]:
    """Return the private mentions that a member's page shows."""
    return [item.id for item in store.private_page(site, uid, None).items]


def test_a_conversation_is_one_of_the_same_people_in_a_thread(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    first = mention(world, ann, "@ben one")
    answer = mention(world, ben, "two", first)
    to_three = mention(world, ann, "@ben @cid three", answer)
    for visibility in (Visibility.PUBLIC, Visibility.FOLLOWERS):
        world.post(ann, "@ben", visibility=visibility)
    world.apply_events()
    assert shown(world, ann) == [(to_three, False), (answer, True)]
    assert shown(world, ben) == [(to_three, True), (answer, False)]
    assert shown(world, cid) == [(to_three, True)]
    assert listed(world, ben) == [to_three, answer, first]
    [unread] = world.db.read(store.conversations_of(cid))
    store.mark_read(world, cid, unread)
    assert shown(world, cid) == [(to_three, False)]
    newer = world.do(mention, ben, "@ann @cid four", to_three)
    assert shown(world, cid) == [(newer, True)]


def test_what_is_deleted_gives_way_to_what_was_before_it(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    first = mention(world, ann, "@ben one")
    answer = world.do(mention, ben, "two", first)
    world.do(statuses.delete, ben, answer)
    assert shown(world, ann) == [(first, False)]
    [one] = world.db.read(store.conversations_of(ben))
    store.remove(world.db, ben, one)
    assert shown(world, ben) == [] and shown(world, ann) == [(first, False)]
    with pytest.raises(NotFound):
        store.find_conversation(world.db, ben, one.number)
    again = world.do(mention, ann, "@ben three", first)
    assert shown(world, ben) == [(again, True)]


def test_who_may_not_see_it_is_shown_none_of_it(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    posted = world.do(mention, ann, "@ben @cid hello")
    revision = world.status(posted, ann).revision
    world.do(editing.edit, ann, posted, parse("@cid hello"), "", revision)
    assert listed(world, ben) == [] and listed(world, cid) == [posted]
    assert len(shown(world, ann)) == 1
    world.block(cid, "ann")
    assert listed(world, cid) == []


def test_an_edit_moves_it_to_the_conversation_of_those_whom_it_names_now(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    posted = world.do(mention, ann, "@ben hello")
    revision = world.status(posted, ann).revision
    world.do(editing.edit, ann, posted, parse("@ben @cid hello"), "", revision)
    assert listed(world, ben) == listed(world, cid) == [posted]
    everyone = [world.db.read(store.conversations_of(uid)) for uid in (ann, ben, cid)]
    assert {one.number for [one] in everyone} == {everyone[0][0].number}
    answer = world.do(mention, cid, "@ann @ben hello", posted)
    assert shown(world, ben) == [(answer, True)]


def test_the_list_is_bounded_and_goes_with_the_account(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    posted = [mention(world, ann, f"@ben {number}") for number in range(3)]
    worker.drain(with_settings(world, private_mentions_max=2))
    assert listed(world, ben) == posted[:0:-1]
    for one in world.db.read(store.conversations_of(ben)):
        store.mark_read(world, ben, one)
    world.do(World.delete_account, ben, None)
    names = (keys.private_mentions(ben), keys.read_conversations(ben))
    assert world.db.trip(*(("EXISTS", name) for name in names)) == [0, 0]
