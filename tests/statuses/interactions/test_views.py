"""Likes and bookmarks on pages: buttons without scripts, counts, and lists."""

import re
from dataclasses import replace

from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support.page_parts import articles, fragment_cache
from tests.support.pages import check_error, join, post_status
from tests.support.world import Web
from webapp.config import Config, Rate

BUTTON = re.compile(
    r'<button class="action action-(\w+)" form="interactions" formaction="([^"]+)"'
    r' aria-pressed="(\w+)">(.*?)</button>'
)
# What is drawn of a button: its label is in the picture.
SHAPES = re.compile('<svg [^>]* aria-label="([^"]+)">.*</svg>|</?b>')
JSON = {"Accept": "application/json"}


def buttons(client: FlaskClient, path: str, status_id: int) -> dict[str, tuple[str, str, str]]:
    """Return the action, pressed state and label of each button under a status, by kind."""
    found = BUTTON.findall(articles(client, path)[status_id])
    return {
        kind: (action, pressed, SHAPES.sub(r"\1", inner)) for kind, action, pressed, inner in found
    }


def visitor_counts(client: FlaskClient, path: str, status_id: int) -> str:
    """Return the counts that a visitor reads under a status."""
    article = articles(client, path)[status_id]
    links = re.search(r'<p class="status-interactions">(.*?)</p>', article)
    buttons = re.search(r'"action action-like"[^>]*>(.*?)</a>', article)
    counted = [" ".join(re.sub("<[^>]+>", "", one[1]).split()) for one in (links, buttons) if one]
    return ", ".join(filter(None, counted))


def test_buttons_work_without_scripts_on_every_page(ann: FlaskClient, ben: FlaskClient) -> None:
    status_id = post_status(ann, "hello")
    ben.post("/@ann/follow")
    pages = ("/home", "/public", "/@ann", f"/@ann/{status_id}", f"/statuses?ids={status_id}")
    for path in pages:
        assert buttons(ben, path, status_id) == {
            "boost": (f"/statuses/{status_id}/boost", "false", "Boost this post by Ann"),
            "like": (f"/statuses/{status_id}/like", "false", "Like this post by Ann"),
            "bookmark": (f"/statuses/{status_id}/bookmark", "false", "Bookmark this post by Ann"),
        }
    page = ben.get("/public?max_id=9007199254740991").text
    form = re.search('<form id="interactions" method="post"[^>]* hidden>(.*?)</form>', page)
    assert form
    assert 'name="next" value="/public?max_id=9007199254740991"' in form[1]
    assert "csrf_token" in form[1]
    for act in ("like", "boost", "bookmark"):
        response = ben.post(f"/statuses/{status_id}/{act}", data={"next": "/public?max_id=9#here"})
        assert (response.status_code, response.location) == (
            303,
            f"/public?max_id=9#status-{status_id}",
        )
    for path in pages:
        count = "" if path == f"/@ann/{status_id}" else " 1"  # its own page has links with them
        assert buttons(ben, path, status_id) == {
            "boost": (f"/statuses/{status_id}/unboost", "true", f"Boost this post by Ann{count}"),
            "like": (f"/statuses/{status_id}/unlike", "true", f"Like this post by Ann{count}"),
            "bookmark": (f"/statuses/{status_id}/unbookmark", "true", "Bookmark this post by Ann"),
        }
        found = [pressed for _, pressed, _ in buttons(ann, path, status_id).values()]
        assert found == ["false"] * 3
    for method, act in (("POST", "unlike"), ("DELETE", "bookmark")):
        response = ben.open(
            f"/statuses/{status_id}/{act}",
            method=method,
            data={"next": "https://elsewhere.example/"},
        )
        assert (response.status_code, response.location) == (303, f"/home#status-{status_id}")
    assert buttons(ben, "/public", status_id)["like"][1:] == ("false", "Like this post by Ann")
    assert ben.delete(f"/statuses/{status_id}/like").status_code == 303


def test_visitors_see_counts_without_forms(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, "hello")
    permalink = f"/@ann/{status_id}"
    assert (
        visitor_counts(web.client, permalink, status_id)
        == visitor_counts(web.client, "/@ann", status_id)
        == ""
    )
    for count, who in enumerate((ann, ben), 1):
        who.post(f"/statuses/{status_id}/like")
        words = f"{count} like" + "s" * (count > 1)
        # At once, though the page was kept.
        assert visitor_counts(web.client, permalink, status_id) == words
        assert f'href="{permalink}/likes"' in web.client.get(permalink).text
        assert f"@{'ben' if who is ben else 'ann'}<" in web.client.get(f"{permalink}/likes").text
    assert visitor_counts(web.client, "/public?max_id=9007199254740990", status_id) == "2"
    assert '<div class="actions">' not in web.client.get(permalink).text
    assert 'id="interactions"' not in web.client.get(permalink).text
    assert "interactions." not in web.client.get(permalink).text
    ben.post(f"/statuses/{status_id}/unlike")
    assert visitor_counts(web.client, permalink, status_id) == "1 like"
    assert "@ben<" not in web.client.get(f"{permalink}/likes").text
    zh = {"Accept-Language": "zh"}
    assert "<b>1</b> 个赞" in web.client.get(permalink, headers=zh).text


def test_a_like_reuses_the_cached_fragment_of_the_text(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ann, "hello")
    ben.get("/public")
    ben.post(f"/statuses/{status_id}/like")
    before = len(fragment_cache(web.app).cache)
    assert buttons(ben, "/public", status_id)["like"][2].endswith(" 1")
    assert len(fragment_cache(web.app).cache) == before + 1  # the buttons, as they look now


def test_json_requests_get_the_new_button_state(ann: FlaskClient, ben: FlaskClient) -> None:
    status_id = post_status(ann, "hello")
    ann.post(f"/statuses/{status_id}/like")

    def press(act: str) -> tuple[object, ...]:
        response = ben.post(f"/statuses/{status_id}/{act}", headers=JSON)
        assert response.status_code == 200 and response.mimetype == "application/json"
        return tuple(response.json[name] for name in ("action", "pressed", "count", "announcement"))

    where = f"/statuses/{status_id}"
    assert press("like") == press("like") == (f"{where}/unlike", True, "2", "2 likes")
    assert press("unlike") == press("unlike") == (f"{where}/like", False, "1", "1 like")
    assert press("bookmark") == (f"{where}/unbookmark", True, "", "Added to your bookmarks.")
    assert press("unbookmark") == (f"{where}/bookmark", False, "", "Bookmark removed.")
    ann.post(f"{where}/unlike")
    assert ann.post(f"{where}/unlike", headers=JSON).json["count"] == ""
    ben.set_cookie("linnet_lang", "zh")
    assert press("like")[3] == "1 个赞"


def test_likers_are_listed_page_by_page(settings: Config) -> None:
    app = make_app(replace(settings, page_size=2))
    ann, ben, cid, dot = (join(app, login) for login in ("ann", "ben", "cid", "dot"))
    visitor, status_id = app.test_client(), post_status(ann, "hello")
    path = f"/@ann/{status_id}/likes"
    assert "No likes yet" in visitor.get(path).text
    for who in (ann, ben, cid):
        who.post(f"/statuses/{status_id}/like")
    ann.post("/@cid/follow")
    page = ann.get(path).text
    assert re.findall(r'class="person-link" href="/@(\w+)"', page) == ["cid", "ben"]
    assert 'aria-label="Following. Unfollow @cid"' in page
    assert 'aria-label="Follow @ben"' in page
    assert "<b>3</b> likes on a post by" in page
    older = re.search(r'rel="next" href="([^"]+)"', page)
    assert older
    assert re.findall(r'class="person-link" href="/@(\w+)"', ann.get(older[1]).text) == ["ann"]
    assert (
        "aria-label="
        not in visitor.get(path).text.partition('<ul class="people">')[2].partition("</ul>")[0]
    )
    dot.post("/@ben/block")
    assert re.findall(r'class="person-link" href="/@(\w+)"', dot.get(path).text) == ["cid"]
    ben.post("/settings/delete", data={"password": "correct horse battery"})
    assert "@ben" not in visitor.get(path).text
    app.extensions["linnet.db"].close()


def test_bookmarks_are_private(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    assert "No bookmarks yet" in ben.get("/bookmarks").text
    first, second = post_status(ann, "one"), post_status(ann, "two")
    for status_id in (second, first):
        ben.post(f"/statuses/{status_id}/bookmark", data={"next": "/public"})
    page = ben.get("/bookmarks")
    assert list(articles(ben, "/bookmarks")) == [first, second]
    assert page.headers["Cache-Control"] == "no-store"
    assert buttons(ben, "/bookmarks", first)["bookmark"][1] == "true"
    assert 'href="/bookmarks"' in ben.get("/home").text
    assert 'aria-label="Bookmarks"' in ben.get("/@ben").text
    for who in (ann, web.client):
        for path in ("/public", "/@ann", f"/@ann/{first}", "/@ben", f"/@ann/{first}/likes"):
            # Around the content, the language and the theme that are chosen are pressed.
            main = who.get(path).text.partition("<main")[2].partition("</main>")[0]
            assert main
            assert "unbookmark" not in main and 'aria-pressed="true"' not in main
    assert articles(ann, "/bookmarks") == {}
    ann.post(f"/statuses/{first}/delete")
    assert list(articles(ben, "/bookmarks")) == [second]
    assert "You’ve reached the end" in ben.get("/bookmarks?max_id=1").text


def test_an_unknown_status_is_not_found(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, "hello")
    for wrong in ("0", "x", "-1", "1.5", "９", "9" * 17, str(2**53), "1e3", "%00", "%FF"):
        for act in ("like", "unlike", "bookmark", "unbookmark"):
            check_error(ann.post(f"/statuses/{wrong}/{act}"), 404)
        check_error(web.client.get(f"/@ann/{wrong}/likes"), 404)
    for act, code in (("like", 404), ("bookmark", 404), ("unlike", 303), ("unbookmark", 303)):
        assert ann.post("/statuses/5/" + act).status_code == code
        answer = ann.post("/statuses/5/" + act, headers=JSON)
        assert answer.status_code == (404 if code == 404 else 200)
    for path in ("/@ann/5/likes", f"/@ben/{status_id}/likes", f"/@nobody/{status_id}/likes"):
        check_error(web.client.get(path), 404)
    assert web.client.get(f"/@Ann/{status_id}/likes").location == f"/@ann/{status_id}/likes"
    for path in (f"/@ann/{status_id}/likes?max_id=x", "/bookmarks?max_id=-1"):
        check_error(ann.get(path), 422)
    ann.post("/@ben/block")
    response = ben.post(f"/statuses/{status_id}/like")
    check_error(response, 403)
    assert "You can’t like this post." in response.text


def test_likes_are_rate_limited(settings: Config) -> None:
    app = make_app(replace(settings, limit_like=Rate(3, 3600)))
    ann = join(app, "ann")
    status_id = post_status(ann, "hello")
    for act in ("like", "unlike", "bookmark"):
        assert ann.post(f"/statuses/{status_id}/{act}").status_code == 303
    response = ann.post(f"/statuses/{status_id}/like")
    check_error(response, 429)
    assert int(response.headers["Retry-After"]) > 0
    assert buttons(ann, "/public", status_id)["like"][1] == "false"
    app.extensions["linnet.db"].close()


def test_a_post_names_who_liked_it_first_and_last_to_members_who_may_see_them(web: Web) -> None:
    ann, *birds = (web.member(login) for login in ("ann", "ben", "cid", "dan", "eve"))
    status_id = post_status(ann, "hello")
    path = f"/@ann/{status_id}"
    assert "Liked by" not in ann.get(path).text
    birds[0].post(f"/statuses/{status_id}/like")
    assert "Liked by Ben" in ann.get(path).text
    for bird in birds[1:]:
        bird.post(f"/statuses/{status_id}/like")
    assert "Liked by Ben, Eve, and Dan, among others" in ann.get(path).text
    assert "Liked by you, Ben, and Dan, among others" in birds[3].get(path).text
    assert "Liked by" not in web.client.get(path).text
    ann.post("/@eve/block")
    birds[2].post("/settings/privacy", data={"protected": "y"})
    assert "Liked by Ben, among others" in ann.get(path).text
