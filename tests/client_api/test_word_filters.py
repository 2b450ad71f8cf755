"""Word filters and lists that apps change: each change is kept, and answered as it is."""

from typing import Any

import pytest

from tests.support.client_api import Clients
from tests.support.concurrently import concurrently
from webapp.core.store import Site
from webapp.lists import store as lists

BLANK = "\u200b"  # not seen, so that nothing is left of it


@pytest.fixture
def gulls(clients: Clients) -> str:
    """The path of ann's filter, which has a title and no phrase."""
    made = clients[0].post("v2/filters", **{"title": "gulls", "context[]": "home"})
    return f"v2/filters/{made['id']}"


def test_phrases_that_are_added_at_once_are_all_kept(clients: Clients, gulls: str) -> None:
    ann, path = clients[0], f"/api/{gulls}/keywords"

    def add(number: int) -> int:
        return ann.call(f"POST {path}", data={"keyword": f"gull {number}"}).status_code

    assert concurrently(add, 8) == [200] * 8
    kept = {one["keyword"] for one in ann.get(gulls)["keywords"]}
    assert kept == {f"gull {number}" for number in range(8)}


def test_a_filter_of_apps_has_twenty_phrases_at_most(clients: Clients, gulls: str) -> None:
    ann = clients[0]
    rows = [{"keyword": f"gull {number}"} for number in range(20)]
    change = f"PUT /api/{gulls}"
    refused = ann.call(change, json={"keywords_attributes": [*rows, {"keyword": "tern"}]})
    assert refused.status_code == 422
    assert "At most 20 keywords" in refused.json["error"]
    assert ann.get(gulls)["keywords"] == []
    assert ann.call(change, json={"keywords_attributes": rows}).status_code == 200
    added = ann.call(f"POST /api/{gulls}/keywords", data={"keyword": "tern"})
    assert added.status_code == 422
    assert len(ann.get(gulls)["keywords"]) == 20


def test_changes_of_several_phrases_at_once_are_all_kept(clients: Clients, gulls: str) -> None:
    ann = clients[0]
    numbers = [ann.post(f"{gulls}/keywords", keyword=f"gull {at}")["id"] for at in range(8)]

    def change(at: int) -> int:
        path = f"/api/v2/filters/keywords/{numbers[at]}"
        call = f"DELETE {path}" if at % 2 else f"PUT {path}"
        return ann.call(call, data={"keyword": f"tern {at}"}).status_code

    assert concurrently(change, 8) == [200] * 8
    kept = {one["id"]: one["keyword"] for one in ann.get(gulls)["keywords"]}
    assert kept == {numbers[at]: f"tern {at}" for at in range(0, 8, 2)}


def test_a_phrase_of_which_nothing_is_seen_is_refused(clients: Clients, gulls: str) -> None:
    ann = clients[0]
    number = ann.post(f"{gulls}/keywords", keyword="gull")["id"]
    for call, name in (
        (f"POST /api/{gulls}/keywords", "keyword"),
        (f"PUT /api/v2/filters/keywords/{number}", "keyword"),
        (f"PUT /api/v1/filters/{number}", "phrase"),
    ):
        answer = ann.call(call, data={name: BLANK})
        assert (answer.status_code, answer.json) == (
            422,
            {"error": "Validation failed: Keyword can't be blank"},
        )
    assert [one["keyword"] for one in ann.get(gulls)["keywords"]] == ["gull"]


def test_each_phrase_has_a_number_of_its_own(clients: Clients, gulls: str) -> None:
    ann = clients[0]
    first, second, third = (
        ann.post(f"{gulls}/keywords", keyword=word) for word in ("gull", "tern", "skua")
    )
    assert ann.post(f"{gulls}/keywords", keyword="gull") == first, "there already"
    changed = ann.call(f"PUT /api/v2/filters/keywords/{first['id']}", data={"keyword": "auk"})
    assert changed.json == first | {"keyword": "auk"}
    again = ann.post(f"{gulls}/keywords", keyword="gull")
    assert again["keyword"] == "gull" and again["id"] != first["id"]
    merged = ann.call(f"PUT /api/v2/filters/keywords/{third['id']}", data={"keyword": "auk"})
    assert merged.json == changed.json
    assert ann.get(gulls)["keywords"] == [changed.json, second, again]


def test_a_list_keeps_what_is_not_sent(clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = clients[0]
    number = int(ann.post("v1/lists", title="Birds")["id"])
    update, path = lists.update, f"/api/v1/lists/{number}"
    ann.call(f"PUT {path}", data={"exclusive": "true"})

    def update_after_another(site: Site, uid: int, number: int, *values: Any) -> None:
        update(site, uid, number, "", True, False)  # meanwhile
        update(site, uid, number, *values)

    monkeypatch.setattr(lists, "update", update_after_another)
    ann.call(f"PUT {path}", data={"title": "Gulls"})
    assert ann.get(f"v1/lists/{number}")["exclusive"] is False
