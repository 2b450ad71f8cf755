"""What stands beside a page: hashtags and people of what it shows openly."""

from __future__ import annotations

from flask.testing import FlaskClient

from tests.conftest import SignUp
from tests.support.pages import page_text, post_status


def test_hashtags_behind_a_warning_are_not_beside_the_page(
    client: FlaskClient, member: SignUp
) -> None:
    ann = member("ann")
    post_status(ann, "first light #DawnChorus")
    ann.post("/statuses", data={"text": "she leaves him #TheEnd", "cw": "How the film ends"})
    for viewer in (ann, client):
        for path in ("/public", "/@ann"):
            aside = page_text(viewer.get(path)).partition("Hashtags on this page")[2]
            assert "#dawnchorus" in aside and "#theend" not in aside, path
