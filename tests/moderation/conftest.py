"""What the tests of moderators' pages share."""

import pytest
from flask.testing import FlaskClient

from tests.support.held_posts import TERM
from tests.support.world import Web


@pytest.fixture
def boss(web: Web) -> FlaskClient:
    """The client of an admin, who wants to see a word."""
    boss = web.member("boss", "admin")
    assert boss.post("/moderation/terms", data=TERM).status_code == 303
    return boss
