"""Pages of protected members: the setting, the notice, requests and their answers."""

import re

from flask.testing import FlaskClient

from tests.support.pages import post_status
from tests.support.world import Web

PROTECT = {"protected": "y"}
PUBLIC = dict[str, str]()


def test_a_protected_profile_shows_strangers_only_the_profile(web: Web) -> None:
    ann, ben, visitor = web.member("ann"), web.member("ben"), web.app.test_client()
    status_id = post_status(ann, "a wren sings")
    ann.post("/settings/profile", data={"name": "Wren", "bio": "small and loud"})
    paths = (
        "/",
        "/public",
        "/@ann",
        "/@ann/replies",
        f"/@ann/{status_id}",
        "/@ann/feed.atom",
        "/public.atom",
    )
    for path in paths:
        assert "a wren sings" in visitor.get(path).text, path
    answer = ann.post("/settings/privacy", data=PROTECT)
    assert answer.status_code == 303 and answer.location == "/settings/privacy"
    assert "Your posts are now protected." in ann.get("/settings/privacy").text
    assert re.search(
        r"<input[^>]* checked[^>]* name=\"protected\"", ann.get("/settings/privacy").text
    )
    for client in (visitor, ben):
        page = client.get("/@ann").text
        assert "These posts are protected" in page and "small and loud" in page and "Wren" in page
        assert "</b> post" not in page and "feed.atom" not in page
        for path in paths:
            assert "a wren sings" not in client.get(path).text, path
        assert client.get(f"/@ann/{status_id}").status_code == 404
        for path in ("/@ann/followers", "/@ann/following"):
            assert "This list is protected" in client.get(path).text
    assert "a wren sings" in ann.get("/@ann").text and "<b>1</b> post" in ann.get("/@ann").text
    ann.post("/settings/privacy", data=PUBLIC)
    for path in ("/", "/public", "/@ann", f"/@ann/{status_id}", "/@ann/feed.atom"):
        assert "a wren sings" in visitor.get(path).text, path


def test_a_protected_member_sees_and_answers_requests(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    post_status(ann, "a wren sings")
    ann.post("/settings/privacy", data=PROTECT)
    for requester in (ben, cid):
        answer = requester.post("/@ann/follow")
        assert answer.status_code == 303
        assert 'action="/@ann/unfollow"' in requester.get("/@ann").text
        assert "Requested" in requester.get("/@ann").text
    page = ann.get("/requests")
    assert page.headers["Cache-Control"] == "no-store"
    assert 'action="/@ben/accept"' in page.text and 'action="/@cid/refuse"' in page.text
    notifications = ann.get("/notifications").text
    assert "asked to follow you" in notifications
    assert 'href="/requests"' in notifications
    assert ">2</span>" in notifications
    accepted = ann.post("/@ben/accept", follow_redirects=True).text
    assert "You accepted the follow request from @ben." in accepted
    assert "This request no longer exists." in ann.post("/@ben/accept", follow_redirects=True).text
    declined = ann.post("/@cid/refuse", follow_redirects=True).text
    assert "You declined the follow request from @cid." in declined
    assert "a wren sings" in ben.get("/home").text and "a wren sings" in ben.get("/@ann").text
    assert "This list is protected" not in ben.get("/@ann/followers").text
    assert 'action="/@ann/follow"' in cid.get("/@ann").text
    assert "a wren sings" not in cid.get("/@ann").text
    assert 'formaction="/@ben/remove-follower"' in ann.get("/@ben/menu").text
    assert "remove-follower" not in ben.get("/@ann/menu").text
    assert "They aren’t told." in ann.post("/@ben/remove-follower", follow_redirects=True).text
    assert "a wren sings" not in ben.get("/home").text
    assert "a wren sings" not in ben.get("/@ann").text


def test_answers_without_a_request_do_nothing(web: Web) -> None:
    ann, _ = web.member("ann"), web.member("ben")
    for path in ("/@ben/accept", "/@ben/refuse", "/@ben/remove-follower"):
        assert ann.post(path).status_code == 303
        assert ann.post(path.replace("ben", "nobody")).status_code == 404
    assert "Anyone can follow you" in ann.get("/requests").text
    assert ann.get("/requests?max_id=x").status_code == 422


def test_a_page_with_a_protected_member_takes_no_more_trips(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    post_status(ann, "a wren sings")

    def trips(client: FlaskClient, path: str) -> int:
        before = web.db.trips
        client.get(path)
        return int(web.db.trips - before)

    paths = ("/@ann", "/@ann/followers", "/public", "/home")
    before = [trips(ben, path) for path in paths]
    ann.post("/settings/privacy", data=PROTECT)
    after = [trips(ben, path) for path in paths]
    assert all(
        trips_after <= trips_before for trips_before, trips_after in zip(before, after, strict=True)
    )
    assert trips(ann, "/requests") <= 5 and trips(ann, "/notifications") <= 5
