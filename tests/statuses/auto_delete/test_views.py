"""The page of automatic deletion: it asks before anything is deleted."""

import re

from flask.testing import FlaskClient

from tests.support.pages import page_text, post_status
from tests.support.world import Web

PATH = "/settings/delete-posts"


def chosen(client: FlaskClient) -> tuple[str, list[str]]:
    """Return the age that the page shows, in days, and the exceptions that are ticked."""
    page = client.get(PATH).text
    age = re.search(r'<option selected value="(\d*)">', page)
    assert age
    return age[1], re.findall(r'<input checked [^>]*name="(\w+)"', page)


def test_a_rule_is_saved_when_the_member_has_confirmed_it(ann: FlaskClient) -> None:
    post_status(ann, "hello")
    assert PATH in ann.get("/settings").text and chosen(ann) == ("", ["pinned"])
    form = {"days": "30", "pinned": "y", "liked": "y"}
    asked = ann.post(PATH, data=form)
    assert asked.status_code == 200 and "None of your posts is that old yet." in page_text(asked)
    assert chosen(ann) == ("", ["pinned"]), "nothing is saved yet"
    confirmed = re.search(r'name="confirmed"[^>]* value="([^"]+)"', asked.text)
    assert confirmed and confirmed[1] == "30 liked pinned"
    other = ann.post(PATH, data={**form, "days": "7", "confirmed": confirmed[1]})
    assert "Delete old posts from now on" in other.text, "it asks about what was changed"
    saved = ann.post(PATH, data={**form, "confirmed": confirmed[1]})
    assert (saved.status_code, saved.location) == (303, PATH)
    assert "Deletion begins in an hour." in ann.get(PATH).text
    assert chosen(ann) == ("30", ["pinned", "liked"])
    assert ann.post(PATH, data=form).status_code == 303, "the same again needs no question"
    assert "begins in an hour" not in ann.get(PATH).text
    ann.post(PATH, data={"days": ""})
    assert chosen(ann)[0] == ""


def test_other_ages_are_refused_and_nobody_else_sees_the_rule(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    ann.post(PATH, data={"days": "7", "confirmed": "7"})
    for days in ("1", "x", "-7", "7 pinned"):
        refused = ann.post(PATH, data={"days": days, "media": "y", "confirmed": days})
        assert refused.status_code == 422 and "Not a valid choice" in page_text(refused)
    assert chosen(ann) == ("7", []) and chosen(ben) == ("", ["pinned"])
