"""A muted conversation notifies about none of its posts, however deep they are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from flask.testing import FlaskClient

from tests.conftest import ApplyEvents, People, SignUp
from tests.support.notified import notified
from tests.support.pages import post_status
from webapp.accounts import lifecycle
from webapp.core.errors import NotFound
from webapp.core.site import Site
from webapp.core.text.parser import parse
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.compose.new_status import FurtherPost
from webapp.statuses.edits import editing
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.threads import conversations, keys
from webapp.statuses.threads.replies import ANCESTORS_MAX
from webapp.statuses.values.visibility import Visibility


def write(site: Site, uid: int, text: str, **options: object) -> int:
    """Post a status and return its id."""
    return statuses.post(site, uid, parse(text), f"form-{text}", **options)  # type: ignore[arg-type]


def test_nothing_notifies_about_a_muted_conversation_until_it_is_unmuted(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    root = write(site, ben, "who is going?")
    own = write(site, ann, "me", reply=root)
    earlier = write(site, ben, "when?", reply=own)
    apply_events()
    before = [("reply", ben, earlier)]
    assert notified(site.db, ann) == before

    conversations.mute(site, ann, earlier)
    likes.like(site, ben, own)
    boosts.boost(site, ben, own, "")
    reply = write(site, ben, "at eight?", reply=own)
    write(site, ben, "@ann please", reply=root)
    quote = write(site, ben, "look", quote=own)
    editing.edit(site, ben, quote, parse("look here"), "", "")
    apply_events()
    assert notified(site.db, ann) == before, "earlier ones stay"
    assert notified(site.db, ben) == [("reply", ann, own)], "only the member who mutes"
    other = write(site, ben, "@ann another conversation")
    apply_events()
    assert notified(site.db, ann) == [("mention", ben, other), *before]

    conversations.unmute(site, ann, reply)
    late = write(site, ben, "still?", reply=own)
    apply_events()
    assert notified(site.db, ann)[0] == ("reply", ben, late)


def test_a_conversation_is_one_however_deep_it_is(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    parts = [FurtherPost(parse(f"part {number}")) for number in range(ANCESTORS_MAX + 4)]
    first = write(site, ann, "first", more=parts[:-1])
    apply_events()
    path = site.db.run(("ZRANGE", keys.thread(first), -1, -1))[0]
    deepest = int(path.rpartition("/")[2].partition(".")[0])
    while replies := site.db.run(("ZRANGE", keys.replies(deepest), 0, 0)):
        deepest = int(replies[0])
    conversations.mute(site, ann, first)
    reply = write(site, ben, "deep", reply=deepest)
    write(site, ben, "deeper", reply=reply)
    likes.like(site, ben, deepest)
    assert site.db.run(("HGET", status_keys.status(reply), "root")) == str(first)
    apply_events()
    assert notified(site.db, ann) == []


def test_at_the_bound_the_oldest_is_unmuted(
    site: Site, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, *_ = people("ann", "ben")
    monkeypatch.setattr(conversations, "MUTED_CONVERSATIONS_MAX", 2)
    ids = [write(site, ann, f"number {number}") for number in range(3)]
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: conversations.mute(site, ann, ids[0]), range(50)))
    for status_id in ids:
        conversations.mute(site, ann, status_id)
    muted = site.db.run(("ZRANGE", keys.muted_conversations(ann), 0, -1))
    assert list(map(int, muted)) == ids[1:]
    lifecycle.delete_account(site, ann, None)


def test_who_may_not_see_a_post_cannot_mute_its_conversation(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    hidden = write(site, ann, "secret", visibility=Visibility.MENTIONED)
    for status_id in (hidden, 64):
        for act in (conversations.mute, conversations.unmute):
            with pytest.raises(NotFound):
                act(site, ben, status_id)


def test_pages_say_that_a_conversation_is_muted(client: FlaskClient, member: SignUp) -> None:
    ann, ben = member("ann"), member("ben")
    root = post_status(ann, "hello")
    page, menu = f"/@ann/{root}", f"/@ann/{root}/menu"
    assert "Mute conversation" in ann.get(menu).text
    assert ann.post(f"/statuses/{root}/mute").status_code == 303
    assert "You muted this conversation" in ann.get(page).text
    assert "Unmute conversation" in ann.get(menu).text
    for browser in (ben, client):
        assert "You muted" not in browser.get(page).text
        assert "Unmute conversation" not in browser.get(menu).text
    ann.post(f"/statuses/{root}/unmute", data={"next": page})
    assert "You muted this conversation" not in ann.get(page).text
    assert client.post(f"/statuses/{root}/mute").location.startswith("/login")
