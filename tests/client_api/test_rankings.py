"""Lists in an order without ids, which apps page by `offset`, and what their entries say."""

from typing import Any

import pytest
from flask import Flask

from tests.conftest import SignUp
from tests.support.client_api import ApiClient, Three, connected, ids, links
from webapp.client_api.http.paging import OFFSET_MAX
from webapp.explore.suggestions.jobs import compute


def entries(answer: Any) -> list[Any]:
    """Return the entries of an answer, of a search or of another ranking."""
    return list(answer["accounts"] if isinstance(answer, dict) else answer)


def walked(client: ApiClient, path: str, **query: str) -> list[str]:
    """Return the members of all pages of two, by their offsets."""
    found: list[str] = []
    while page := entries(client.get(path, limit=2, offset=len(found), **query)):
        found += [one.get("account", one)["acct"] for one in page]
    return found


@pytest.mark.parametrize("path", ["v1/suggestions", "v2/suggestions", "v1/directory"])
def test_people_are_paged_by_their_places(app: Flask, member: SignUp, path: str) -> None:
    ann, *others = [connected(app, member(login)) for login in ("ann", "ben", "cas", "dan", "eve")]
    for client in others if path == "v1/directory" else ():
        client.post("v1/statuses", status="hm")
        for uid in range(1, 6):
            client.call(f"POST /api/v1/accounts/{uid}/follow")
    everybody = [one.get("account", one)["acct"] for one in ann.get(path)]
    assert walked(ann, path) == everybody and len(set(everybody)) == len(everybody) >= 4
    assert links(ann, path, limit=2)["next"].endswith(f"/{path}?limit=2&offset=2")


def test_a_suggestion_says_why(app: Flask, member: SignUp) -> None:
    ann, ben, *_ = [connected(app, member(login)) for login in ("ann", "ben", "cas", "dan")]
    ann.post("v1/accounts/2/follow")
    ben.post("v1/accounts/3/follow")
    ben.call("POST /api/v1/statuses", data={"status": "hm"})
    compute(app.extensions["linnet.db"], 1)
    why = {one["account"]["acct"]: one["sources"] for one in ann.get("v2/suggestions")}
    assert why == {"cas": ["friends_of_friends"], "dan": ["featured"]}


def test_a_search_by_a_whole_login_leaves_nobody_out(app: Flask, member: SignUp) -> None:
    names = ["owl", *(f"owl{number}" for number in range(6))]
    ann, *_ = [connected(app, member(login)) for login in ("ann", *names)]
    found = walked(ann, "v2/search", q="owl", type="accounts")
    assert found[0] == "owl" and sorted(found) == names


@pytest.mark.parametrize("path", ["v2/search", "v1/accounts/search", "v2/suggestions"])
def test_no_entry_comes_again_after_the_deepest(three: Three, path: str) -> None:
    assert entries(three[0].get(path, q="ben", offset=0)) != []
    assert entries(three[0].get(path, q="ben", offset=OFFSET_MAX + 40)) == []


def test_the_history_of_a_hashtag_is_a_week(three: Three) -> None:
    for client in three[:2]:
        client.post("v1/statuses", status="#swifts")
    history = three[2].get("v1/tags/swifts")["history"]
    days = [int(one["day"]) for one in history]
    assert days == [days[0] - 86_400 * ago for ago in range(7)]
    assert [one["accounts"] for one in history] == [one["uses"] for one in history]
    assert sum(int(one["accounts"]) for one in history) == 2


def test_popular_posts_of_few_authors_are_paged_in_one_order(three: Three) -> None:
    ann, ben, carl = three
    for author in (ben, *[ann] * 4):
        posted = author.post("v1/statuses", status="hm")["id"]
        carl.post(f"v1/statuses/{posted}/favourite")
    path = "v1/trends/statuses"
    pages = [ids(carl.get(path, limit=2, offset=place)) for place in (0, 2, 4)]
    assert [one for page in pages for one in page] == ids(carl.get(path))
    assert len(carl.get(path)) == 5
