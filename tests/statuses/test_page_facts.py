"""What stands beside a page: hashtags and people of what it shows openly."""

from flask.testing import FlaskClient

from tests.support.pages import page_text, post_status
from tests.support.world import Web


def test_hashtags_behind_a_warning_are_not_beside_the_page(ann: FlaskClient, web: Web) -> None:
    post_status(ann, "first light #DawnChorus")
    ann.post("/statuses", data={"text": "she leaves him #TheEnd", "cw": "How the film ends"})
    for viewer in (ann, web.client):
        for path in ("/public", "/@ann"):
            aside = page_text(viewer.get(path)).partition("Hashtags on this page")[2]
            assert "#dawnchorus" in aside and "#theend" not in aside, path
