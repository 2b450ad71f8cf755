"""URL converters: valid ids and logins reach the view parsed, others give a 404 page."""

import pytest
from flask import Flask
from werkzeug.exceptions import NotFound

from webapp.core.store.ids import MAX_ID
from webapp.core.web import converters


@pytest.fixture
def rules() -> Flask:
    app = Flask(__name__)
    converters.init(app)
    app.add_url_rule("/statuses/<id:status_id>", "status")
    app.add_url_rule("/@<login:login>/<id:status_id>", "authored")
    return app


def test_an_id_is_an_integer_in_views_and_urls(rules: Flask) -> None:
    urls = rules.url_map.bind("localhost")
    assert urls.match(f"/statuses/{MAX_ID}") == ("status", {"status_id": MAX_ID})
    assert urls.match("/@Ann_1/7") == ("authored", {"login": "Ann_1", "status_id": 7})
    assert urls.build("authored", {"login": "Ann_1", "status_id": 7}) == "/@Ann_1/7"


@pytest.mark.parametrize(
    "path",
    [
        *(f"/statuses/{text}" for text in ("0", "07", "-1", "1.0", "a", "٣", MAX_ID + 1, "9" * 17)),
        *(f"/@{login}/7" for login in ("", "no-body", "sixteen_letters_", "é", "a.b", "a b")),
    ],
)
def test_an_invalid_id_or_login_matches_no_view(rules: Flask, path: str) -> None:
    with pytest.raises(NotFound):
        rules.url_map.bind("localhost").match(path)
