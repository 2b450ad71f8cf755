"""A muted conversation notifies about none of its posts, however deep they are."""

import pytest

from tests.support.concurrently import at_once
from tests.support.notified import notified
from tests.support.pages import post_status
from tests.support.world import Web, World
from webapp.core.errors import NotFound
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.compose.further_posts import FurtherPost
from webapp.statuses.edits import editing
from webapp.statuses.threads import conversations, keys
from webapp.statuses.threads.replies import ANCESTORS_MAX


def test_nothing_notifies_about_a_muted_conversation_until_it_is_unmuted(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    root = world.post(ben, "who is going?")
    own = world.post(ann, "me", reply=root)
    earlier = world.post(ben, "when?", reply=own)
    world.apply_events()
    before = [("reply", ben, earlier)]
    assert notified(world.db, ann) == before

    conversations.mute(world, ann, earlier)
    world.like(ben, own)
    world.boost(ben, own, "")
    reply = world.post(ben, "at eight?", reply=own)
    world.post(ben, "@ann please", reply=root)
    quote = world.post(ben, "look", quote=own)
    world.do(editing.edit, ben, quote, parse("look here"), "", "")
    assert notified(world.db, ann) == before, "earlier ones stay"
    assert notified(world.db, ben) == [("reply", ann, own)], "only the member who mutes"
    other = world.post(ben, "@ann another conversation")
    world.apply_events()
    assert notified(world.db, ann) == [("mention", ben, other), *before]

    conversations.unmute(world, ann, reply)
    late = world.post(ben, "still?", reply=own)
    world.apply_events()
    assert notified(world.db, ann)[0] == ("reply", ben, late)


def test_a_conversation_is_one_however_deep_it_is(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    parts = [FurtherPost(parse(f"part {number}")) for number in range(ANCESTORS_MAX + 4)]
    first = world.post(ann, "first", more=parts[:-1])
    world.apply_events()
    path = world.db.run(("ZRANGE", keys.thread(first), -1, -1))[0]
    deepest = int(path.rpartition("/")[2].partition(".")[0])
    while replies := world.db.run(("ZRANGE", keys.replies(deepest), 0, 0)):
        deepest = int(replies[0])
    conversations.mute(world, ann, first)
    reply = world.post(ben, "deep", reply=deepest)
    world.post(ben, "deeper", reply=reply)
    world.like(ben, deepest)
    assert world.db.run(("HGET", status_keys.status(reply), "root")) == str(first)
    world.apply_events()
    assert notified(world.db, ann) == []


def test_at_the_bound_the_oldest_is_unmuted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, *_ = world.people("ann", "ben")
    monkeypatch.setattr(conversations, "MUTED_CONVERSATIONS_MAX", 2)
    ids = [world.post(ann, f"number {number}") for number in range(3)]
    at_once(10, lambda _: conversations.mute(world, ann, ids[0]), range(50))
    for status_id in ids:
        conversations.mute(world, ann, status_id)
    muted = world.db.run(("ZRANGE", keys.muted_conversations(ann), 0, -1))
    assert list(map(int, muted)) == ids[1:]
    world.delete_account(ann, None)


def test_who_may_not_see_a_post_cannot_mute_its_conversation(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    hidden = world.post(ann, "secret", visibility=Visibility.MENTIONED)
    for status_id in (hidden, 64):
        for act in (conversations.mute, conversations.unmute):
            world.refuses(NotFound, act, ben, status_id)


def test_pages_say_that_a_conversation_is_muted(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    root = post_status(ann, "hello")
    page, menu = f"/@ann/{root}", f"/@ann/{root}/menu"
    assert "Mute conversation" in ann.get(menu).text
    assert ann.post(f"/statuses/{root}/mute").status_code == 303
    assert "You muted this conversation" in ann.get(page).text
    assert "Unmute conversation" in ann.get(menu).text
    for browser in (ben, web.client):
        assert "You muted" not in browser.get(page).text
        assert "Unmute conversation" not in browser.get(menu).text
    ann.post(f"/statuses/{root}/unmute", data={"next": page})
    assert "You muted this conversation" not in ann.get(page).text
