"""Posting and deleting through the pages: what is taken, how it is shown, and what comes back when it is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import escape, unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD
from tests.core.web.test_security import everything
from tests.support import worker
from tests.system.test_pages import check_error, join, serving, shown, words, write
from webapp.accounts import keys as account_keys
from webapp.config import Config, Rate
from webapp.core.store.client import Db

Member = Callable[[str], FlaskClient]
FAMILY = "👨‍👩‍👧‍👦"


def kept(answer: TestResponse) -> str:
    """What stands in the text field of a page."""
    area = re.search(r"<textarea[^>]*>\r?\n?(.*?)</textarea>", answer.text, re.DOTALL)
    assert area
    return unescape(area[1])


def markup(answer: TestResponse) -> str:
    """A page without its own scripts."""
    return re.sub(
        r'<script type="module" src="/static/js/[\w/-]+\.\w+\.js"></script>', "", answer.text
    )


def value(answer: TestResponse, name: str) -> str | None:
    """What stands in an input field of a page; None when it is empty or has no value."""
    field = re.search(rf'<input [^>]*name="{name}"[^>]*>', answer.text)
    assert field
    found = re.search(r' value="([^"]*)"', field[0])
    return unescape(found[1]) or None if found else None


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
def test_a_text_of_the_greatest_weight_is_posted_and_shown_as_written(
    member: Member, text: str
) -> None:
    ann = member("ann")
    write(ann, f" {text}\n")
    body = re.search(r'<p class="status-body"[^>]*>(.*?)</p>', ann.get("/home").text, re.DOTALL)
    assert body
    assert unescape(re.sub("<[^>]+>", "", body[1])) == text.removeprefix("https://").replace(
        "\r\n", "\n"
    )


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
def test_a_text_too_long_comes_back_as_written_with_by_how_much(
    member: Member, text: str, over: int
) -> None:
    ann = member("ann")
    answer = ann.post("/statuses", data={"text": text})
    assert answer.status_code == 422
    assert kept(answer) == text
    assert f"{over} character{'s' * (over > 1)} too long." in words(answer)
    assert shown(ann.get("/home")) == []


@pytest.mark.parametrize("text", ["", " ", "\r\n\t", "\u200b", "\u3000"])
def test_nothing_is_not_posted(member: Member, text: str) -> None:
    ann = member("ann")
    answer = ann.post("/statuses", data={"text": text})
    assert answer.status_code == 422
    assert "Write something first." in words(answer)
    assert shown(ann.get("/home")) == []


def test_a_text_that_starts_with_a_line_break_comes_back_with_it(member: Member) -> None:
    text = "\r\n\r\nverse" + "x" * 280
    answer = member("ann").post("/statuses", data={"text": text})
    area = re.search(r"<textarea[^>]*>(.*?)</textarea>", answer.text, re.DOTALL)
    assert area
    # The first line break after the tag is the page's, not the text's (HTML, 13.2.6.4.7).
    assert unescape(area[1]).replace("\r\n", "\n") == "\n" + text.replace("\r\n", "\n")


def test_the_same_form_sent_twice_posts_once_and_another_form_or_text_posts_again(
    member: Member,
) -> None:
    ann = member("ann")
    form = {"text": "hello", "key": value(ann.get("/home"), "key")}
    for _ in range(2):
        assert ann.post("/statuses", data=form).status_code == 303
    assert len(shown(ann.get("/home"))) == 1
    for other in (
        {"key": value(ann.get("/home"), "key")},
        {"text": "after going back to the same form"},
    ):
        assert ann.post("/statuses", data=form | other).status_code == 303
    assert len(shown(ann.get("/home"))) == 3


def test_a_refused_form_keeps_its_key_so_that_it_still_posts_once(member: Member) -> None:
    ann = member("ann")
    key = value(ann.get("/statuses/new"), "key")
    assert key and value(ann.post("/statuses", data={"text": "", "key": key}), "key") == key
    assert (
        value(ann.post("/statuses", data={"text": "", "key": "<not ours>"}), "key") != "<not ours>"
    )


def test_one_members_form_key_does_not_hide_anothers_post(member: Member) -> None:
    ann, ben = member("ann"), member("ben")
    for client in (ann, ben):
        assert (
            client.post("/statuses", data={"text": "hello", "key": "the-same-key"}).status_code
            == 303
        )
    assert len(shown(ann.get("/public"))) == 2


def test_mentions_urls_and_tags_are_linked_and_all_else_is_text(member: Member) -> None:
    ann = member("ann")
    hostile = (
        """<script>alert("1")</script> '<img src=x onerror=1>' &lt; javascript:alert(1) {{ 7*7 }}"""
    )
    write(ann, f"@Ben_1 https://example.com/a?b=1&c=2 example.org #birds $ABC a@b.c {hostile}")
    for path in ("/home", "/public", "/@ann"):
        page = markup(ann.get(path))
        for expected in (
            '<a href="/@Ben_1">@Ben_1</a>',
            '<a href="https://example.com/a?b=1&amp;c=2" rel="nofollow noopener ugc">example.com/a?b=1&amp;c=2</a>',
            '<a href="https://example.org" rel="nofollow noopener ugc">example.org</a>',
            '<a class="tag" href="/tags/birds">#birds</a>',
            '<span class="tag">$ABC</span>',
            escape(hostile).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"),
        ):
            assert expected in page
        assert "<script" not in page and "<img" not in page


def test_a_hostile_name_is_text_wherever_it_stands(app: Flask, client: FlaskClient) -> None:
    name = "\"><script>x</script>&amp;'{{7*7}}"
    status_id = write(join(app, "ann", name=name), "hello")
    ben = join(app, "ben")
    ben.post("/@ann/follow")
    for path in (
        "/",
        "/public",
        "/@ann",
        f"/@ann/{status_id}",
        "/@ann/followers",
        "/@ben/following",
    ):
        page = markup(client.get(path))
        assert "<script" not in page and '""' not in page
        assert name in unescape(page)


def test_one_deletes_ones_own_post_once(client: FlaskClient, member: Member) -> None:
    ann = member("ann")
    status_id = write(ann, "hello")
    answer = ann.post(f"/statuses/{status_id}/delete", data={"next": "/home"})
    assert (answer.status_code, answer.location) == (303, "/home")
    home = ann.get("/home")
    assert "Post deleted." in words(home)
    assert shown(home) == shown(client.get("/public")) == shown(client.get("/@ann")) == []
    check_error(
        client.get(f"/@ann/{status_id}"),
        404,
        "This post doesn’t exist or was deleted.",
    )
    check_error(ann.post(f"/statuses/{status_id}/delete"), 404)
    other = write(ann, "again")
    assert ann.delete(f"/statuses/{other}").location == "/@ann"
    check_error(ann.delete(f"/statuses/{other}"), 404)


@pytest.mark.parametrize("number", ["0", "x", "-1", "1", str(2**53), "9" * 400, "%00", "1%2F2"])
def test_a_status_that_never_was_cannot_be_deleted(member: Member, number: str) -> None:
    check_error(member("ann").post(f"/statuses/{number}/delete"), 404)


@pytest.mark.parametrize("same_partition", [False, True])
def test_anothers_post_cannot_be_deleted(app: Flask, member: Member, same_partition: bool) -> None:
    ann = member("ann")
    if same_partition:
        app.extensions["linnet.db"].run(("SET", account_keys.last_uid(), 64))
    ben = member("ben")
    status_id = write(ann, "hello")
    assert f"/statuses/{status_id}/delete" not in ben.get(f"/@ann/{status_id}").text
    check_error(ben.post(f"/statuses/{status_id}/delete"), 403, "Only the author can do that.")
    check_error(ben.delete(f"/statuses/{status_id}"), 403)
    assert shown(ann.get("/home")) == [status_id]


def test_a_refused_sign_up_keeps_what_was_typed_but_never_the_password(
    client: FlaskClient, member: Member
) -> None:
    member("ann")
    for login, password, status in (
        ('a"<b>', PASSWORD, 422),
        ("ben", "short", 422),
        ("ANN", PASSWORD, 409),
    ):
        answer = client.post("/signup", data={"login": login, "name": "<Bé>", "password": password})
        assert answer.status_code == status
        assert (value(answer, "login"), value(answer, "name"), value(answer, "password")) == (
            login,
            "<Bé>",
            None,
        )
        assert (
            password not in answer.text.partition("<main")[2]
            and 'aria-invalid="true"' in answer.text
        )


def test_a_refused_sign_in_keeps_name_and_target_but_never_the_password(
    client: FlaskClient, member: Member
) -> None:
    member("ann")
    for password in ("wrong password", "w" * 1001, ""):
        answer = client.post(
            "/login", data={"login": "ann", "password": password, "next": "/public?max_id=5"}
        )
        assert answer.status_code == 422
        fields = [value(answer, name) for name in ("login", "next", "password")]
        assert fields == ["ann", "/public?max_id=5", None]
        assert "w" * 1001 not in answer.text and "wrong password" not in answer.text


def test_posting_too_often_keeps_the_text_and_says_how_long_to_wait(settings: Config) -> None:
    with serving(replace(settings, limit_post=Rate(2, 600))) as app:
        ann, ben = join(app, "ann"), join(app, "ben")
        write(ann, "one")
        write(ann, "two")
        answer = ann.post("/statuses", data={"text": "three <3"})
        assert answer.status_code == 429
        assert kept(answer) == "three <3"
        assert 1 <= int(answer.headers["Retry-After"]) <= 300
        assert re.search(r"too often\. Please wait \d+ (seconds|minutes)\.", words(answer))
        write(ben, "another member may")


def test_while_the_worker_is_behind_nothing_is_half_written_and_the_text_kept(
    settings: Config,
) -> None:
    with serving(replace(settings, outbox_max=2, inline_projections=False)) as app:
        db: Db = app.extensions["linnet.db"]
        ann, _ = join(app, "ann"), join(app, "ben")
        status_id = write(ann, "the second event of this partition")
        before = everything(db, "limit:")
        key = value(ann.get("/home"), "key")
        answer = ann.post("/statuses", data={"text": "kept", "key": key})
        assert answer.status_code == 503 and answer.headers["Retry-After"]
        assert (kept(answer), value(answer, "key")) == ("kept", key)
        assert "catching up" in words(answer)
        check_error(ann.post("/@ben/follow"), 503, "catching up")
        check_error(ann.post(f"/statuses/{status_id}/delete"), 503, "catching up")
        assert everything(db, "limit:") == before
        worker.drain(db, settings)
        assert ann.post("/statuses", data={"text": "kept", "key": key}).status_code == 303
        assert len(shown(ann.get("/home"))) == 2


def test_a_sign_up_refused_while_the_worker_is_behind_leaves_the_name_free(
    settings: Config,
) -> None:
    form = {"login": "ann", "name": "Ann", "password": PASSWORD}
    with serving(replace(settings, outbox_max=0)) as app:
        assert app.test_client().post("/signup", data=form).status_code == 503
    with serving(settings) as app:
        answer = app.test_client().post("/signup", data=form)
        assert answer.status_code == 303, words(answer)
