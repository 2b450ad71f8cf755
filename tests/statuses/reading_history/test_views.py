"""The page of the posts that a member has opened, and the switch that hides numbers."""

from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.pages import check_error, page_text, post_status, status_ids
from tests.support.world import Web


def test_a_member_finds_a_post_again_clears_the_page_and_switches_it_off(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    theirs, own = post_status(ben, "ben sings"), post_status(ann, "ann listens")
    assert "Find a post again" in ann.get("/history").text
    assert ann.post("/history", data={"choice": "on"}).location == "/history"
    assert "Posts you open from now on show here." in page_text(ann.get("/history"))
    for path in (f"/@ben/{theirs}", f"/@ann/{own}"):
        ann.get(path)
    web.app.extensions["linnet.views"].flush()
    page = ann.get("/history")
    assert status_ids(page) == [theirs] and page.headers["Cache-Control"] == "no-store"
    assert status_ids(ben.get("/history")) == []
    ann.post("/history", data={"choice": "clear"})
    assert status_ids(ann.get("/history")) == []
    ann.post("/history", data={"choice": "off"})
    page = ann.get("/history")
    assert "The posts you opened were forgotten." in page.text and "Switch on" in page.text


def test_an_unknown_choice_is_refused(ann: FlaskClient) -> None:
    for choice in ("", "perhaps"):
        answer = ann.post("/history", data={"choice": choice})
        check_error(answer, 422, "Choose to switch it on or off, or to clear it.")


def test_numbers_below_posts_are_hidden_in_all_browsers_of_the_member(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    path = f"/@ann/{post_status(ann, 'counted')}"
    ben.post(f"/statuses/{path.rpartition('/')[2]}/like")
    assert 'data-counts="off"' not in ann.get(path).text
    assert ann.post("/preferences", data={"counts": "off"}).status_code == 303
    assert 'data-counts="off"' in ann.get(path).text
    other = web.app.test_client()
    other.post("/login", data={"login": "ann", "password": PASSWORD})
    assert 'data-counts="off"' in other.get(path).text
    assert ann.post("/preferences", data={"counts": "some"}).status_code == 422
    ann.post("/preferences", data={"counts": "on"})
    assert 'data-counts="off"' not in ann.get(path).text
