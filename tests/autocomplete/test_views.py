"""Test the lists that fields suggest, as pages get them."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings as examples, strategies as st

from tests.support.hostile.values import PATH_VALUES
from tests.support.pages import join, serving
from tests.support.world import Web
from webapp.accounts import lifecycle, store
from webapp.config import Config, Rate
from webapp.core.store import Site

MEMBERS, TAGS, SEARCH = "/autocomplete/members", "/autocomplete/tags", "/autocomplete/search"
TRIPS_MAX = 2


def test_a_search_box_suggests_people_and_hashtags_that_lead_to_their_pages(web: Web) -> None:
    ann, eider = web.member("ann"), web.member("eider")
    eider.post("/settings/profile", data={"name": "Mira Sandoval"})
    eider.post("/statuses", data={"text": "#eid #Vögel"})
    before = web.db.trips
    page = ann.get(f"{SEARCH}?q=eid").text
    assert web.db.trips - before <= TRIPS_MAX
    assert 'data-value="eider" data-href="/@eider"' in page
    assert 'data-value="eid" data-href="/tags/eid"' in page
    assert 'data-count="2 suggestions"' in page
    assert values(ann, SEARCH, "mira sa") == ["eider"]
    assert values(ann, SEARCH, "mira x") == values(ann, SEARCH, "nobody") == []
    assert "/tags/v%C3%B6gel" in ann.get(f"{SEARCH}?q=vög").text


def values(client: FlaskClient, path: str, typed: str) -> list[str]:
    """Return what a list suggests."""
    response = client.get(path, query_string={"q": typed})
    assert response.status_code == 200
    return re.findall(r'role="option"[^>]* data-value="([^"]+)"', response.text)


def test_a_picker_finds_people_by_all_the_words_typed(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    ben.post("/settings/profile", data={"name": "Ben O’Hara 王小明"})
    cid.post("/settings/profile", data={"name": "Ben Cid"})

    def found(reader: FlaskClient, typed: str) -> set[str]:
        page = reader.get("/autocomplete/people", query_string={"q": typed})
        assert page.status_code == 200 and page.headers["Cache-Control"] == "no-store"
        return set(re.findall(r'name="people"\s+value="(\w+)"', page.text))

    for typed in ("ha ben", "@Ben o’ha", "小明", "BEN 王"):
        assert found(ann, typed) == {"ben"}, typed
    assert found(ann, "ben") == {"ben", "cid"} and found(ann, "ann") == set()
    assert found(ann, "") == set() and "Search for people" in ann.get("/autocomplete/people").text
    for typed in ("\0", "!", "<b>", "x" * 5_000, "ben " * 900, "ben nobody"):
        assert not found(ann, typed) - {"ben", "cid"}, typed
    ben.post("/@ann/block")
    ann.post("/@cid/mute", data={"duration": "0"})
    assert found(ann, "ben") == set(), "one blocks her, she mutes the other"


def test_a_list_has_the_parts_of_a_listbox_and_is_not_stored(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    ben.post("/settings/profile", data={"name": "<Ben & 王小明>"})
    ben.post("/statuses", data={"text": "#wren #wrens"})
    response = ann.get(f"{MEMBERS}?q=小明")
    assert response.headers["Cache-Control"] == "no-store"
    assert 'role="listbox"' in response.text
    assert 'data-count="1 suggestion"' in response.text
    assert "&lt;Ben &amp; 王小明&gt;" in response.text
    assert values(ann, TAGS, "WRE") == ["wren", "wrens"]
    assert 'data-count="2 suggestions"' in ann.get(f"{TAGS}?q=wre").text
    assert 'role="listbox"' not in ann.get(f"{MEMBERS}?q=nobody").text


def test_a_list_takes_two_trips(ann: FlaskClient, web: Web) -> None:
    for login in ("ben", "bea", "bob"):
        web.member(login).post("/statuses", data={"text": "Hello @ann #bees"})
    ann.post("/@ben/follow")
    for path in (MEMBERS, TAGS):
        for typed in ("", "b", "ben"):
            before = web.db.trips
            assert values(ann, path, typed) or typed == "ben" or (path, typed) == (TAGS, "")
            assert web.db.trips - before <= TRIPS_MAX


@pytest.mark.parametrize(
    ("relation", "shown"),
    [
        ("stranger", ["ben", "be", ""]),
        ("followed", ["ben", "be", ""]),
        ("protected", ["ben", "be", ""]),
        ("muted", ["ben"]),
        ("blocking", []),
        ("blocked", []),
        ("suspended", []),
        ("deleted", []),
    ],
)
def test_who_is_suggested_to_whom(web: Web, relation: str, shown: list[str]) -> None:
    """Ann has mentioned Ben before. `shown`: what she types to find him."""
    ann, ben = web.member("ann"), web.member("ben")
    ann.post("/statuses", data={"text": "Hello @ben"})
    config: Config = web.config
    uid = store.get_by_login(web.db, "ben").uid
    actions: dict[str, Callable[[], object]] = {
        "stranger": lambda: None,
        "followed": lambda: ann.post("/@ben/follow"),
        "protected": lambda: lifecycle.protect(Site(web.db, config), uid),
        "muted": lambda: ann.post("/@ben/mute"),
        "blocking": lambda: ann.post("/@ben/block"),
        "blocked": lambda: ben.post("/@ann/block"),
        "suspended": lambda: lifecycle.suspend(Site(web.db, config), uid),
        "deleted": lambda: lifecycle.delete_account(Site(web.db, config), uid, None),
    }
    actions[relation]()
    found = [typed for typed in ("ben", "be", "") if values(ann, MEMBERS, typed) == ["ben"]]
    assert found == shown


def test_nobody_else_learns_whom_a_member_writes_to(web: Web) -> None:
    ann, ben, cat = web.member("ann"), web.member("ben"), web.member("cat")
    ann.post("/statuses", data={"text": "@cat #secret", "visibility": "mentioned"})
    assert values(ann, MEMBERS, "") == ["cat"]
    assert values(ann, TAGS, "") == ["secret"]
    for other in (ben, cat):
        assert values(other, MEMBERS, "") == values(other, TAGS, "sec") == []


@pytest.mark.parametrize("path", [MEMBERS, TAGS])
def test_too_many_questions_are_refused_to_the_member_who_asks(settings: Config, path: str) -> None:
    with serving(replace(settings, limit_autocomplete=Rate(2, 60))) as app:
        ann, ben = join(app, "ann"), join(app, "ben")
        assert [ann.get(f"{path}?q=a").status_code for _ in range(3)] == [200, 200, 429]
        assert [ben.get(f"{path}?q=a").status_code for _ in range(3)] == [200, 200, 429]


def test_odd_input_gets_an_empty_list(ann: FlaskClient) -> None:
    typed = [
        *PATH_VALUES,
        "%",
        "\0",
        "\ud7ff",
        "a" * 5_000,
        "{a}",
        "[b",
        "(c",
        "\xff",
        "-",
        "+",
        "*",
    ]
    queries = ["q=%ff%fe", "q", "q=-&q=b", "", "q[]=a", "q=%00", "q=%ed%a0%80", "q=%"]
    for path in (MEMBERS, TAGS):
        for one in typed:
            assert values(ann, path, one) == []
        for query in queries:
            assert ann.get(path, query_string=query).status_code == 200
        assert ann.post(path).status_code == 405


def test_any_text_gets_a_list(ann: FlaskClient) -> None:
    @examples(max_examples=60)
    @given(typed=st.text(st.characters(codec="utf-8"), max_size=40))
    def check(typed: str) -> None:
        for path in (MEMBERS, TAGS):
            values(ann, path, typed)

    check()
