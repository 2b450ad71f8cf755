"""Boosts as statuses of the client API, with ids of their own."""

import pytest
from flask import Flask

from tests.support.client_api import ApiClient, Three, ids
from webapp.core.store import Db
from webapp.statuses.interactions import keys


@pytest.fixture
def clients(three: Three) -> Three:
    """The apps of ann, ben and carl; carl follows ben."""
    three[2].post("v1/accounts/2/follow")
    return three


def boosted(ann: ApiClient, ben: ApiClient) -> tuple[str, str]:
    """Let ben boost a status of ann. Return the ids of the status and of the boost."""
    posted = ann.post("v1/statuses", status="worth it")["id"]
    boost = ben.post(f"v1/statuses/{posted}/reblog")
    assert boost["account"]["acct"] == "ben" and boost["reblog"]["id"] == posted
    return posted, boost["id"]


def test_a_boost_of_a_home_can_be_looked_up(clients: Three) -> None:
    _, boost = boosted(*clients[:2])
    for reader in clients:
        found = reader.get(f"v1/statuses/{boost}")
        assert (found["id"], found["reblog"]["account"]["acct"]) == (boost, "ann")
    [shown] = clients[2].get("v1/timelines/home")
    assert shown == clients[2].get(f"v1/statuses/{boost}")


def test_what_is_done_to_a_boost_is_done_to_what_it_shows(clients: Three) -> None:
    ann, ben, carl = clients
    posted, boost = boosted(ann, ben)
    for act, flag in (("favourite", "favourited"), ("bookmark", "bookmarked")):
        acted = carl.post(f"v1/statuses/{boost}/{act}")
        assert acted["id"] == posted and acted[flag]
    assert carl.post(f"v1/statuses/{boost}/reblog")["reblog"]["id"] == posted
    assert not carl.post(f"v1/statuses/{boost}/unreblog")["reblogged"]
    assert carl.get(f"v1/statuses/{boost}/source")["id"] == posted
    reply = carl.post("v1/statuses", status="yes", in_reply_to_id=boost)
    assert reply["in_reply_to_id"] == posted
    assert ids(carl.get(f"v1/statuses/{boost}/context")["descendants"]) == [int(reply["id"])]
    assert ids(carl.get(f"v1/statuses/{boost}/reblogged_by")) == [2]


def test_ones_own_boost_is_deleted_and_nothing_else(clients: Three) -> None:
    ann, ben, _ = clients
    posted, boost = boosted(ann, ben)
    assert ann.call(f"DELETE /api/v1/statuses/{boost}").status_code == 404
    assert ben.call(f"DELETE /api/v1/statuses/{boost}").json["reblog"]["id"] == posted
    assert ben.call(f"GET /api/v1/statuses/{boost}").status_code == 404
    assert ann.get(f"v1/statuses/{posted}")["reblogs_count"] == 0


def test_a_boost_that_one_may_not_see_is_not_found(clients: Three) -> None:
    ann, ben, carl = clients
    posted, boost = boosted(ann, ben)
    carl.post("v1/accounts/2/block")
    for route in ("GET", "DELETE"):
        assert carl.call(f"{route} /api/v1/statuses/{boost}").status_code == 404
    answer = carl.call(f"POST /api/v1/statuses/{boost}/favourite")
    assert (answer.status_code, answer.json) == (404, {"error": "Record not found"})
    sent = {"status": "x", "in_reply_to_id": boost}
    assert carl.call("POST /api/v1/statuses", data=sent).status_code == 404
    assert ann.get(f"v1/statuses/{posted}")["favourites_count"] == 0


def test_nothing_stays_of_a_boost_that_is_gone(app: Flask, clients: Three) -> None:
    ann, ben, _ = clients
    posted, boost = boosted(ann, ben)
    db: Db = app.extensions["linnet.db"]
    key = keys.boost(int(boost))
    assert db.run(("GET", key)) == f"2:{posted}:1"
    ann.call(f"DELETE /api/v1/statuses/{posted}")
    assert db.run(("GET", key)) is None
    assert ann.call(f"GET /api/v1/statuses/{boost}").status_code == 404


def test_several_statuses_may_be_boosts(three: Three) -> None:
    ann, ben, carl = three
    status = ann.post("v1/statuses", status="hm")["id"]
    boost = ben.post(f"v1/statuses/{status}/reblog")["id"]
    found = carl.get("v1/statuses", **{"id[]": [boost, status, "7"]})
    assert ids(found) == [int(boost), int(status)]
    assert found[0]["reblog"]["id"] == status
    ann.post("v1/accounts/3/block")
    assert carl.get("v1/statuses", **{"id[]": [boost, status]}) == []
