"""Notifications on pages: lists that need no script, what opening them marks, the number in the header, and choices."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import make_app
from tests.system.test_pages import check_error, join, older, write
from webapp.config import Config
from webapp.notifications.kinds import KINDS

Join = Callable[[str], FlaskClient]


def told(answer: TestResponse) -> list[str]:
    """What a page of notifications says, one sentence a group, and what it is about after a stroke."""
    assert answer.status_code == 200, answer.text
    found = re.findall(r'<li class="told.*?</li>', answer.text, re.DOTALL)
    heads = [
        re.search(r'<p class="told-head"><span>(.*?)</span> <span class="told-time">', one)
        for one in found
    ]
    texts = [
        re.search(r'<p class="told-status" dir="auto"><a href="[^"]+">(.*?)</a>', one, re.DOTALL)
        for one in found
    ]
    assert all(heads)
    plain = [re.sub("<[^>]+>", "", head[1]) for head in heads if head]
    return [
        f"{head} | {text[1]}" if text else head for head, text in zip(plain, texts, strict=True)
    ]


def badge(client: FlaskClient, path: str = "/public") -> int:
    """The number in the header of a page."""
    return number(client.get(path))


def number(answer: TestResponse) -> int:
    """The same, of a page that was asked for."""
    found = re.search(r'data-badge="notifications"( hidden)?><span>(\d+)<', answer.text)
    assert found and bool(found[1]) == (found[2] == "0")
    return int(found[2])


def test_what_others_did_is_told_in_groups_with_links(member: Join) -> None:
    ann, ben, cid, dot = (member(login) for login in ("ann", "ben", "cid", "dot"))
    assert "Nothing to tell yet" in ann.get("/notifications").text
    status_id = write(ann, "a song")
    for who in (ben, cid, dot):
        who.post(f"/statuses/{status_id}/like")
    naming = write(ben, "hello <b>@ann</b>")
    for who in (ben, cid):
        who.post("/@ann/follow")
    page = ann.get("/notifications")
    assert told(page) == [
        "New: Cid and Ben followed you",
        "New: Ben mentioned you | hello &lt;b&gt;@ann&lt;/b&gt;",
        "New: Dot, Cid and 1 other liked your post | a song",
    ]
    assert page.headers["Cache-Control"] == "no-store"
    for path in (f"/@ann/{status_id}", f"/@ben/{naming}", "/@dot"):
        assert f'href="{path}"' in page.text
    ben.post(f"/statuses/{status_id}/unlike")
    ann.set_cookie("linnet_lang", "zh")
    assert told(ann.get("/notifications"))[::2] == [
        "Cid 和 Ben 关注了你",
        "Dot 和 Cid 赞了你的动态 | a song",
    ]


def test_a_tab_shows_its_kinds_and_pages_go_on_from_a_cursor(settings: Config) -> None:
    app = make_app(replace(settings, page_size=2))
    ann, ben = join(app, "ann"), join(app, "ben")
    for n in range(3):
        ben.post(f"/statuses/{write(ann, f'song {n}')}/like")
        write(ben, f"hey @ann {n}")
    ben.post("/@ann/follow")
    tabs = {
        "/notifications/likes": [f"liked your post | song {n}" for n in (2, 1, 0)],
        "/notifications/mentions": [f"mentioned you | hey @ann {n}" for n in (2, 1, 0)],
        "/notifications/follows": ["followed you"],
    }
    for path, expected in tabs.items():
        page = ann.get(path)
        found, next_ = told(page), older(page)
        assert re.findall(r'href="([^"]+)" aria-current="page"', page.text)[-1] == path
        if next_:
            assert next_.startswith(f"{path}?max_id=")
            found += told(ann.get(next_))
        assert [one.removeprefix("New: ").removeprefix("Ben ") for one in found] == expected
    assert "That was the last of it" in ann.get("/notifications?max_id=1").text
    app.extensions["linnet.db"].close()


def test_opening_the_page_marks_what_it_shows(member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    ben.post(f"/statuses/{write(ann, 'a song')}/like")
    ben.post("/@ann/follow")
    assert badge(ann) == badge(ann, "/home") == badge(ann, "/chats") == 2 and badge(ben) == 0
    assert number(ann.get("/notifications/likes")) == 1
    page = ann.get("/notifications")
    assert (
        told(page) == ["New: Ben followed you", "Ben liked your post | a song"]
        and number(page) == 0
    )
    assert told(ann.get("/notifications"))[0] == "Ben followed you" and badge(ann) == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Purpose": "prefetch"},
        {"Sec-Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"X-Moz": "prefetch"},
        {"Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Dest": "empty"},
    ],
    ids=str,
)
def test_a_page_that_nobody_looks_at_marks_nothing(member: Join, headers: dict[str, str]) -> None:
    ann, ben = member("ann"), member("ben")
    ben.post("/@ann/follow")
    assert told(ann.get("/notifications", headers=headers)) == ["New: Ben followed you"]
    assert ann.head("/notifications").status_code == 200 and badge(ann) == 1
    assert (
        number(ann.get("/notifications", headers={"Sec-Fetch-Dest": "document"})) == 0 == badge(ann)
    )


def test_all_is_marked_with_one_button(settings: Config) -> None:
    app = make_app(replace(settings, page_size=1))
    ann, ben = join(app, "ann"), join(app, "ben")
    for n in range(3):
        ben.post(f"/statuses/{write(ann, f'song {n}')}/like")
    page = ann.get("/notifications")
    assert number(page) == 2 and 'action="/notifications/read"' in page.text
    answer = ann.post("/notifications/read")
    assert (answer.status_code, answer.location) == (303, "/notifications") and badge(ann) == 0
    assert 'action="/notifications/read"' not in ann.get("/notifications").text
    app.extensions["linnet.db"].close()


def test_choices_are_kept_and_obeyed(member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    page = ann.get("/settings/notifications").text
    assert page.count('<option selected value="everyone">') == len(KINDS)
    chosen = dict.fromkeys(KINDS, "everyone") | {"mention": "followed", "like": "nobody"}
    answer = ann.post("/settings/notifications", data=chosen)
    assert (answer.status_code, answer.location) == (303, "/settings/notifications")
    page = ann.get("/settings/notifications").text
    assert "Settings saved." in page
    for kind, choice in chosen.items():
        field = re.search(rf'<select[^>]* name="{kind}".*?</select>', page, re.DOTALL)
        assert field and f'<option selected value="{choice}">' in field[0]
    ben.post(f"/statuses/{write(ann, 'a song')}/like")
    write(ben, "hey @ann")
    ben.post("/@ann/follow")
    assert told(ann.get("/notifications")) == ["New: Ben followed you"]
    for wrong in ({}, {"mention": "x", "like": "nobody", "follow": "nobody"}, {"like": "nobody"}):
        answer = ann.post("/settings/notifications", data=wrong)
        assert answer.status_code == 422 and "field-error" in answer.text
    page = ann.get("/settings/notifications").text
    assert (
        page.count('<option selected value="nobody">')
        == page.count('<option selected value="followed">')
        == 1
    )


def test_they_are_nobody_elses_business(client: FlaskClient, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    ben.post("/@ann/follow")
    assert told(ben.get("/notifications")) == []
    for path in ("/notifications", "/notifications/likes", "/settings/notifications"):
        answer = client.get(path)
        assert (answer.status_code, answer.location) == (303, f"/login?next={path}")
    assert client.post("/notifications/read").status_code == 303 and badge(ann) == 1
    for path in ("/notifications/x", "/notifications/all", "/notifications/read/"):
        check_error(ann.get(path), 404)
    check_error(ann.get("/notifications?max_id=x"), 422)
    check_error(ann.get("/notifications/read"), 404)
    assert "data-badge" not in client.get("/public").text


def test_a_page_takes_at_most_five_trips(app: Flask, member: Join) -> None:
    ann, others = member("ann"), [member(f"bird{n}") for n in range(4)]
    for n in range(4):
        status_id = write(ann, f"song {n}")
        for who in others:
            who.post(f"/statuses/{status_id}/like")
            write(who, f"hey @ann {n}")
    db = app.extensions["linnet.db"]
    counts = []
    for path in ("/notifications", "/notifications", "/notifications/follows", "/public"):
        trips = db.trips
        ann.get(path)
        counts.append(db.trips - trips)
    assert counts == [4, 4, 2, 2]
