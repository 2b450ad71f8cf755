"""Conversations of private mentions, through the client API."""

import re

from tests.conftest import SignUp
from tests.support.client_api import Three, ids

NOT_FOUND = (404, {"error": "Record not found"})


def test_a_conversation_is_read_and_answered(three: Three) -> None:
    ann, ben, carl = three
    first = ann.post("v1/statuses", status="@ben hi", visibility="direct")
    [seen] = ben.get("v1/conversations")
    assert seen["unread"] and seen["last_status"]["id"] == first["id"]
    assert [one["acct"] for one in seen["accounts"]] == ["ann"]
    assert not ben.post(f"v1/conversations/{seen['id']}/read")["unread"]
    assert ben.post(f"v1/conversations/{seen['id']}/unread")["unread"]
    ben.post("v1/statuses", status="hi", in_reply_to_id=first["id"], visibility="direct")
    [answered] = ann.get("v1/conversations")
    assert answered["id"] == seen["id"] and answered["unread"]
    assert len(ids(ann.get("v1/timelines/direct"))) == 2
    assert carl.get("v1/conversations") == carl.get("v1/timelines/direct") == []
    for route in (f"POST {seen['id']}/read", f"DELETE {seen['id']}"):
        method, _, path = route.partition(" ")
        answer = carl.call(f"{method} /api/v1/conversations/{path}")
        assert (answer.status_code, answer.json) == NOT_FOUND
    assert ann.call(f"DELETE /api/v1/conversations/{seen['id']}").json == {}
    assert ann.get("v1/conversations") == [] and len(ben.get("v1/conversations")) == 1
    assert ann.get(f"v1/statuses/{first['id']}")["id"] == first["id"]


def test_pages_of_conversations_go_on(three: Three) -> None:
    ann, ben, _ = three
    posted = [
        int(ann.post("v1/statuses", status=f"@ben {at}", visibility="direct")["id"])
        for at in range(4)
    ]
    lasts = [int(one["last_status"]["id"]) for one in ben.get("v1/conversations", limit=2)]
    assert lasts == posted[:1:-1]
    older = ben.get("v1/conversations", limit=2, max_id=lasts[-1])
    assert [int(one["last_status"]["id"]) for one in older] == posted[1::-1]


def test_who_is_blocked_is_not_in_it(three: Three) -> None:
    ann, ben, _ = three
    ann.post("v1/statuses", status="@ben hi", visibility="direct")
    ben.post("v1/accounts/1/block")
    assert ben.get("v1/conversations") == []


def test_the_site_has_a_page_of_them(member: SignUp, three: Three) -> None:
    three[0].post("v1/statuses", status="@dora psst", visibility="direct")
    dora = member("dora")
    assert "No private mentions yet" in dora.get("/notifications/private").text
    three[0].post("v1/statuses", status="@dora psst again", visibility="direct")
    page = dora.get("/notifications/private").text
    assert "psst again" in page and 'aria-current="page">Private mentions' in page
    for part in ('href="/notifications" aria-current="page"', 'href="/settings/notifications"'):
        assert part in re.sub(r"\s+", " ", page), part
