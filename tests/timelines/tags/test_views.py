"""The pages of hashtags: cached for visitors, and followed by members."""

import re
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.feeds import ATOM, texts
from tests.support.pages import check_error, older_link, post_status, status_ids
from tests.support.world import Web
from webapp.accounts import lifecycle
from webapp.accounts.store import uid_by_login
from webapp.core.web.context import site_of
from webapp.pagecache import keys as page_keys

FOLLOW = re.compile(r'<form class="follow" method="post" action="(/tags/[^"]+)">')


def test_every_hashtag_in_a_status_links_to_its_page(ann: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, "see #Birds, #麻雀 and $AB")
    for path in ("/home", "/@ann", f"/@ann/{status_id}"):
        page = ann.get(path).text
        birds = '<a class="tag" href="/tags/birds">#Birds</a>'
        assert f'{birds}, <a class="tag" href="/tags/{quote("麻雀")}">#麻雀' in page
        assert '<span class="tag">$AB</span>' in page
    for name in ("birds", "麻雀"):
        for browser in (ann, web.client):
            assert status_ids(browser.get(f"/tags/{name}")) == [status_id]
        assert f"<h1><bdi>#{name}</bdi></h1>" in web.client.get(f"/tags/{name}").text


def test_a_tag_has_one_canonical_url_and_invalid_names_have_none(web: Web) -> None:
    for written, canonical in (
        ("Birds", "birds"),
        ("ＢＩＲＤＳ", "birds"),
        ("e\u0301", "%C3%A9"),
        ("STRASSE", "strasse"),
    ):
        answer = web.client.get(f"/tags/{written}?max_id=9")
        assert (answer.status_code, answer.location) == (301, f"/tags/{canonical}?max_id=9")
        answer = web.client.get(f"/tags/{written}.atom")
        assert (answer.status_code, answer.location) == (301, f"/tags/{canonical}.atom")
    for name in ("12", "a b", "a-b", "a.b", "%00", "%FF", "%23a", "x" * 101, "_", "{a}", "<b>"):
        assert "hashtag" in web.client.get(f"/tags/{name}").text
        assert web.client.get(f"/tags/{name}").status_code == 404
        assert web.client.get(f"/tags/{name}.atom").status_code == 404
    check_error(web.client.get("/tags/birds?max_id=x"), 422)


def test_the_page_of_an_unused_tag_is_not_cached(web: Web) -> None:
    for path in ("/tags/nothing", "/tags/nothing.atom"):
        for _ in "12":
            assert web.client.get(path).status_code == 200
        pages = page_keys.cached_paths(page_keys.page_partition(path))
        assert web.db.run(("ZSCORE", pages, path)) is None
    assert "Nothing here yet" in web.client.get("/tags/nothing").text


def test_the_pages_of_a_tag_continue_from_a_cursor(ann: FlaskClient, web: Web) -> None:
    ids = [post_status(ann, f"{n} #birds") for n in range(33)]
    for browser in (web.client, ann):
        first = browser.get("/tags/birds")
        assert status_ids(first) == ids[:2:-1]
        assert status_ids(browser.get(older_link(first) or "")) == ids[2::-1]


@pytest.mark.parametrize("name", ["birds", "麻雀"])
def test_a_visitors_page_is_cached_and_invalidated(web: Web, name: str) -> None:
    site = site_of(web.app)
    ann = web.member("ann")

    def cached_ids() -> list[list[int]]:
        """Return the ids on both pages, each read a second time from the cache with one trip."""
        ids_by_page = []
        for path in (f"/tags/{name}", f"/tags/{name}.atom"):
            web.client.get(path)
            trips = site.db.trips
            page = web.client.get(path)
            ids = re.findall(r'(?:<article[^>]* id="status-|<id>http://[^<]*/)(\d+)[<"]', page.text)
            assert not ids or site.db.trips - trips == 1
            ids_by_page.append(list(map(int, ids)))
        return ids_by_page

    first = post_status(ann, f"one #{name}")
    assert cached_ids() == [[first], [first]]
    second = post_status(ann, f"two #{name.upper()}")
    assert cached_ids() == [[second, first]] * 2
    assert ann.post(f"/statuses/{first}/delete").status_code == 303
    assert cached_ids() == [[second]] * 2
    for suspended, expected in ((True, []), (False, [second])):
        lifecycle.suspend(site, site.db.read(uid_by_login("ann")), suspended)
        worker.drain(site)
        assert cached_ids() == [expected] * 2


def test_the_feed_of_a_tag_links_to_its_page_and_to_itself(web: Web) -> None:
    post_status(web.member("ann"), "hello #麻雀")
    feed = ElementTree.fromstring(web.client.get("/tags/麻雀.atom").data)
    assert (
        texts(feed) == ["hello #麻雀"]
        and feed.findtext("a:title", namespaces=ATOM) == "#麻雀 · Linnet"
    )
    own, page, _ = [link.attrib["href"] for link in feed.iterfind(".//a:link", ATOM)]
    assert web.client.get(page).status_code == web.client.get(own).status_code == 200
    found = f'type="application/atom+xml" href="/tags/{quote("麻雀")}.atom"'
    assert found in web.client.get("/tags/麻雀").text


def test_a_tag_is_followed_and_unfollowed_without_scripts(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ben, "so many #Birds")
    assert "You don’t follow anyone yet." in ann.get("/home").text
    assert not FOLLOW.search(web.client.get("/tags/birds").text)
    [action] = FOLLOW.findall(ann.get("/tags/birds").text)
    assert action == "/tags/birds/follow"
    answer = ann.post(action, data={"next": "/tags/birds"})
    assert (answer.status_code, answer.location) == (303, "/tags/birds")
    assert status_ids(ann.get("/home")) == [status_id]
    assert FOLLOW.findall(ann.get("/tags/birds").text) == ["/tags/birds/unfollow"]
    assert FOLLOW.findall(ben.get("/tags/birds").text) == ["/tags/birds/follow"]
    assert ann.post("/tags/麻雀/follow").location == f"/tags/{quote('麻雀')}"
    settings = ann.get("/settings/tags")
    expected = [f"/tags/{quote('麻雀')}/unfollow", "/tags/birds/unfollow"]
    assert FOLLOW.findall(settings.text) == expected
    assert settings.headers["Cache-Control"] == "no-store"
    answer = ann.post("/tags/Birds/unfollow", data={"next": "/settings/tags"})
    assert (
        answer.location == "/settings/tags"
        and "You no longer follow #birds." in ann.get("/settings/tags").text
    )
    assert ann.delete("/tags/麻雀/follow").status_code == 303
    assert "You aren’t following any hashtags yet." in ann.get("/settings/tags").text
    assert "You don’t follow anyone yet." in ann.get("/home").text


def test_a_tag_is_put_on_the_profile_and_taken_off_without_scripts(web: Web) -> None:
    ann = web.member("ann")
    status_id = post_status(ann, "so many #Birds")
    post_status(ann, "no more")
    profile, link = web.client.get("/@ann").text, 'href="/search?q=from:ann+%23birds"'
    assert link not in profile and "/tags/birds/feature" not in web.client.get("/tags/birds").text
    assert 'action="/tags/birds/feature"' in ann.get("/tags/birds").text
    answer = ann.post("/tags/Birds/feature", data={"next": "/@ann"})
    assert (answer.status_code, answer.location) == (303, "/@ann")
    assert link in web.client.get("/@ann").text and link in ann.get("/@ann").text
    assert status_ids(web.client.get("/search?q=from:ann+%23birds")) == [status_id]
    assert 'action="/tags/birds/unfeature"' in ann.get("/tags/birds").text
    assert "#birds is no longer" in ann.post("/tags/birds/unfeature", follow_redirects=True).text
    assert link not in web.client.get("/@ann").text
    for number in range(web.config.featured_tags_max):
        assert ann.post(f"/tags/tag{number}/feature").status_code == 303
    check_error(ann.post("/tags/birds/feature"), 409)


def test_invalid_follows_of_tags_are_refused(ann: FlaskClient, web: Web) -> None:
    for n in range(web.config.followed_tags_max):
        assert ann.post(f"/tags/tag{n}/follow").status_code == 303
    check_error(ann.post("/tags/birds/follow"), 409)
    check_error(ann.post("/tags/12/follow"), 404)
    check_error(ann.post("/tags/a b/unfollow"), 404)
    assert ann.post("/tags/tag1/follow", data={"next": "//evil.example"}).location == "/tags/tag1"


def test_pages_of_tags_take_a_fixed_number_of_trips(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    for n in range(9):
        post_status(ben, f"{n} #birds #reeds")
    for name in ("birds", "reeds"):
        ann.post(f"/tags/{name}/follow")

    def trips(path: str) -> int:
        db = web.db
        before = db.trips
        assert ann.get(path).status_code == 200
        return int(db.trips - before)

    trips("/home")
    assert [trips(path) for path in ("/tags/birds", "/settings/tags")] == [2, 2]
    assert trips("/home") <= 3
