"""Likes and bookmarks on pages: buttons that need no script, numbers that visitors see, lists, and nothing private."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.core.rendering.test_fragments import articles, pieces
from tests.system.test_pages import check_error, join, write
from webapp.config import Config, Rate

Join = Callable[[str], FlaskClient]
BUTTON = re.compile(
    r'<button class="act act-(\w+)" form="acts" formaction="([^"]+)" aria-pressed="(\w+)">(.*?)</button>'
)
JSON = {"Accept": "application/json"}


def buttons(client: FlaskClient, path: str, status_id: int) -> dict[str, tuple[str, str, str]]:
    """Where each button under a status leads, whether it is pressed, and its name with the number beside it."""
    found = BUTTON.findall(articles(client, path)[status_id])
    return {
        kind: (action, pressed, re.sub('<svg [^>]* aria-label="([^"]+)">.*</svg>', r"\1", inner))
        for kind, action, pressed, inner in found
    }


def number(client: FlaskClient, path: str, status_id: int) -> str:
    """How many likes a visitor reads under a status."""
    shown = re.search(r'<p class="status-acted">(.*?)</p>', articles(client, path)[status_id])
    return " ".join(re.sub("<[^>]+>", "", shown[1]).split()) if shown else ""


def test_every_page_has_buttons_that_work_without_a_script(
    client: FlaskClient, member: Join
) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = write(ann, "hello")
    ben.post("/@ann/follow")
    pages = ("/home", "/public", "/@ann", f"/@ann/{status_id}", f"/statuses?ids={status_id}")
    for path in pages:
        assert buttons(ben, path, status_id) == {
            "boost": (f"/statuses/{status_id}/boost", "false", "Boost this post by Ann"),
            "like": (f"/statuses/{status_id}/like", "false", "Like this post by Ann"),
            "bookmark": (f"/statuses/{status_id}/bookmark", "false", "Bookmark this post by Ann"),
        }
    page = ben.get("/public?max_id=9007199254740991").text
    form = re.search('<form id="acts" method="post" hidden>(.*?)</form>', page)
    assert (
        form
        and 'name="next" value="/public?max_id=9007199254740991"' in form[1]
        and "csrf_token" in form[1]
    )
    for act in ("like", "boost", "bookmark"):
        answer = ben.post(f"/statuses/{status_id}/{act}", data={"next": "/public?max_id=9#here"})
        assert (answer.status_code, answer.location) == (
            303,
            f"/public?max_id=9#status-{status_id}",
        )
    for path in pages:
        assert buttons(ben, path, status_id) == {
            "boost": (f"/statuses/{status_id}/unboost", "true", "Boost this post by Ann 1"),
            "like": (f"/statuses/{status_id}/unlike", "true", "Like this post by Ann 1"),
            "bookmark": (f"/statuses/{status_id}/unbookmark", "true", "Bookmark this post by Ann"),
        }
        assert [pressed for _, pressed, _ in buttons(ann, path, status_id).values()] == [
            "false"
        ] * 3
    for method, act in (("POST", "unlike"), ("DELETE", "bookmark")):
        answer = ben.open(
            f"/statuses/{status_id}/{act}",
            method=method,
            data={"next": "https://elsewhere.example/"},
        )
        assert (answer.status_code, answer.location) == (303, f"/home#status-{status_id}")
    assert buttons(ben, "/public", status_id)["like"][1:] == ("false", "Like this post by Ann")
    assert ben.delete(f"/statuses/{status_id}/like").status_code == 303


def test_visitors_read_the_number_and_nothing_to_press(client: FlaskClient, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = write(ann, "hello")
    permalink = f"/@ann/{status_id}"
    assert number(client, permalink, status_id) == number(client, "/@ann", status_id) == ""
    for count, who in enumerate((ann, ben), 1):
        who.post(f"/statuses/{status_id}/like")
        words = f"{count} like" + "s" * (count > 1)
        assert number(client, permalink, status_id) == words  # at once, though the page was kept
        assert f'href="{permalink}/likes"' in client.get(permalink).text
        assert f"@{'ben' if who is ben else 'ann'}<" in client.get(f"{permalink}/likes").text
    assert number(client, "/public?max_id=9007199254740990", status_id) == "2 likes"
    assert (
        '<div class="acts">' not in client.get(permalink).text
        and 'id="acts"' not in client.get(permalink).text
    )
    assert "interactions." not in client.get(permalink).text
    ben.post(f"/statuses/{status_id}/unlike")
    assert number(client, permalink, status_id) == "1 like"
    assert "@ben<" not in client.get(f"{permalink}/likes").text
    zh = {"Accept-Language": "zh"}
    assert "<b>1</b> 个赞" in client.get(permalink, headers=zh).text


def test_a_like_makes_no_other_piece_of_the_words(app: Flask, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = write(ann, "hello")
    ben.get("/public")
    ben.post(f"/statuses/{status_id}/like")
    before = len(pieces(app).cache)
    assert buttons(ben, "/public", status_id)["like"][2].endswith(" 1")
    assert len(pieces(app).cache) == before + 1  # the buttons, as they look now


def test_the_module_is_told_how_the_button_looks_now(member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = write(ann, "hello")
    ann.post(f"/statuses/{status_id}/like")

    def press(act: str) -> tuple[object, ...]:
        answer = ben.post(f"/statuses/{status_id}/{act}", headers=JSON)
        assert answer.status_code == 200 and answer.mimetype == "application/json"
        return tuple(answer.json[name] for name in ("action", "pressed", "count", "said"))

    where = f"/statuses/{status_id}"
    assert press("like") == press("like") == (f"{where}/unlike", True, "2", "2 likes")
    assert press("unlike") == press("unlike") == (f"{where}/like", False, "1", "1 like")
    assert press("bookmark") == (f"{where}/unbookmark", True, "", "Added to your bookmarks.")
    assert press("unbookmark") == (f"{where}/bookmark", False, "", "Bookmark removed.")
    ann.post(f"{where}/unlike")
    assert ann.post(f"{where}/unlike", headers=JSON).json["count"] == ""
    ben.set_cookie("linnet_lang", "zh")
    assert press("like")[3] == "1 个赞"


def test_who_likes_a_post_is_listed_page_by_page(settings: Config) -> None:
    app = make_app(replace(settings, page_size=2))
    ann, ben, cid, dot = (join(app, login) for login in ("ann", "ben", "cid", "dot"))
    visitor, status_id = app.test_client(), write(ann, "hello")
    path = f"/@ann/{status_id}/likes"
    assert "Nobody likes this yet" in visitor.get(path).text
    for who in (ann, ben, cid):
        who.post(f"/statuses/{status_id}/like")
    ann.post("/@cid/follow")
    page = ann.get(path).text
    assert re.findall(r'class="person-link" href="/@(\w+)"', page) == ["cid", "ben"]
    assert 'aria-label="Unfollow @cid"' in page and 'aria-label="Follow @ben"' in page
    assert "<b>3</b> likes for a post by" in page
    older = re.search(r'rel="next" href="([^"]+)"', page)
    assert older and re.findall(r'class="person-link" href="/@(\w+)"', ann.get(older[1]).text) == [
        "ann"
    ]
    assert (
        "aria-label="
        not in visitor.get(path).text.partition('<ul class="people">')[2].partition("</ul>")[0]
    )
    dot.post("/@ben/block")
    assert re.findall(r'class="person-link" href="/@(\w+)"', dot.get(path).text) == ["cid"]
    ben.post("/settings/delete", data={"password": "correct horse battery"})
    assert "@ben" not in visitor.get(path).text
    app.extensions["linnet.db"].close()


def test_bookmarks_are_a_page_of_ones_own(client: FlaskClient, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    assert "Nothing is kept here yet" in ben.get("/bookmarks").text
    first, second = write(ann, "one"), write(ann, "two")
    for status_id in (second, first):
        ben.post(f"/statuses/{status_id}/bookmark", data={"next": "/public"})
    page = ben.get("/bookmarks")
    assert (
        list(articles(ben, "/bookmarks")) == [first, second]
        and page.headers["Cache-Control"] == "no-store"
    )
    assert buttons(ben, "/bookmarks", first)["bookmark"][1] == "true"
    assert (
        'href="/bookmarks"' in ben.get("/home").text
        and 'aria-label="Bookmarks"' in ben.get("/@ben").text
    )
    answer = client.get("/bookmarks")
    assert (answer.status_code, answer.location) == (303, "/login?next=/bookmarks")
    for who in (ann, client):
        for path in ("/public", "/@ann", f"/@ann/{first}", "/@ben", f"/@ann/{first}/likes"):
            text = who.get(path).text
            main = text.partition("<footer")[
                0
            ]  # after it, the language and the theme that are chosen
            assert "unbookmark" not in main and 'aria-pressed="true"' not in main
    assert articles(ann, "/bookmarks") == {}
    ann.post(f"/statuses/{first}/delete")
    assert list(articles(ben, "/bookmarks")) == [second]
    assert "That was the last of it" in ben.get("/bookmarks?max_id=1").text


def test_what_is_no_status_is_a_clear_no(client: FlaskClient, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = write(ann, "hello")
    for wrong in ("0", "x", "-1", "1.5", "９", "9" * 17, str(2**53), "1e3", "%00", "%FF"):
        for act in ("like", "unlike", "bookmark", "unbookmark"):
            check_error(ann.post(f"/statuses/{wrong}/{act}"), 404)
        check_error(client.get(f"/@ann/{wrong}/likes"), 404)
    for act, code in (("like", 404), ("bookmark", 404), ("unlike", 303), ("unbookmark", 303)):
        assert ann.post("/statuses/5/" + act).status_code == code
        assert ann.post("/statuses/5/" + act, headers=JSON).status_code == (
            404 if code == 404 else 200
        )
    for path in ("/@ann/5/likes", f"/@ben/{status_id}/likes", f"/@nobody/{status_id}/likes"):
        check_error(client.get(path), 404)
    assert client.get(f"/@Ann/{status_id}/likes").location == f"/@ann/{status_id}/likes"
    for path in (f"/@ann/{status_id}/likes?max_id=x", "/bookmarks?max_id=-1"):
        check_error(ann.get(path), 422)
    ann.post("/@ben/block")
    answer = ben.post(f"/statuses/{status_id}/like")
    check_error(answer, 403)
    assert "You can’t like this post." in answer.text


def test_too_many_likes_wait_a_moment(settings: Config) -> None:
    app = make_app(replace(settings, limit_like=Rate(3, 3600)))
    ann = join(app, "ann")
    status_id = write(ann, "hello")
    for act in ("like", "unlike", "bookmark"):
        assert ann.post(f"/statuses/{status_id}/{act}").status_code == 303
    answer = ann.post(f"/statuses/{status_id}/like")
    check_error(answer, 429)
    assert int(answer.headers["Retry-After"]) > 0
    assert buttons(ann, "/public", status_id)["like"][1] == "false"
    app.extensions["linnet.db"].close()


@pytest.mark.parametrize("act", ["like", "bookmark"])
def test_a_button_needs_the_token_of_its_page(settings: Config, act: str) -> None:
    app = make_app(settings)
    ann = join(app, "ann")
    status_id = write(ann, "hello")
    app.config["WTF_CSRF_ENABLED"] = True
    path = f"/statuses/{status_id}/{act}"
    assert ann.post(path).status_code == ann.post(path, data={"csrf_token": "x"}).status_code == 400
    token = re.search(r'id="acts".*?name="csrf_token" value="([^"]+)"', ann.get("/home").text)
    assert token and ann.post(path, data={"csrf_token": token[1]}).status_code == 303
    assert buttons(ann, "/public", status_id)[act][1] == "true"
    app.extensions["linnet.db"].close()
