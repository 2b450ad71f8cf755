"""Pages of protected members: the setting, the notice to strangers, requests and answers."""

from __future__ import annotations

import re
from collections.abc import Callable

from flask import Flask
from flask.testing import FlaskClient

from tests.system.test_pages import write

Join = Callable[[str], FlaskClient]
PROTECT, PUBLIC = {"protected": "y"}, dict[str, str]()


def test_a_protected_profile_says_so_and_shows_nothing_but_who_it_is(
    app: Flask, member: Join
) -> None:
    ann, ben, visitor = member("ann"), member("ben"), app.test_client()
    status = write(ann, "a wren sings")
    ann.post("/settings/profile", data={"name": "Wren", "bio": "small and loud"})
    for path in (
        "/",
        "/public",
        "/@ann",
        "/@ann/replies",
        f"/@ann/{status}",
        "/@ann/feed.atom",
        "/public.atom",
    ):
        assert "a wren sings" in visitor.get(path).text, path
    answer = ann.post("/settings/privacy", data=PROTECT)
    assert answer.status_code == 303 and answer.location == "/settings/privacy"
    assert "Your posts are protected now." in ann.get("/settings/privacy").text
    assert re.search(
        r"<input[^>]* checked[^>]* name=\"protected\"", ann.get("/settings/privacy").text
    )
    for client in (visitor, ben):
        page = client.get("/@ann").text
        assert "These posts are protected" in page and "small and loud" in page and "Wren" in page
        assert "<b>1</b> post" in page and "feed.atom" not in page
        for path in (
            "/",
            "/public",
            "/@ann",
            "/@ann/replies",
            f"/@ann/{status}",
            "/@ann/feed.atom",
            "/public.atom",
        ):
            assert "a wren sings" not in client.get(path).text, path
        assert client.get(f"/@ann/{status}").status_code == 404
        for path in ("/@ann/followers", "/@ann/following"):
            assert "This list is protected" in client.get(path).text
    assert "a wren sings" in ann.get("/@ann").text
    ann.post("/settings/privacy", data=PUBLIC)
    for path in ("/", "/public", "/@ann", f"/@ann/{status}", "/@ann/feed.atom"):
        assert "a wren sings" in visitor.get(path).text, path


def test_requests_are_made_shown_counted_and_answered(member: Join) -> None:
    ann, ben, cid = member("ann"), member("ben"), member("cid")
    write(ann, "a wren sings")
    ann.post("/settings/privacy", data=PROTECT)
    for one in (ben, cid):
        answer = one.post("/@ann/follow")
        assert answer.status_code == 303
        assert (
            'action="/@ann/unfollow"' in one.get("/@ann").text
            and "Requested" in one.get("/@ann").text
        )
    page = ann.get("/requests")
    assert page.headers["Cache-Control"] == "no-store"
    assert 'action="/@ben/accept"' in page.text and 'action="/@cid/refuse"' in page.text
    told = ann.get("/notifications").text
    assert "asked to follow you" in told and 'href="/requests"' in told and ">2</span>" in told
    assert "can follow you now" in ann.post("/@ben/accept", follow_redirects=True).text
    assert "does not exist any more" in ann.post("/@ben/accept", follow_redirects=True).text
    assert "You refused the request" in ann.post("/@cid/refuse", follow_redirects=True).text
    assert "a wren sings" in ben.get("/home").text and "a wren sings" in ben.get("/@ann").text
    assert "This list is protected" not in ben.get("/@ann/followers").text
    assert (
        'action="/@ann/follow"' in cid.get("/@ann").text
        and "a wren sings" not in cid.get("/@ann").text
    )
    page = ann.get("/@ann/followers").text
    assert (
        'action="/@ben/remove-follower"' in page
        and "remove-follower" not in ben.get("/@ann/followers").text
    )
    assert "They aren’t notified." in ann.post("/@ben/remove-follower", follow_redirects=True).text
    assert "a wren sings" not in ben.get("/home").text
    assert "a wren sings" not in ben.get("/@ann").text


def test_what_is_not_so_is_answered_and_visitors_are_asked_to_sign_in(
    app: Flask, member: Join
) -> None:
    ann, visitor = member("ann"), app.test_client()
    member("ben")
    for path in ("/@ben/accept", "/@ben/refuse", "/@ben/remove-follower"):
        assert ann.post(path).status_code == 303
        assert ann.post(path.replace("ben", "nobody")).status_code == 404
        assert visitor.post(path).status_code == 303 and "/login" in visitor.post(path).location
    assert "Nobody has to ask" in ann.get("/requests").text
    assert ann.get("/requests?max_id=x").status_code == 422
    for path in ("/requests", "/settings/privacy"):
        assert visitor.get(path).status_code == 303


def test_a_page_with_a_protected_member_takes_no_more_trips(app: Flask, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    write(ann, "a wren sings")
    db = app.extensions["linnet.db"]

    def trips(client: FlaskClient, path: str) -> int:
        before = db.trips
        client.get(path)
        return int(db.trips - before)

    paths = ("/@ann", "/@ann/followers", "/public", "/home")
    before = [trips(ben, path) for path in paths]
    ann.post("/settings/privacy", data=PROTECT)
    after = [trips(ben, path) for path in paths]
    assert all(late <= early for early, late in zip(before, after, strict=True))
    assert trips(ann, "/requests") <= 5 and trips(ann, "/notifications") <= 5
