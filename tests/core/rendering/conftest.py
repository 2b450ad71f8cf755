"""Two members whose pages are kept, and what changes them."""

import pytest
from flask.testing import FlaskClient

from tests.support.pages import post_status
from tests.support.world import Web


@pytest.fixture
def ann(web: Web) -> FlaskClient:
    """A member with a post and a list, and with a reader."""
    ann = web.member("ann")
    post_status(ann, "a song of the #reeds")
    assert ann.post("/lists", data={"name": "singers"}).status_code == 303
    ann.get("/settings")  # shows the notice, and gives the browser its form token
    return ann


@pytest.fixture
def ben(web: Web, ann: FlaskClient) -> FlaskClient:
    """A member who follows ann."""
    ben = web.member("ben")
    assert ben.post("/@ann/follow").status_code == 303
    ben.get("/settings")
    return ben
