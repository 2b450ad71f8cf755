"""The pages of suggestions."""

import re

from flask.testing import FlaskClient

from tests.conftest import PASSWORD, SignUp
from tests.support.world import store_of
from webapp.explore.suggestions import keys
from webapp.explore.suggestions.jobs import compute

PATHS = ("/explore/people", "/explore/people/few", "/welcome/people")
BACK = {"/explore/people/few": "/explore/people"}  # where its buttons lead without scripts


def logins(client: FlaskClient, path: str = "/explore/people") -> list[str]:
    page = client.get(path, follow_redirects=True).text
    return re.findall(r'suggestion"(?: data-row)?>\s*<a class="person-link" href="/@(\w+)"', page)


def test_rows_have_reasons_and_buttons(member: SignUp) -> None:
    ann, ben, *_ = map(member, ("ann", "ben", "cas", "dan"))
    for login in ("cas", "dan"):
        ben.post(f"/@{login}/follow")
    ann.post("/@ben/follow")
    compute(store_of(ann.application), 1)
    for path in PATHS:
        page = ann.get(path).text
        assert page.count("Followed by Ben") == 2, path
        assert 'action="/@cas/follow"' in page and 'action="/@cas/dismiss"' in page
        back = BACK.get(path, path)
        assert set(re.findall(r'name="next" value="(/[ew][^"]+)"', page)) == {back}
    response = ann.post("/@cas/dismiss", data={"next": "/explore/people"})
    assert (response.status_code, response.location) == (303, "/explore/people")
    assert logins(ann) == logins(ann, "/explore/people/few") == ["dan"]
    ann.post("/@dan/follow")
    assert logins(ann) == []
    assert "No more suggestions" in ann.get("/explore/people").text


def test_the_short_list_has_three(member: SignUp) -> None:
    ann, *_ = map(member, ("ann", "ben", "cas", "dan", "eve"))
    assert logins(ann, "/explore/people/few") == ["eve", "dan", "cas"]
    assert logins(ann) == ["eve", "dan", "cas", "ben"]


def test_names_and_hashtags_are_escaped(member: SignUp) -> None:
    ann, ben, _ = map(member, ("ann", "ben", "cas"))
    ben.post("/settings/profile", data={"name": '<b>"Ben"</b>'})
    ben.post("/@cas/follow")
    ann.post("/@ben/follow")
    compute(store_of(ann.application), 1)
    for path in PATHS:
        page = ann.get(path).text
        assert "Followed by &lt;b&gt;" in page and "<b>&#34;" not in page


def test_visitors_see_popular_members_without_buttons(client: FlaskClient, member: SignUp) -> None:
    ann, _ = member("ann"), member("ben")
    assert "No suggestions yet" in client.get("/explore/people").text
    ann.post("/statuses", data={"text": "hello", "key": "1" * 32})
    store_of(ann.application).run(("DEL", keys.popular()))
    page = client.get("/explore/people").text
    assert logins(client) == ["ann"] and "Active lately" in page
    assert "/follow" not in page and "/dismiss" not in page and "Sign up" in page
    assert 'href="/explore/people" aria-current="page"' in page
    ann.post("/settings/delete", data={"password": PASSWORD})
    assert logins(client) == []


def test_bad_dismissals_are_refused_in_words(ann: FlaskClient, member: SignUp) -> None:
    assert ann.post("/@ann/dismiss").status_code == 422
    assert ann.post("/@nobody/dismiss").status_code == 404
    assert ann.get("/@ann/dismiss").status_code == 405
    response = ann.post("/@nobody/dismiss", data={"next": "https://elsewhere.example"})
    assert response.status_code == 404
    member("ben")
    response = ann.post("/@ben/dismiss", data={"next": "//elsewhere.example"})
    assert response.location == "/explore/people"
