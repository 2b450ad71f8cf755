"""The first steps: offered to new members, each of them skippable, and never empty."""

import io
import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image

from tests.conftest import PASSWORD, SignUp, make_app
from tests.support.world import store_of
from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.explore.onboarding import keys
from webapp.timelines.tags import store as tags

OFFER = 'id="welcome-offer"'
STEPS = ("topics", "people", "picture", "codes", "post")


def followed(client: FlaskClient, uid: int = 1) -> set[str]:
    return set(store_of(client.application).read(tags.followed(uid)))


def progress(client: FlaskClient, step: str) -> str:
    """Return the progress that a step shows, or where it leads instead."""
    response = client.get(f"/welcome/{step}")
    if response.status_code == 303:
        return str(response.location)
    found = re.search(r'class="welcome-progress">([^<]+)<', response.text)
    assert found and response.status_code == 200
    return found[1]


def sign_up(app: Flask, **form: str) -> tuple[FlaskClient, str]:
    """Sign a member up. Return the browser, and where the form leads."""
    client = app.test_client()
    account = {"login": "ann", "name": "Ann", "password": PASSWORD}
    response = client.post("/signup", data={**account, **form})
    assert response.status_code == 303
    return client, response.location


def test_the_first_member_of_a_site_skips_what_is_empty(app: Flask) -> None:
    ann, path = sign_up(app)
    assert path == "/welcome"
    assert ann.get(path).location == "/welcome/picture"
    expected = ["/welcome/picture", "/welcome/picture", "1 of 3", "2 of 3", "3 of 3"]
    assert [progress(ann, step) for step in STEPS] == expected


def test_all_steps_are_offered_where_there_is_something(member: SignUp) -> None:
    member("ben").post("/statuses", data={"text": "hello #Birds"})
    ann = member("ann")
    assert ann.get("/welcome").location == "/welcome/topics"
    assert [progress(ann, step) for step in STEPS] == [f"{n} of 5" for n in range(1, 6)]
    for step, following in zip(STEPS, (*STEPS[1:], "done"), strict=True):
        assert f'href="/welcome/{following}"' in ann.get(f"/welcome/{step}").text
    ann.post("/welcome/topics", data={"topic": "birds"})
    assert ann.get("/welcome").location == "/welcome/people"
    ann.post("/@ben/follow")
    assert ann.get("/welcome").location == "/welcome/picture"
    assert ann.get("/welcome/people").location == "/welcome/picture", "nobody is left"


def test_topics_are_followed(member: SignUp) -> None:
    ben = member("ben")
    ben.post("/statuses", data={"text": "hello #Birds #sky"})
    ann = member("ann")
    assert 'value="birds"' in ann.get("/welcome/topics").text
    response = ann.post("/welcome/topics", data={"topic": ["birds", "Sky", "sky"]})
    assert (response.status_code, response.location) == (303, "/welcome/people")
    assert followed(ann, 2) == {"birds", "sky"}
    assert ann.post("/welcome/topics").status_code == 303, "none is fine"
    for bad in (["!"], ["birds", ""], [f"t{n}" for n in range(13)], ["\0"], ["x" * 5_000]):
        response = ann.post("/welcome/topics", data={"topic": bad})
        assert response.status_code == 422 and 'role="alert"' in response.text, bad
    assert "checked" in ann.post("/welcome/topics", data={"topic": ["birds", "!"]}).text
    assert followed(ann, 2) == {"birds", "sky"}


def test_too_many_topics_are_refused_in_words(settings: Config) -> None:
    app = make_app(replace(settings, followed_tags_max=1))
    ann, _ = sign_up(app)
    ann.post("/statuses", data={"text": "#one #two"})
    response = ann.post("/welcome/topics", data={"topic": ["one", "two"]})
    assert response.status_code == 422 and 'role="alert"' in response.text
    store_of(ann.application).close()


def test_topics_show_pictures_that_the_member_may_see(member: SignUp) -> None:
    ben, cas = member("ben"), member("cas")
    for client, text, cw in ((ben, "#birds", ""), (cas, "#birds", ""), (cas, "#sky", "eggs")):
        picture = io.BytesIO()
        Image.new("RGB", (30, 20), "#b45").save(picture, "PNG")
        picture.seek(0)
        form = {"text": text, "cw": cw, "pictures": (picture, "x.png"), "alt": ""}
        client.post("/statuses", data=form, content_type="multipart/form-data")
    ann = member("ann")
    page = ann.get("/welcome/topics").text
    assert len(re.findall(r'<img\s+src="/media/', page)) == 1 and "#sky" not in page
    assert "<b>cas</b>" in page.lower() and "2 posts" in page
    cas.post("/settings/privacy", data={"protected": "y"})
    assert "<b>ben</b>" in ann.get("/welcome/topics").text.lower(), "another one is shown"
    ann.post("/@ben/block")
    page = ann.get("/welcome/topics").text
    assert "#birds" in page and not re.findall(r'<img\s+src="/media/', page)


def test_topics_and_people_of_the_readers_language_come_first(member: SignUp) -> None:
    ann, ben, cas = member("ann"), member("ben"), member("cas")
    for number in range(3):
        text = f"The dawn chorus was lovely this morning, number {number} #song #dawn{number}"
        ben.post("/statuses", data={"text": text})
    cas.post("/statuses", data={"text": "今天早上的鸟鸣真好听，我们都很喜欢 #晨鸟"})
    for language, topic, person in (("en", "song", "ben"), ("zh", "晨鸟", "cas")):
        headers = {"Accept-Language": language}
        page = ann.get("/welcome/topics", headers=headers).text
        first = re.findall(r'name="topic" value="([^"]+)"', page)[0]
        assert first == topic or (language == "en" and first.startswith("dawn"))
        page = ann.get("/welcome/people", headers=headers).text
        assert re.findall(r'name="login" value="(\w+)"', page)[0] == person


def test_all_suggested_people_are_followed_at_once(member: SignUp) -> None:
    ann, ben, cas = member("ann"), member("ben"), member("cas")
    cas.post("/settings/privacy", data={"protected": "y"})
    ben.post("/@ann/follow")
    dan = member("dan")
    dan.post("/@ann/block")
    form = {"login": ["ben", "cas", "dan", "ann", "nobody", "\0"], "next": "/@ben"}
    response = ann.post("/welcome/people", data=form)
    assert (response.status_code, response.location) == (303, "/welcome/picture?next=/@ben")
    assert "You follow 2 people now." in ann.get(response.location).text
    assert "Following" in ann.get("/@ben").text and "Requested" in ann.get("/@cas").text
    assert ann.post("/welcome/people").status_code == 303, "none is fine"


def test_the_names_of_topics_are_bounded_and_renewed(member: SignUp) -> None:
    ben = member("ben")
    for number in range(20):
        ben.post("/statuses", data={"text": f"#t{number}"})
    page = ben.get("/welcome/topics").text
    assert page.count('name="topic"') == 12
    assert store_of(ben.application).run(("ZCARD", keys.topics("en"))) == 12
    ben.post("/statuses", data={"text": "#aa1"})
    assert "aa1" not in ben.get("/welcome/topics").text
    store_of(ben.application).run(("EXPIRE", keys.topics("en"), 100))
    assert "aa1" in ben.get("/welcome/topics").text


def test_home_offers_the_steps_until_they_are_done_or_dismissed(member: SignUp) -> None:
    ann, ben = member("ann"), member("ben")
    for client in (ann, ben):
        for path in ("/home", "/home?max_id=1"):
            assert (OFFER in client.get(path).text) == (path == "/home")
    response = ann.post("/welcome/finish", data={"next": "/home"})
    assert (response.status_code, response.location) == (303, "/home")
    assert OFFER not in ann.get("/home").text
    assert OFFER in ben.get("/home").text
    assert ann.post("/welcome/finish").location == "/home"
    assert ann.get("/welcome").status_code == 303, "they stay open to who wants them"
    assert OFFER in ben.get("/home").text, "a look at them changes nothing"
    ben.post("/welcome/topics")
    assert OFFER not in ben.get("/home").text, "who has taken a step is not asked again"


def test_nobody_who_was_here_before_is_bothered(ann: FlaskClient) -> None:
    store_of(ann.application).run(("HDEL", account_keys.user(1), "first_steps"))
    assert OFFER not in ann.get("/home").text
    login = {"login": "ann", "password": PASSWORD}
    again = ann.application.test_client()
    assert again.post("/login", data=login).location == "/home"


def test_a_full_home_offers_them_too(member: SignUp, settings: Config) -> None:
    """Render a home in its shell, which all members share."""
    ann, ben = member("ann"), member("ben")
    for number in range(settings.page_size + 2):
        for client in (ann, ben):
            client.post("/statuses", data={"text": f"post {number}"})
    ben.post("/welcome/finish")
    for _ in range(2):
        ann.get("/home")
        assert 'rel="next"' in ann.get("/home").text
        assert OFFER in ann.get("/home").text and OFFER not in ben.get("/home").text


def test_signing_up_from_a_page_leads_back_there_at_the_end(app: Flask, member: SignUp) -> None:
    member("ben").post("/statuses", data={"text": "hello #birds"})
    page = app.test_client().get("/signup?next=/@ben").text
    assert 'name="next" type="hidden" value="/@ben"' in page
    ann, path = sign_up(app, next="/@ben")
    assert path == "/welcome?next=/@ben"
    seen = []
    while not path.startswith("/welcome/done"):
        response = ann.get(path)
        if response.status_code == 303:
            path = response.location
        else:
            seen.append(path)
            links = re.findall(r'href="(/welcome/[^"]+)"', response.text)
            path = links[-1]
    assert seen == [f"/welcome/{step}?next=/@ben" for step in STEPS]
    assert ann.post("/welcome/topics", data={"next": "/@ben"}).location == seen[1]
    page = ann.get(path).text
    assert 'name="next" value="/@ben"' in page and "Back to where you were" in page
    assert ann.post("/welcome/finish", data={"next": "/@ben"}).location == "/@ben"


@pytest.mark.parametrize("target", ["https://elsewhere.example", "//x", "/\\x", "x" * 3_000, ""])
def test_other_sites_are_no_place_to_return_to(app: Flask, target: str) -> None:
    ann, path = sign_up(app, next=target)
    assert path == "/welcome"
    page = ann.get("/welcome/done", query_string={"next": target}).text
    assert "Back to where you were" not in page


def test_the_picture_is_saved_by_the_form_of_the_settings(ann: FlaskClient) -> None:
    ann.post("/settings/profile", data={"name": "Ann", "bio": "Sings\nloud", "website": "a.org"})
    page = ann.get("/welcome/picture").text.partition('action="/settings/profile"')[2]
    page = page.partition("</form>")[0]
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
    form: dict[str, object] = {name: value for name, value in hidden if name != "csrf_token"}
    assert form["next"] == "/welcome/codes"
    bad = {**form, "avatar": (io.BytesIO(b"no picture"), "x.png")}
    response = ann.post("/settings/profile", data=bad)
    assert response.status_code == 422 and 'name="next" value="/welcome/codes"' in response.text
    picture = io.BytesIO()
    Image.new("RGB", (300, 200), "#b45").save(picture, "PNG")
    picture.seek(0)
    response = ann.post("/settings/profile", data={**form, "avatar": (picture, "x.png")})
    assert (response.status_code, response.location) == (303, "/welcome/codes")
    profile = store_of(ann.application).run(
        ("HMGET", account_keys.user(1), "bio", "website", "avatar")
    )
    assert profile[:2] == ["Sings\nloud", "https://a.org"] and profile[2]


def test_the_first_post_leads_to_the_end(ann: FlaskClient) -> None:
    page = ann.get("/welcome/post").text
    assert 'name="next" value="/welcome/done"' in page
    refused = ann.post("/statuses", data={"text": "", "next": "/welcome/done"})
    assert refused.status_code == 422 and 'name="next" value="/welcome/done"' in refused.text
    response = ann.post("/statuses", data={"text": "hello", "next": "/welcome/done"})
    assert (response.status_code, response.location) == (303, "/welcome/done")
    assert ann.post("/statuses", data={"text": "more"}).location == "/home"
