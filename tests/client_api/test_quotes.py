"""Quotes through the client API: as each reader may see them, and who may make them."""

from typing import Any

from flask import Flask

from tests.conftest import SignUp
from tests.support.client_api import ApiClient, Three, connected, ids
from webapp.client_api.presentation import Wanted, present_wanted


def quoted_by_ben(ann: ApiClient, ben: ApiClient) -> tuple[Any, Any]:
    """Let ben quote a status of ann. Return both."""
    original = ann.post("v1/statuses", status="said @carl")
    return original, ben.post("v1/statuses", status="so", quoted_status_id=original["id"])


def test_a_quote_holds_the_quoted_status_as_its_reader_sees_it(three: Three) -> None:
    ann, ben, carl = three
    original, quote = quoted_by_ben(ann, ben)
    carl.post(f"v1/statuses/{original['id']}/favourite")
    shown = carl.get(f"v1/statuses/{quote['id']}")["quote"]
    assert shown == {
        "state": "accepted",
        "quoted_status": carl.get(f"v1/statuses/{original['id']}"),
    }
    assert shown["quoted_status"]["favourited"] and shown["quoted_status"]["mentions"]
    assert original["quote"] is None and quote["content"].startswith('<p class="quote-inline">RE: ')
    again = carl.post("v1/statuses", status="and", quoted_status_id=quote["id"])
    inner = again["quote"]["quoted_status"]["quote"]
    assert inner == {"state": "accepted", "quoted_status_id": original["id"]}
    [public, *_] = carl.get("v1/timelines/public")
    assert public == carl.get(f"v1/statuses/{again['id']}")


def test_a_quoted_status_that_one_may_not_see_looks_as_one_that_is_gone(three: Three) -> None:
    ann, ben, carl = three
    original, quote = quoted_by_ben(ann, ben)
    path = f"v1/statuses/{quote['id']}"
    carl.post("v1/accounts/1/mute")
    assert carl.get(path)["quote"]["state"] == "muted_account"
    carl.post("v1/accounts/1/block")
    hidden = carl.get(path)["quote"]
    assert hidden == {"state": "unauthorized", "quoted_status": None}
    carl.post("v1/accounts/1/unblock")
    carl.post("v1/accounts/1/unmute")
    assert carl.get(path)["quote"]["state"] == "accepted"
    ann.call(f"DELETE /api/v1/statuses/{original['id']}")
    assert carl.get(path)["quote"] == hidden


def test_readers_of_one_quote_share_nothing_that_is_of_one_of_them(
    app: Flask, member: SignUp, three: Three
) -> None:
    ann, ben, carl = three
    dan, eve = (connected(app, member(login)) for login in ("dan", "eve"))
    innermost = carl.post("v1/statuses", status="of carl")
    poll = {"poll[options][]": ["yes", "no"], "poll[expires_in]": "3600"}
    quoted = ann.post("v1/statuses", status="a gull", quoted_status_id=innermost["id"], **poll)
    quote = ben.post("v1/statuses", status="so", quoted_status_id=quoted["id"])
    keyword = {"keywords_attributes[0][keyword]": "gull"}
    dan.post("v2/filters", **{"title": "secret", "context[]": "public", **keyword})
    eve.post(f"v1/polls/{quoted['id']}/votes", **{"choices[]": "0"})
    member("fay"), member("gus")
    carl.post("v1/accounts/7/block")
    readers = [Wanted(uid, ((int(quote["id"]), 2),), "public") for uid in (4, 5, 6, 7)]
    with app.test_request_context():
        found = [one[int(quote["id"])].quote for one in present_wanted(readers)]
    shown = [one.quoted_status for one in found if one]
    assert [len(one.filtered) for one in shown] == [1, 0, 0, 0]
    assert [one.poll.own_votes for one in shown] == [[], [0], [], []]
    assert [one.quote.state for one in shown] == [*["accepted"] * 3, "unauthorized"]


def test_who_is_quoted_takes_the_status_out_again(three: Three) -> None:
    ann, ben, carl = three
    original, quote = quoted_by_ben(ann, ben)
    assert ids(carl.get(f"v1/statuses/{original['id']}/quotes")) == [int(quote["id"])]
    route = f"POST /api/v1/statuses/{original['id']}/quotes/{quote['id']}/revoke"
    assert ben.call(route).status_code == carl.call(route).status_code == 404
    wrong = f"POST /api/v1/statuses/{quote['id']}/quotes/{original['id']}/revoke"
    assert ann.call(wrong).status_code == 404
    revoked = {"state": "revoked", "quoted_status": None}
    assert ann.call(route).json["quote"] == revoked
    assert carl.get(f"v1/statuses/{quote['id']}")["quote"] == revoked
    assert "quote-inline" not in carl.get(f"v1/statuses/{quote['id']}")["content"]


def test_the_author_chooses_who_may_quote(three: Three) -> None:
    ann, ben, _ = three
    posted = ann.post("v1/statuses", status="hm", quote_approval_policy="nobody")
    path, sent = f"v1/statuses/{posted['id']}", {"status": "?", "quoted_status_id": posted["id"]}

    def approval(client: ApiClient) -> Any:
        return client.get(path)["quote_approval"]

    denied = {"automatic": [], "manual": [], "current_user": "denied"}
    assert approval(ben) == denied and approval(ann)["current_user"] == "automatic"
    assert ben.call("POST /api/v1/statuses", data=sent).status_code == 403
    route = f"PUT /api/{path}/interaction_policy"
    assert ben.call(route, json={"quote_approval_policy": "public"}).status_code == 404
    assert ann.call(route, json={"quote_approval_policy": "friends"}).status_code == 422
    ann.call(route, json={"quote_approval_policy": "followers"})
    assert approval(ben) == {**denied, "automatic": ["followers"]}
    ben.post("v1/accounts/1/follow")
    assert approval(ben)["current_user"] == "automatic"
    ann.call(f"PUT /api/{path}", json={"quote_approval_policy": "public"})
    assert approval(three[2])["current_user"] == "automatic"
    private = ann.post("v1/statuses", status="for few", visibility="private")
    assert ben.get(f"v1/statuses/{private['id']}")["quote_approval"] == denied
