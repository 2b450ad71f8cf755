"""Hot posts on pages: tabs, languages, cached pages, and homes of members who follow nobody."""

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.support.pages import join, post_status, serving
from tests.support.world import Web
from webapp.config import Config
from webapp.timelines.hot import keys

ENGLISH = "the wren sings in the old hedge"
CHINESE = "鹪鹩在树篱里歌唱"


def ids_on(client: FlaskClient, path: str) -> list[int]:
    return list(map(int, re.findall(r'<article[^>]*id="status-(\d+)"', client.get(path).text)))


def test_tabs_show_the_same_posts_in_two_orders(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    first, second = (post_status(ann, f"{text} #birds") for text in "ab")
    ben.post(f"/statuses/{first}/like")
    for reader in (web.client, ben):
        for path, hot in (("/public", "/explore"), ("/tags/birds", "/tags/birds/hot")):
            assert ids_on(reader, path) == [second, first]
            assert ids_on(reader, hot) == [first, second]
            for page, current in ((path, "Newest"), (hot, "Popular")):
                tab = rf'href="{page}" aria-current="page">{current}</a>'
                assert re.search(tab, reader.get(page).text), page


def test_explore_shows_the_newest_where_an_older_version_ranked_nothing(settings: Config) -> None:
    with serving(replace(settings, page_size=2)) as app:
        ann = join(app, "ann")
        ids = [post_status(ann, f"post {number}") for number in range(5)]
        app.extensions["linnet.db"].run(("DEL", keys.hot_statuses()))
        assert ids_on(ann, "/explore") == ids[:2:-1]


def test_languages_are_offered_the_readers_own_first(ann: FlaskClient, web: Web) -> None:
    english, chinese = post_status(ann, ENGLISH), post_status(ann, CHINESE)
    for accepted, first in (("en", "en"), ("zh-CN", "zh")):
        reader = web.app.test_client()
        page = reader.get("/explore?lang=all", headers={"Accept-Language": accepted}).text
        assert re.findall(r"/explore\?lang=(\w+)", page)[:2] == ["all", first]
    assert ids_on(ann, "/explore?lang=en") == [english]
    assert ids_on(ann, "/explore?lang=zh") == [chinese]
    assert ids_on(ann, "/explore?lang=all") == [chinese, english]
    assert "There are no posts in this language" in ann.get("/explore?lang=fr").text


@pytest.mark.parametrize(
    "query",
    [
        *("lang=EN", "lang=e", "lang=engl", "lang=%00", "lang=<b>", "lang=zh-Hant", "lang=é"),
        *("max_id=x", "max_id=0", "max_id=-1", "max_id=9007199254740992", "max_id=1e9"),
    ],
)
def test_a_hostile_language_or_cursor_is_refused(web: Web, query: str) -> None:
    for reader in (web.client, web.member("ann")):
        assert reader.get(f"/explore?{query}").status_code == 422


def test_older_keeps_the_language(ann: FlaskClient, web: Web) -> None:
    size = web.config.page_size
    ids = [post_status(ann, f"{ENGLISH} {number}") for number in range(size + 2)]
    page = ann.get("/explore?lang=en").text
    older = re.search(r'href="(/explore\?lang=en&amp;max_id=\d+)"', page)
    assert older
    assert ids_on(ann, older[1].replace("&amp;", "&")) == [ids[1], ids[0]]


def test_likes_leave_a_cached_page_and_a_deletion_drops_it(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    first, second = (post_status(ann, f"{text} #birds") for text in "ab")
    paths = ("/explore?lang=all", "/tags/birds/hot", "/explore?lang=en")
    before = [ids_on(web.client, path) for path in paths]
    ben.post(f"/statuses/{first}/like")
    assert [ids_on(web.client, path) for path in paths] == before, "not renewed for a like"
    ann.post(f"/statuses/{second}/delete")
    for path in paths:
        assert second not in ids_on(web.client, path)


def test_a_home_shows_what_is_popular_until_its_member_follows_someone(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    first, second = (post_status(ann, text) for text in "ab")
    ben.post(f"/statuses/{first}/like")
    home = ben.get("/home").text
    assert "You don’t follow anyone yet." in home and "Nothing here yet" not in home
    assert ids_on(ben, "/home") == [first, second]
    own = post_status(ben, "c")
    assert ids_on(ben, "/home") == [own, first, second]
    ben.post("/@ann/follow")
    assert "You don’t follow anyone yet." not in ben.get("/home").text
    assert ids_on(ben, "/home") == [own, second, first]
    ben.post("/@ann/unfollow")
    assert "You don’t follow anyone yet." in ben.get("/home").text
    ben.post("/tags/birds/follow")
    assert "You don’t follow anyone yet." not in ben.get("/home").text


def test_popular_posts_at_home_are_those_that_the_member_may_see(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    hidden, shown = post_status(ann, "a"), post_status(cid, "c")
    ben.post("/@ann/block")
    assert ids_on(ben, "/home") == [shown]
    ben.post("/@ann/unblock")
    ben.post("/@ann/mute")
    assert ids_on(ben, "/home") == [shown]
    assert hidden in ids_on(cid, "/explore?lang=all")
