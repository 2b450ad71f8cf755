"""The pages of hashtags, for visitors and members, cached and invalidated; following them."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support import worker
from tests.system.test_pages import check_error, older, shown, write
from tests.timelines.test_feeds import ATOM, texts
from webapp.accounts import lifecycle
from webapp.accounts.store import uid_by_login
from webapp.pagecache import keys as page_keys

Join = Callable[[str], FlaskClient]
FOLLOW = re.compile(r'<form class="follow" method="post" action="(/tags/[^"]+)">')


def test_every_hashtag_in_a_post_leads_to_its_page(client: FlaskClient, member: Join) -> None:
    ann = member("ann")
    status_id = write(ann, "see #Birds, #麻雀 and $AB")
    for path in ("/home", "/@ann", f"/@ann/{status_id}"):
        page = ann.get(path).text
        assert (
            f'<a class="tag" href="/tags/birds">#Birds</a>, <a class="tag" href="/tags/{quote("麻雀")}">#麻雀'
            in page
        )
        assert '<span class="tag">$AB</span>' in page
    for name in ("birds", "麻雀"):
        for browser in (ann, client):
            assert shown(browser.get(f"/tags/{name}")) == [status_id]
        assert f"<h1><bdi>#{name}</bdi></h1>" in client.get(f"/tags/{name}").text


def test_a_tag_has_one_address_and_what_cannot_be_one_has_none(client: FlaskClient) -> None:
    for given, known in (
        ("Birds", "birds"),
        ("ＢＩＲＤＳ", "birds"),
        ("e\u0301", "%C3%A9"),
        ("STRASSE", "strasse"),
    ):
        answer = client.get(f"/tags/{given}?max_id=9")
        assert (answer.status_code, answer.location) == (301, f"/tags/{known}?max_id=9")
        answer = client.get(f"/tags/{given}.atom")
        assert (answer.status_code, answer.location) == (301, f"/tags/{known}.atom")
    for name in ("12", "a b", "a-b", "a.b", "%00", "%FF", "%23a", "x" * 101, "_", "{a}", "<b>"):
        assert (
            "hashtag" in client.get(f"/tags/{name}").text
            and client.get(f"/tags/{name}").status_code == 404
        )
        assert client.get(f"/tags/{name}.atom").status_code == 404
    check_error(client.get("/tags/birds?max_id=x"), 422)


def test_a_tag_without_posts_is_an_empty_page_that_is_not_kept(
    app: Flask, client: FlaskClient
) -> None:
    for path in ("/tags/nothing", "/tags/nothing.atom"):
        for _ in "12":
            assert client.get(path).status_code == 200
        pages = page_keys.cached_paths(page_keys.page_partition(path))
        assert app.extensions["linnet.db"].run(("ZSCORE", pages, path)) is None
    assert "Nothing here yet" in client.get("/tags/nothing").text


def test_a_tags_pages_go_on_from_a_cursor(app: Flask, client: FlaskClient, member: Join) -> None:
    ann = member("ann")
    ids = [write(ann, f"{n} #birds") for n in range(33)]
    for browser in (client, ann):
        first = browser.get("/tags/birds")
        assert shown(first) == ids[:2:-1]
        assert shown(browser.get(older(first) or "")) == ids[2::-1]


@pytest.mark.parametrize("name", ["birds", "麻雀"])
def test_a_visitors_page_is_kept_and_true_after_each_act(
    app: Flask, client: FlaskClient, member: Join, name: str
) -> None:
    db, config, ann = app.extensions["linnet.db"], app.extensions["linnet.config"], member("ann")

    def seen() -> list[list[int]]:
        """What both pages show, the second time with one trip: they were kept."""
        found = []
        for path in (f"/tags/{name}", f"/tags/{name}.atom"):
            client.get(path)
            trips = db.trips
            page = client.get(path)
            ids = re.findall(r'(?:<article[^>]* id="status-|<id>http://[^<]*/)(\d+)[<"]', page.text)
            assert not ids or db.trips - trips == 1
            found.append(list(map(int, ids)))
        return found

    one = write(ann, f"one #{name}")
    assert seen() == [[one], [one]]
    two = write(ann, f"two #{name.upper()}")
    assert seen() == [[two, one]] * 2
    assert ann.post(f"/statuses/{one}/delete").status_code == 303
    assert seen() == [[two]] * 2
    for wanted, expected in ((True, []), (False, [two])):
        lifecycle.suspend(db, config, db.read(uid_by_login("ann")), wanted)
        worker.drain(db, config)
        assert seen() == [expected] * 2


def test_a_feed_of_a_tag_names_its_page_and_itself(client: FlaskClient, member: Join) -> None:
    write(member("ann"), "hello #麻雀")
    feed = ElementTree.fromstring(client.get("/tags/麻雀.atom").data)
    assert (
        texts(feed) == ["hello #麻雀"]
        and feed.findtext("a:title", namespaces=ATOM) == "#麻雀 · Linnet"
    )
    own, page, _ = [link.attrib["href"] for link in feed.iterfind(".//a:link", ATOM)]
    assert client.get(page).status_code == client.get(own).status_code == 200
    assert (
        f'type="application/atom+xml" href="/tags/{quote("麻雀")}.atom"'
        in client.get("/tags/麻雀").text
    )


def test_a_tag_is_followed_and_unfollowed_without_a_script(
    app: Flask, client: FlaskClient, member: Join
) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = write(ben, "so many #Birds")
    assert shown(ann.get("/home")) == [] and not FOLLOW.search(client.get("/tags/birds").text)
    [action] = FOLLOW.findall(ann.get("/tags/birds").text)
    answer = ann.post(action, data={"next": "/tags/birds"})
    assert (action, answer.status_code, answer.location) == (
        "/tags/birds/follow",
        303,
        "/tags/birds",
    )
    assert shown(ann.get("/home")) == [status_id]
    assert FOLLOW.findall(ann.get("/tags/birds").text) == ["/tags/birds/unfollow"]
    assert FOLLOW.findall(ben.get("/tags/birds").text) == ["/tags/birds/follow"]
    assert ann.post("/tags/麻雀/follow").location == f"/tags/{quote('麻雀')}"
    settings = ann.get("/settings/tags")
    assert FOLLOW.findall(settings.text) == [
        f"/tags/{quote('麻雀')}/unfollow",
        "/tags/birds/unfollow",
    ]
    assert settings.headers["Cache-Control"] == "no-store"
    answer = ann.post("/tags/Birds/unfollow", data={"next": "/settings/tags"})
    assert (
        answer.location == "/settings/tags"
        and "You no longer follow #birds." in ann.get("/settings/tags").text
    )
    assert ann.delete("/tags/麻雀/follow").status_code == 303
    assert "You follow no tags." in ann.get("/settings/tags").text and shown(ann.get("/home")) == []


def test_who_may_not_follow_a_tag_is_told_why(
    app: Flask, client: FlaskClient, member: Join
) -> None:
    ann = member("ann")
    for n in range(app.extensions["linnet.config"].followed_tags_max):
        assert ann.post(f"/tags/tag{n}/follow").status_code == 303
    check_error(ann.post("/tags/birds/follow"), 409)
    check_error(ann.post("/tags/12/follow"), 404)
    check_error(ann.post("/tags/a b/unfollow"), 404)
    assert "/login" in client.post("/tags/birds/follow").location
    assert "/login" in client.get("/settings/tags").location
    assert ann.post("/tags/tag1/follow", data={"next": "//evil.example"}).location == "/tags/tag1"


def test_pages_take_no_more_trips_whatever_they_show(app: Flask, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    for n in range(9):
        write(ben, f"{n} #birds #reeds")
    for name in ("birds", "reeds"):
        ann.post(f"/tags/{name}/follow")

    def trips(path: str) -> int:
        db = app.extensions["linnet.db"]
        before = db.trips
        assert ann.get(path).status_code == 200
        return int(db.trips - before)

    trips("/home")
    assert [trips(path) for path in ("/tags/birds", "/settings/tags")] == [2, 2] and trips(
        "/home"
    ) <= 3
