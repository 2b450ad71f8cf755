"""Atom feeds: well-formed for any text, linked from their pages."""

from flask.testing import FlaskClient

from tests.support.feeds import ATOM, read_feed, texts
from tests.support.world import Web
from webapp.accounts import keys as account_keys, lifecycle
from webapp.accounts.store import uid_by_login
from webapp.core.web.context import site_of


def post_status(client: FlaskClient, text: str) -> None:
    assert client.post("/statuses", data={"text": text, "key": f"form {text}"}).status_code == 303


def test_a_feed_lists_statuses_newest_first(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    markup = "<b>&amp; ]]> 世界 😀 " + "long " * 30
    for author, text in ((ann, "first"), (ben, "his"), (ann, markup)):
        post_status(author, text)
    feed, public = read_feed(web.client, "/@ann/feed.atom"), read_feed(web.client, "/public.atom")
    assert texts(feed) == [markup.strip(), "first"]
    assert texts(public) == [markup.strip(), "his", "first"]
    titles = [
        entry.findtext("a:title", namespaces=ATOM) for entry in feed.iterfind("a:entry", ATOM)
    ]
    assert titles[1] == "first" and len(titles[0] or "") <= 80
    dates = [
        entry.findtext("a:updated", namespaces=ATOM) for entry in public.iterfind("a:entry", ATOM)
    ]
    assert dates == sorted(dates, key=str, reverse=True)
    assert feed.findtext("a:updated", namespaces=ATOM) == dates[0]


def test_a_feed_may_have_what_its_member_boosted(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    post_status(ben, "his")
    post_status(ann, "hers")
    entry = read_feed(web.client, "/@ben/feed.atom").findtext("a:entry/a:id", namespaces=ATOM)
    assert entry
    ann.post(f"/statuses/{entry.rpartition('/')[2]}/boost")
    assert texts(read_feed(web.client, "/@ann/feed.atom")) == ["hers"]
    feed = read_feed(web.client, "/@ann/feed.atom?boosts=1")
    assert texts(feed) == ["his", "hers"]
    assert feed.findtext("a:id", namespaces=ATOM) == "http://localhost/@ann/feed.atom?boosts=1"
    ann.post(f"/statuses/{entry.rpartition('/')[2]}/unboost")
    assert texts(read_feed(web.client, "/@ann/feed.atom?boosts=1")) == ["hers"]


def test_the_links_of_a_feed_work(web: Web) -> None:
    post_status(web.member("ann"), "hello")
    feed = read_feed(web.client, "/@ann/feed.atom")
    [own, page, entry] = [link.attrib["href"] for link in feed.iterfind(".//a:link", ATOM)]
    assert own == "http://localhost/@ann/feed.atom" == feed.findtext("a:id", namespaces=ATOM)
    assert "hello" in web.client.get(page).get_data(as_text=True)
    assert "hello" in web.client.get(entry).get_data(as_text=True)
    assert entry == feed.findtext("a:entry/a:id", namespaces=ATOM)
    for path, feed_path in (("/@ann", "/@ann/feed.atom"), ("/public", "/public.atom")):
        assert f'type="application/atom+xml" href="{feed_path}"' in web.client.get(path).get_data(
            as_text=True
        )


def test_characters_that_xml_forbids_are_replaced_in_names(web: Web) -> None:
    post_status(web.member("ann"), "hello")
    web.db.run(
        ("HSET", account_keys.user(web.db.read(uid_by_login("ann"))), "name", "Ann \ufffe\x07")
    )
    feed = read_feed(web.client, "/@ann/feed.atom")
    assert feed.findtext("a:entry/a:author/a:name", namespaces=ATOM) == "Ann \ufffd\ufffd"


def test_a_feed_may_be_empty(web: Web) -> None:
    web.member("ann")
    for path in ("/@ann/feed.atom", "/public.atom"):
        assert texts(read_feed(web.client, path)) == []


def test_missing_and_suspended_members_have_no_feed(web: Web) -> None:
    post_status(web.member("ann"), "hello")
    site = site_of(web.app)
    assert web.client.get("/@nobody/feed.atom").status_code == 404
    assert web.client.get("/@ANN/feed.atom").headers["Location"].endswith("/@ann/feed.atom")
    lifecycle.suspend(site, site.db.read(uid_by_login("ann")))
    assert web.client.get("/@ann/feed.atom").status_code == 403
