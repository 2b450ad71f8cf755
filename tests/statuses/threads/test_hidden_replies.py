"""Hidden replies: folded at the end of a thread by its author alone, for everybody."""

import re

import pytest
from flask.testing import FlaskClient

from tests.support.concurrently import at_once
from tests.support.notified import notified
from tests.support.pages import check_error
from tests.support.statuses.threads import chain, content_id, page
from tests.support.world import Web, World, post
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.core.web.context import site_of
from webapp.statuses import Visibility
from webapp.statuses.edits import editing
from webapp.statuses.threads import hidden_replies, keys


def shown(site: Site, status_id: int, size: int = 30) -> tuple[list[int | str], list[int | str]]:
    """Return the statuses below a status on the first page, and the folded ones."""
    found = page(site.db, status_id, size=size)
    return (
        [content_id(node.content) for node in found.descendants],
        [content_id(node.content) for node in found.hidden],
    )


def test_a_hidden_reply_and_all_below_it_are_folded(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    root = post(world, ann)
    kind, rude = post(world, ben, "kind", root), post(world, cid, "rude", root)
    below, below_that = world.do(chain, [ben, cid], rude, 2)
    assert shown(world, root) == ([kind, rude, below, below_that], [])
    for _ in range(2):
        hidden_replies.hide(world, ann, rude)
    world.apply_events()
    assert shown(world, root) == ([kind], [rude, below, below_that])
    assert shown(world, rude) == ([below, below_that], []), "its own page shows its thread"
    hidden_replies.show(world, ann, rude)
    hidden_replies.hide(world, ann, below_that)
    assert shown(world, root) == ([kind, rude, below], [below_that])
    assert shown(world, rude) == ([below], [below_that]), "on the pages of its thread too"
    world.do(World.delete_account, ann, None)
    assert not world.db.run(("EXISTS", keys.hidden_replies(ann)))


def test_what_is_below_a_hidden_reply_stays_folded_on_further_pages(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    root = post(world, ann)
    rude = post(world, ben, "rude", root)
    below = [post(world, ben, f"more {number}", rude) for number in range(4)]
    last = world.do(post, ben, "kind", root)
    hidden_replies.hide(world, ann, rude)
    found, listed = page(world.db, root, size=2), list[int | str]()
    folded = [content_id(node.content) for node in found.hidden]
    while found.next:
        found = page(world.db, root, found.next, size=2)
        listed += [content_id(node.content) for node in found.descendants]
        folded += [content_id(node.content) for node in found.hidden]
    assert (listed, folded) == ([last], [rude, *below])


def test_only_the_author_of_the_thread_hides_replies_of_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    root = post(world, ann)
    reply, own = post(world, ben, "reply", root), post(world, ann, "own", root)
    below = post(world, cid, "below", reply)
    secret = world.post(cid, "psst @ben", reply=reply, visibility=Visibility.MENTIONED)
    for uid, status_id in ((ben, below), (cid, reply), (ben, reply), (ann, own), (ann, root)):
        world.refuses(Forbidden, hidden_replies.hide, uid, status_id)
    for status_id in (secret, 4096):
        world.refuses(NotFound, hidden_replies.hide, ann, status_id)
    *_, last = chain(world, [ben, cid], below, 25)
    # Too deep: it does not name its first post.
    world.refuses(Forbidden, hidden_replies.hide, ann, last)
    assert not world.db.run(("EXISTS", keys.hidden_replies(ann)))
    at_once(10, lambda _: hidden_replies.hide(world, ann, reply), range(50))
    assert world.db.run(("ZCARD", keys.hidden_replies(ann))) == 1
    monkeypatch.setattr(hidden_replies, "HIDDEN_REPLIES_MAX", 1)
    world.refuses(Conflict, hidden_replies.hide, ann, below)


def test_a_hidden_reply_and_what_is_below_it_notify_its_hider_no_more(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    root = post(world, ann)
    rude = world.do(post, ben, "rude", root)
    before = notified(world.db, ann)
    assert len(before) == 1
    hidden_replies.hide(world, ann, rude)
    below = post(world, cid, "hey @ann", rude)
    revision = world.status(rude, ben).revision
    world.do(editing.edit, ben, rude, parse("rude @ann"), "", revision)
    assert notified(world.db, ann) == before
    assert ("reply", cid, below) in notified(world.db, ben), "others are notified as before"
    kind = world.do(post, cid, "kind", root)
    assert ("reply", cid, kind) in notified(world.db, ann)


def test_pages_fold_hidden_replies_for_everybody(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    root = say(ann, "hello")
    reply = say(ben, "rude words", root)
    path = f"/@ann/{root}"
    visitor = web.app.test_client()
    for one in (visitor, ann, ben):
        assert "rude words" in one.get(path).text and "hidden replies" not in one.get(path).text
    assert "Hide reply" in ann.get(f"/@ben/{reply}/menu").text
    for other in (ben, visitor):
        assert "Hide reply" not in other.get(f"/@ben/{reply}/menu").text
    assert "Hide reply" not in ann.get(f"/@ann/{root}/menu").text
    hidden = ann.post(f"/statuses/{reply}/hide-reply", data={"next": path})
    assert hidden.headers["Location"] == path
    for one in (visitor, ann, ben):
        before, _, folded = one.get(path).text.partition("<summary>Show hidden replies")
        assert "rude words" in folded and "rude words" not in re.sub(r"<head>.*</head>", "", before)
    assert "Show hidden replies" not in visitor.get(f"/@ben/{reply}").text
    assert "rude words" in visitor.get(f"/@ben/{reply}").text
    assert "Show reply" in ann.get(f"/@ben/{reply}/menu").text
    check_error(ben.post(f"/statuses/{root}/hide-reply"), 403)
    check_error(ann.post("/statuses/64/hide-reply"), 404)
    ann.post(f"/statuses/{reply}/show-reply")
    for one in (visitor, ann, ben):
        assert "hidden replies" not in one.get(path).text
    assert site_of(web.app).db.run(("ZCARD", keys.hidden_replies(1))) == 0


def say(author: FlaskClient, text: str, reply: str = "") -> str:
    """Post, and return the id."""
    headers = {"Accept": "application/json"}
    answer = author.post("/statuses", data={"text": text, "reply": reply}, headers=headers)
    assert answer.json
    return str(answer.json["ids"][0])
