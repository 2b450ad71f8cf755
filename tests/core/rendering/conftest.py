"""Two members whose pages are kept, and what changes them."""

import pytest
from flask.testing import FlaskClient

from tests.support.pages import post_status
from tests.support.world import Web


@pytest.fixture
def author(web: Web) -> FlaskClient:
    """A member with a post and a list, and with a reader."""
    author = web.member("ann")
    post_status(author, "a song of the #reeds")
    assert author.post("/lists", data={"name": "singers"}).status_code == 303
    author.get("/settings")  # shows the notice, and gives the browser its form token
    return author


@pytest.fixture
def reader(web: Web, author: FlaskClient) -> FlaskClient:
    """A member who follows ann."""
    reader = web.member("ben")
    assert reader.post("/@ann/follow").status_code == 303
    reader.get("/settings")
    return reader
