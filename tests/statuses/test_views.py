"""Posting and deleting on pages: limits, rendering, refusals that keep the form, and form keys."""

import re
from dataclasses import replace
from html import escape, unescape

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.form_tokens import everything
from tests.support.pages import check_error, join, page_text, post_status, serving, status_ids
from tests.support.statuses.forms import composer_text, field_value
from tests.support.world import Web
from webapp.accounts import keys as account_keys
from webapp.config import Config, Rate
from webapp.core.store import Db, Site

FAMILY = "👨‍👩‍👧‍👦"


def markup(answer: TestResponse) -> str:
    """Return the HTML of a page without its own scripts."""
    return re.sub(
        r'<script type="module" src="/static/js/[\w/-]+\.\w+\.js"></script>', "", answer.text
    )


def test_the_heading_of_a_post_is_its_author(ann: FlaskClient) -> None:
    status_id = post_status(ann, "a song")
    named = r'<article[^>]* aria-labelledby="(.+?)">.*?<h2><a[^>]* id="\1"[^>]*>(.*?)</a></h2>'
    for path in ("/home", "/@ann", f"/@ann/{status_id}", "/public", "/search?q=song"):
        [(label, heading)] = re.findall(named, ann.get(path).text, re.DOTALL)
        assert label == f"status-{status_id}-by"
        assert re.sub(r"<[^>]+>", "", heading) == "Ann @ann"


@pytest.mark.parametrize(
    "text",
    [
        "x" * 280,
        "é" * 280,
        "界" * 140,
        "😀" * 140,
        FAMILY * 140,
        f"https://example.com/{'x' * 500} {'y' * 256}",
        "a\r\nb",
        "0",
    ],
)
def test_text_of_the_maximum_length_is_posted_unchanged(ann: FlaskClient, text: str) -> None:
    post_status(ann, f" {text}\n")
    body = re.search(r'<p class="status-body[^>]*>(.*?)</p>', ann.get("/home").text, re.DOTALL)
    assert body
    found = unescape(re.sub("<[^>]+>", "", body[1]))
    assert found == text.removeprefix("https://").replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("x" * 281, 1),
        ("界" * 141, 2),
        ("😀" * 141, 2),
        (FAMILY * 141, 2),
        (f"https://example.com/{'x' * 500} {'y' * 257}", 1),
        ("<b>&amp;" * 500, 3720),
        ("z" * 9_000, 8720),
    ],
)
def test_text_over_the_limit_comes_back_with_the_excess(web: Web, text: str, over: int) -> None:
    ann = web.member("ann")
    response = ann.post("/statuses", data={"text": text})
    assert response.status_code == 422
    assert composer_text(response) == text
    assert f"{over} character{'s' * (over > 1)} too long." in page_text(response)
    assert status_ids(ann.get("/home")) == []


@pytest.mark.parametrize("text", ["", " ", "\r\n\t", "\u200b", "\u3000"])
def test_blank_text_is_refused(ann: FlaskClient, text: str) -> None:
    response = ann.post("/statuses", data={"text": text})
    assert response.status_code == 422
    assert "Write something first." in page_text(response)
    assert status_ids(ann.get("/home")) == []


def test_a_refused_text_keeps_its_leading_line_break(web: Web) -> None:
    text = "\r\n\r\nverse" + "x" * 280
    response = web.member("ann").post("/statuses", data={"text": text})
    area = re.search(r"<textarea[^>]*>(.*?)</textarea>", response.text, re.DOTALL)
    assert area
    # The first line break after the tag is the page's, not the text's (HTML, 13.2.6.4.7).
    assert unescape(area[1]).replace("\r\n", "\n") == "\n" + text.replace("\r\n", "\n")


def test_a_form_key_and_text_post_once(ann: FlaskClient) -> None:
    form = {"text": "hello", "key": field_value(ann.get("/home"), "key")}
    for _ in range(2):
        assert ann.post("/statuses", data=form).status_code == 303
    assert len(status_ids(ann.get("/home"))) == 1
    for other in (
        {"key": field_value(ann.get("/home"), "key")},
        {"text": "after going back to the same form"},
    ):
        assert ann.post("/statuses", data=form | other).status_code == 303
    assert len(status_ids(ann.get("/home"))) == 3


def test_a_refused_form_keeps_its_key(ann: FlaskClient) -> None:
    key = field_value(ann.get("/statuses/new"), "key")
    assert key
    assert field_value(ann.post("/statuses", data={"text": "", "key": key}), "key") == key
    found = field_value(ann.post("/statuses", data={"text": "", "key": "<not ours>"}), "key")
    assert found != "<not ours>"


def test_members_may_use_the_same_form_key(ann: FlaskClient, ben: FlaskClient) -> None:
    for client in (ann, ben):
        found = client.post("/statuses", data={"text": "hello", "key": "the-same-key"}).status_code
        assert found == 303
    assert len(status_ids(ann.get("/public"))) == 2


def test_mentions_urls_and_hashtags_become_links_and_markup_is_escaped(web: Web) -> None:
    ann, _ = web.member("ann"), web.member("Ben_1")
    hostile = (
        """<script>alert("1")</script> '<img src=x onerror=1>' &lt; javascript:alert(1) {{ 7*7 }}"""
    )
    post_status(
        ann, f"@Ben_1 https://example.com/a?b=1&c=2 example.org #birds $ABC a@b.c {hostile}"
    )
    for path in ("/home", "/public", "/@ann"):
        page = markup(ann.get(path))
        for expected in (
            '<a href="/@Ben_1">@Ben_1</a>',
            '<a href="https://example.com/a?b=1&amp;c=2" rel="nofollow noopener ugc">'
            "example.com/a?b=1&amp;c=2</a>",
            '<a href="https://example.org" rel="nofollow noopener ugc">example.org</a>',
            '<a class="tag" href="/tags/birds">#birds</a>',
            '<span class="tag">$ABC</span>',
            escape(hostile).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"),
        ):
            assert expected in page
        assert "<script>" not in page and "<img" not in page


def test_a_member_deletes_a_post_once(ann: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, "hello")
    response = ann.post(f"/statuses/{status_id}/delete", data={"next": "/home"})
    assert (response.status_code, response.location) == (303, "/home")
    home = ann.get("/home")
    assert "Post deleted." in page_text(home)
    assert (
        status_ids(home)
        == status_ids(web.client.get("/public"))
        == status_ids(web.client.get("/@ann"))
        == []
    )
    answer = web.client.get(f"/@ann/{status_id}")
    check_error(answer, 404, "This post doesn’t exist or was deleted.")
    check_error(ann.post(f"/statuses/{status_id}/delete"), 404)
    other = post_status(ann, "again")
    assert ann.delete(f"/statuses/{other}").location == "/@ann"
    check_error(ann.delete(f"/statuses/{other}"), 404)


@pytest.mark.parametrize("number", ["0", "x", "-1", "1", str(2**53), "9" * 400, "%00", "1%2F2"])
def test_deleting_an_unknown_status_is_not_found(web: Web, number: str) -> None:
    check_error(web.member("ann").post(f"/statuses/{number}/delete"), 404)


@pytest.mark.parametrize("same_partition", [False, True])
def test_only_the_author_deletes_a_post(ann: FlaskClient, web: Web, same_partition: bool) -> None:
    if same_partition:
        web.db.run(("SET", account_keys.last_uid(), 64))
    ben = web.member("ben")
    status_id = post_status(ann, "hello")
    assert f"/statuses/{status_id}/delete" not in ben.get(f"/@ann/{status_id}").text
    check_error(ben.post(f"/statuses/{status_id}/delete"), 403, "Only the author can do that.")
    check_error(ben.delete(f"/statuses/{status_id}"), 403)
    assert status_ids(ann.get("/home")) == [status_id]


def test_a_refused_sign_up_keeps_the_form_without_the_password(web: Web) -> None:
    web.member("ann")
    for login, password, status in (
        ('a"<b>', PASSWORD, 422),
        ("ben", "short", 422),
        ("ANN", PASSWORD, 409),
    ):
        form = {"login": login, "name": "<Bé>", "password": password}
        response = web.client.post("/signup", data=form)
        assert response.status_code == status
        assert (
            field_value(response, "login"),
            field_value(response, "name"),
            field_value(response, "password"),
        ) == (login, "<Bé>", None)
        assert password not in response.text.partition("<main")[2]
        assert 'aria-invalid="true"' in response.text


def test_a_refused_login_keeps_the_form_without_the_password(web: Web) -> None:
    web.member("ann")
    for password in ("wrong password", "w" * 1001, ""):
        form = {"login": "ann", "password": password, "next": "/public?max_id=5"}
        response = web.client.post("/login", data=form)
        assert response.status_code == 422
        fields = [field_value(response, name) for name in ("login", "next", "password")]
        assert fields == ["ann", "/public?max_id=5", None]
        assert "w" * 1001 not in response.text and "wrong password" not in response.text


def test_the_rate_limit_keeps_the_text_and_names_the_wait(settings: Config) -> None:
    with serving(replace(settings, limit_post=Rate(2, 600))) as app:
        ann, ben = join(app, "ann"), join(app, "ben")
        post_status(ann, "one")
        post_status(ann, "two")
        response = ann.post("/statuses", data={"text": "three <3"})
        assert response.status_code == 429
        assert composer_text(response) == "three <3"
        assert 1 <= int(response.headers["Retry-After"]) <= 300
        assert re.search(r"too often\. Please wait \d+ (seconds|minutes)\.", page_text(response))
        post_status(ben, "another member may")


def test_a_full_outbox_refuses_writes_completely_and_keeps_the_text(settings: Config) -> None:
    with serving(replace(settings, outbox_max=2, inline_projections=False)) as app:
        db: Db = app.extensions["linnet.db"]
        ann, _ = join(app, "ann"), join(app, "ben")
        status_id = post_status(ann, "the second event of this partition")
        before = everything(db, "limit:")
        key = field_value(ann.get("/home"), "key")
        response = ann.post("/statuses", data={"text": "kept", "key": key})
        assert response.status_code == 503 and response.headers["Retry-After"]
        assert (composer_text(response), field_value(response, "key")) == ("kept", key)
        assert "very busy" in page_text(response)
        check_error(ann.post("/@ben/follow"), 503, "very busy")
        check_error(ann.post(f"/statuses/{status_id}/delete"), 503, "very busy")
        assert everything(db, "limit:") == before
        worker.drain(Site(db, settings))
        assert ann.post("/statuses", data={"text": "kept", "key": key}).status_code == 303
        assert len(status_ids(ann.get("/home"))) == 2


def test_a_script_gets_the_posted_status_or_the_reasons_against_it(ann: FlaskClient) -> None:
    json = {"Accept": "application/json"}
    form = {"text": "hello", "key": "a" * 16}
    posted = ann.post("/statuses", data=form, headers=json)
    assert posted.status_code == 201 and posted.json
    assert posted.json["url"] == f"/@ann/{posted.json['id']}"
    assert ann.get(posted.json["url"]).status_code == 200
    again = ann.post("/statuses", data=form, headers=json)
    assert again.json and again.json["ids"] == posted.json["ids"]
    assert len({again.json["key"], posted.json["key"], form["key"]}) == 3
    next_form = {**form, "key": posted.json["key"]}
    following = ann.post("/statuses", data=next_form, headers=json)
    assert following.json and following.json["ids"] != posted.json["ids"]
    wrong = {"text": "x" * 281, "option1": "alone", "key": posted.json["key"]}
    wrong |= {"lat": "x", "long": "1"}
    refused = ann.post("/statuses", data=wrong, headers=json)
    assert refused.status_code == 422 and refused.json
    assert len(refused.json["errors"]) == 2 and list(refused.json["fields"]) == ["option2"]
    reply = ann.post("/statuses", data={**next_form, "reply": "404", "text": "b"}, headers=json)
    assert reply.status_code == 404 and reply.json and len(reply.json["errors"]) == 1


def test_a_form_that_was_changed_and_sent_again_is_another_status(ann: FlaskClient) -> None:
    form = {"text": "a heron", "key": "b" * 16, "lat": "52.1", "long": "4.3"}
    changes = ({}, {"cw": "birds"}, {"place": "the pond"}, {"quote_policy": "nobody"})
    for count, change in enumerate(changes, 1):
        for _ in "12":
            assert ann.post("/statuses", data={**form, **change}).status_code == 303
        assert len(status_ids(ann.get("/home"))) == count
