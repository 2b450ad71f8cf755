"""The site map: public posts and their authors, in bounded parts."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from tests.support import pagecache
from tests.support.pages import join, post_status, serving
from tests.support.world import Web
from webapp.accounts import lifecycle, profile
from webapp.accounts.store import get_by_login
from webapp.config import Config
from webapp.sharing import sitemaps

NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}


def paths(client: FlaskClient, part: str = "/sitemap.xml") -> list[str]:
    """Return the paths that a part lists."""
    response = client.get(part)
    assert response.status_code == 200 and response.mimetype == "application/xml"
    places = ElementTree.fromstring(response.data).findall(".//s:loc", NAMES)
    assert all((place.text or "").startswith("http://localhost/") for place in places)
    return [(place.text or "").removeprefix("http://localhost") for place in places]


def test_crawlers_find_every_part_and_every_page_in_it(ann: FlaskClient, web: Web) -> None:
    posted = post_status(ann, "a song")
    robots = web.client.get("/robots.txt").text
    [site_map] = re.findall(r"^Sitemap: http://localhost(/\S+)$", robots, re.MULTILINE)
    parts = paths(web.client, site_map)
    listed = [path for part in parts for path in paths(web.client, part)]
    assert f"/@ann/{posted}" in listed and "/@ann" in listed and "/about" in listed
    assert {web.client.get(path).status_code for path in listed} == {200}
    ann.post(f"/@ann/{posted}/edit", data={"text": "another", "version": "0"})
    before = web.client.get("/sitemap-posts-1.xml").text
    assert re.search(r"<lastmod>\d{4}-\d\d-\d\dT[\d:.]+\+00:00</lastmod>", before)


def test_members_and_visitors_get_the_same_list(ann: FlaskClient, web: Web) -> None:
    post_status(ann, "a song")
    for part in ("/sitemap.xml", *paths(web.client)):
        response = ann.get(part)
        assert response.data == web.client.get(part).data
        assert "Set-Cookie" not in response.headers


def test_only_what_everybody_may_find_is_listed(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    uid, posted = get_by_login(db, "ann").uid, post_status(ann, "a song")
    for visibility in ("unlisted", "followers", "mentioned"):
        ann.post("/statuses", data={"text": "shy", "visibility": visibility})
    own = ["/@ann", f"/@ann/{posted}"]

    def listed() -> list[str]:
        return paths(web.client, "/sitemap-members.xml") + paths(web.client, "/sitemap-posts-1.xml")

    assert listed() == own
    for change in (lifecycle.protect, lifecycle.suspend):
        change(web, uid, True)
        assert listed() == []
        change(web, uid, False)
        web.apply_events()
        pagecache.delete_pages(db)  # who comes back is listed a few minutes later
        assert listed() == own
    profile.edit(web, uid, {"hidden_from_search": "1"})
    web.apply_events()
    assert listed() == []
    profile.edit(web, uid, {"hidden_from_search": ""})
    web.delete(uid, posted)
    assert sitemaps.posts(db, 1) == []


def test_posts_come_in_bounded_parts(settings: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemaps, "PART_SIZE", 2)
    with serving(replace(settings, public_max=5, page_cache_bytes=0)) as app:
        ann, client = join(app, "ann"), app.test_client()
        posted = [f"/@ann/{post_status(ann, str(number))}" for number in range(6)]
        parts = [part for part in paths(client) if "posts" in part]
        assert parts == [f"/sitemap-posts-{number}.xml" for number in (1, 2, 3)]
        listed = [path for part in parts for path in paths(client, part)]
        assert listed == posted[:0:-1], "the newest five, newest first"
        for number in ("0", "4", "9007199254740991", "x", "-1"):
            assert client.get(f"/sitemap-posts-{number}.xml").status_code == 404


def test_a_part_takes_two_trips_however_many_posts_it_has(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    for number in range(20):
        post_status(ann, str(number))
    for read in (lambda: sitemaps.posts(db, 1), lambda: sitemaps.authors(db)):
        before = db.trips
        assert read()
        assert db.trips - before == 2


def test_an_empty_site_lists_its_own_pages(web: Web) -> None:
    assert paths(web.client) == ["/sitemap-members.xml", "/sitemap-pages.xml"]
    assert paths(web.client, "/sitemap-members.xml") == []
