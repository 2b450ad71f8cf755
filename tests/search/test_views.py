"""The pages of search, and their feed."""

from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from tests.support.pages import listed_logins, page_text, status_ids
from tests.support.world import Web
from webapp.search import people

ATOM = "{http://www.w3.org/2005/Atom}"


def test_a_feed_has_the_newest_matches(web: Web) -> None:
    web.member("ann").post("/statuses", data={"text": "a grey heron & a <kite>"})
    response = web.app.test_client().get("/search.atom?q=herons")
    assert response.content_type == "application/atom+xml; charset=utf-8"
    feed = ElementTree.fromstring(response.data)
    assert len(feed.findall(f"{ATOM}entry")) == 1
    [own] = [link.get("href") for link in feed.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert own == feed.findtext(f"{ATOM}id") == "http://localhost/search.atom?q=herons"
    assert web.app.test_client().get("/search.atom").status_code == 422


@pytest.mark.parametrize("tab", ["latest", "top"])
def test_results_lead_on_with_their_query(ann: FlaskClient, web: Web, tab: str) -> None:
    for number in range(31):
        ann.post("/statuses", data={"text": f"heron number {number}"})
    first = web.app.test_client().get(f"/search?q=heron&tab={tab}")
    assert len(status_ids(first)) == 30
    link = first.text.partition('rel="next"')[2].partition('href="')[2].partition('"')[0]
    second = web.app.test_client().get(link.replace("&amp;", "&"))
    assert len(status_ids(second)) == 1


def test_your_own_posts_need_a_sign_in(web: Web) -> None:
    response = web.app.test_client().get("/search?q=heron&tab=own")
    assert response.status_code == 303
    assert response.location.startswith("/login?next=")


def test_what_was_not_understood_is_said(web: Web) -> None:
    web.member("ann").post("/statuses", data={"text": "foo and bar"})
    text = page_text(web.app.test_client().get("/search?q=foo:bar"))
    assert "“foo:bar” isn’t a search operator" in text


def test_people_are_found_by_name_and_bio(ann: FlaskClient, web: Web) -> None:
    ann.post("/settings/profile", data={"name": "Grey Heron", "bio": "fishing all day"})
    for query in ("heron", "ann", "fishing"):
        page = web.app.test_client().get(f"/search?q={query}&tab=people")
        assert listed_logins(page) == ["ann"], query
    assert listed_logins(web.app.test_client().get("/search?q=stork&tab=people")) == []


def test_people_are_found_from_the_first_letters_of_their_names(web: Web) -> None:
    ann, visitor = web.member("eider"), web.app.test_client()
    ann.post("/settings/profile", data={"name": "Mira Sandoval"})
    for query in ("eid", "EIDER", "mira san", "san"):
        assert listed_logins(visitor.get(f"/search?q={query}&tab=people")) == ["eider"], query
    for query in ("ider", "mira x", "eid from:eider"):
        assert listed_logins(visitor.get(f"/search?q={query}&tab=people")) == [], query
    ann.post("/settings/privacy", data={"hidden_from_search": "y", "quote_policy": "everyone"})
    assert listed_logins(visitor.get("/search?q=eid&tab=people")) == []


def test_people_whom_most_of_ones_follows_follow_come_before_those_with_more_followers(
    web: Web,
) -> None:
    ann, finch, tern, *others = [
        web.member(login) for login in ("ann", "finch", "tern", "kite", "owl", "rail")
    ]
    for login in ("heron_a", "heron_b", "heron_c"):
        web.member(login).post("/settings/profile", data={"name": "Grey Heron"})
    for login in ("finch", "tern"):
        ann.post(f"/@{login}/follow")
    for client in others:
        client.post("/@heron_a/follow")
    for client in (finch, tern):
        client.post("/@heron_c/follow")
    finch.post("/@heron_b/follow")
    found = ann.get("/search?q=heron&tab=people")
    assert listed_logins(found) == ["heron_c", "heron_b", "heron_a"]
    found = web.app.test_client().get("/search?q=heron&tab=people")
    assert listed_logins(found) == ["heron_a", "heron_c", "heron_b"], "a visitor follows nobody"


def test_followed_people_come_first_however_few_follow_them(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "CANDIDATES_MAX", 2)
    ann, *others = [web.member(login) for login in ("ann", "heron_a", "heron_b", "heron_c")]
    for client in others:
        client.post("/settings/profile", data={"name": "Bird", "bio": "fishing"})
    for client in others[1:]:
        client.post("/@heron_a/follow")
    for client in (others[0], others[2]):
        client.post("/@heron_b/follow")
    ann.post("/@heron_c/follow")
    web.member("bob").post("/@heron_b/follow")
    page = ann.get("/search?q=fishing&tab=people")
    assert listed_logins(page) == ["heron_c", "heron_b", "heron_a"]
    expected = ["heron_b", "heron_a"]
    assert listed_logins(web.app.test_client().get("/search?q=fishing&tab=people")) == expected


def test_an_empty_tab_leads_to_the_one_that_has_something(web: Web) -> None:
    ann, visitor = web.member("ann"), web.app.test_client()
    ann.post("/statuses", data={"text": "a heron"})
    for login in ("eider", "eiderdown"):
        web.member(login)
    hidden = {"hidden_from_search": "y", "quote_policy": "everyone"}
    web.member("eider_hidden").post("/settings/privacy", data=hidden)
    for client in (ann, visitor):
        for tab in ("latest", "top"):
            before = web.db.trips
            page = client.get(f"/search?q=eid&tab={tab}")
            assert web.db.trips - before <= 5
            assert "2 people match" in page_text(page)
            assert 'href="/search?q=eid&amp;tab=people"' in page.text
        before = web.db.trips
        page = client.get("/search?q=heron&tab=people")
        assert web.db.trips - before <= 5
        assert "See the posts that match" in page_text(page)
    for path in ("/search?q=nobody", "/search?q=nobody&tab=people", "/search?q=heron"):
        text = page_text(visitor.get(path))
        assert "people match" not in text and "posts that match" not in text, path


def test_a_search_is_saved_only_where_something_was_found(ann: FlaskClient) -> None:
    ann.post("/statuses", data={"text": "a heron #heron"})
    for tab in ("latest", "tags"):
        assert "Save search" in page_text(ann.get(f"/search?q=heron&tab={tab}"))
        assert "Save search" not in page_text(ann.get(f"/search?q=stork&tab={tab}"))
    ann.post("/search/saved", data={"q": "stork"})
    assert "Remove saved search" in page_text(ann.get("/search?q=stork"))


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("kite from:", "“from:” needs a value right after it"),
        ("%22grey kite", "A quotation mark isn’t closed"),
    ],
)
def test_a_slip_in_a_query_is_said_above_its_results(web: Web, query: str, sentence: str) -> None:
    web.member("ann").post("/statuses", data={"text": "a kite, grey"})
    page = web.app.test_client().get(f"/search?q={query}")
    assert sentence in page_text(page)
    assert len(status_ids(page)) == 1
