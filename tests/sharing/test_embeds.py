"""Posts in frames on other sites, and oEmbed, by which those sites ask for them."""

import re
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.chat_pages import png_file
from tests.support.pages import post_status, status_ids
from tests.support.world import Web
from webapp.accounts import lifecycle
from webapp.accounts.store import get_by_login

GONE = "This post isn’t available."


def ask(client: FlaskClient, url: str, **query: str) -> TestResponse:
    """Ask how to show the page at an address."""
    return client.get("/oembed", query_string={"url": url, **query})


def answer(client: FlaskClient, url: str, **query: str) -> dict[str, Any]:
    """Return the answer to this question."""
    response = ask(client, url, **query)
    assert response.status_code == 200 and response.mimetype == "application/json"
    data: dict[str, Any] = response.get_json()
    return data


def test_a_frame_shows_the_post_and_leads_to_it(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    posted = post_status(ann, "a <song> #marsh")
    ben.post(f"/statuses/{posted}/like")
    response = web.client.get(f"/@ann/{posted}/embed")
    page = response.text
    assert "a &lt;song&gt;" in page and f'href="/@ann/{posted}"' in page
    assert "<b>1</b> like" in page
    assert '<base target="_blank">' in page
    assert "<form" not in page and "<script" not in page and "<button" not in page
    assert "X-Frame-Options" not in response.headers
    policy = response.headers["Content-Security-Policy"]
    assert "frame-ancestors *" in policy and "script-src" not in policy
    assert "form-action 'none'" in policy and "default-src 'none'" in policy


def test_only_these_pages_may_be_framed(web: Web) -> None:
    posted = post_status(web.member("ann"), "a song")
    for path in ("/", "/@ann", f"/@ann/{posted}", f"/@ann/{posted}/card.png", "/oembed"):
        headers = web.client.get(path).headers
        assert headers["X-Frame-Options"] == "DENY", path
        assert "frame-ancestors *" not in headers["Content-Security-Policy"]


def test_members_see_a_frame_as_visitors_do(ann: FlaskClient, web: Web) -> None:
    path = f"/@ann/{post_status(ann, 'a song')}/embed"
    response = ann.get(path)
    assert response.text == web.client.get(path).text
    assert "Set-Cookie" not in response.headers


def test_warnings_and_pictures_are_shown_as_on_the_page(ann: FlaskClient, web: Web) -> None:
    form = {"text": "look", "alt": "a reed", "cw": "spiders"}
    ann.post("/statuses", data={**form, "pictures": (png_file(), "a.png")})
    page = web.client.get(f"/@ann/{status_ids(ann.get('/@ann'))[0]}/embed").text
    assert re.search(r"<details class=\"status-cw\">.*spiders.*a reed.*</details>", page, re.DOTALL)


def test_frames_speak_the_readers_language(web: Web) -> None:
    path = f"/@ann/{post_status(web.member('ann'), 'a song')}/embed"
    assert 'lang="en"' in web.client.get(path).text
    page = web.client.get(path, headers={"Accept-Language": "zh-CN"}).text
    assert 'lang="zh-Hans"' in page and "在 Linnet 上查看对话" in page


def test_a_sentence_stands_in_place_of_a_post_that_visitors_may_not_read(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    uid, posted = get_by_login(db, "ann").uid, post_status(ann, "a song")
    path, url = f"/@ann/{posted}/embed", f"http://localhost/@ann/{posted}"

    def is_gone() -> bool:
        response, answered = web.client.get(path), ask(web.client, url)
        assert "X-Frame-Options" not in response.headers
        gone = response.status_code == 404
        assert gone == (GONE in response.text) == (answered.status_code == 404)
        assert gone != ("a song" in response.text)
        return gone

    assert not is_gone()
    for change in (lifecycle.protect, lifecycle.suspend):
        change(web, uid, True)
        assert is_gone()
        change(web, uid, False)
        assert not is_gone()
    assert web.client.get(f"/@nobody/{posted}/embed").status_code == 404
    assert web.client.get(f"/@ANN/{posted}/embed").location == path
    web.delete(uid, posted)
    web.client.get("/")  # applies the event
    assert is_gone()


def test_an_edit_shows_in_frames(ann: FlaskClient, web: Web) -> None:
    posted = post_status(ann, "a song")
    assert "a song" in web.client.get(f"/@ann/{posted}/embed").text
    ann.post(f"/@ann/{posted}/edit", data={"text": "another", "version": "0"})
    assert "another" in web.client.get(f"/@ann/{posted}/embed").text


def test_pages_lead_to_the_answer(web: Web) -> None:
    posted = post_status(web.member("ann"), "a song")
    page = web.client.get(f"/@ann/{posted}").text
    [link] = re.findall(r'type="application/json\+oembed" href="([^"]+)"', page)
    data = web.client.get(unescape(link)).get_json()
    assert (data["version"], data["type"]) == ("1.0", "rich")
    assert (data["provider_name"], data["provider_url"]) == ("Linnet", "http://localhost/")
    assert (data["author_name"], data["author_url"]) == ("Ann", "http://localhost/@ann")
    assert data["cache_age"] == 3_600
    [source] = re.findall(r'<iframe src="([^"]+)"', data["html"])
    assert source == f"http://localhost/@ann/{posted}/embed"
    assert "allow-scripts" not in data["html"] and "sandbox=" in data["html"]
    assert f'width="{data["width"]}" height="{data["height"]}"' in data["html"]


def test_other_sites_choose_the_largest_size(ann: FlaskClient, web: Web) -> None:
    url = f"http://localhost/@ann/{post_status(ann, 'a song')}"
    usual = answer(web.client, url)
    assert usual["width"] == 550
    assert answer(web.client, url, maxwidth="4000", maxheight="4000") == usual
    small = answer(web.client, url, maxwidth="320", maxheight="200")
    assert (small["width"], small["height"]) == (320, 200)
    longer = answer(web.client, f"http://localhost/@ann/{post_status(ann, 'word ' * 50)}")
    assert longer["height"] > usual["height"]
    for size in ("x", "-5", "0", "1.5", "٣", "9" * 5_000):
        expected = 200 if size[0] == "9" else 400
        assert ask(web.client, url, maxwidth=size).status_code == expected, size


def test_names_cannot_break_out_of_the_frame(ann: FlaskClient, web: Web) -> None:
    ann.post("/settings/profile", data={"name": '"><script>x'})
    data = answer(web.client, f"http://localhost/@ann/{post_status(ann, 'a song')}")
    assert data["author_name"] == '"><script>x' and "<script" not in data["html"]


def test_there_is_json_only(web: Web) -> None:
    url = f"http://localhost/@ann/{post_status(web.member('ann'), 'a song')}"
    assert ask(web.client, url, format="json").status_code == 200
    for other in ("xml", "", "JSON"):
        assert ask(web.client, url, format=other).status_code == 501


def test_other_addresses_are_not_found(web: Web) -> None:
    posted = post_status(web.member("ann"), "a song")
    urls = (
        *("", "x", "/@ann/5", "http://localhost/", "http://localhost/@ann", "//localhost/@ann/5"),
        *("http://localhost/@ann/5", "http://localhost/@ann/5/embed", "http://[/@ann/5"),
        *("http://localhost/settings", "http://localhost/@ann/99999999999999999999"),
        *("http://localhost.example/@ann/{id}", "ftp://localhost/@ann/{id}"),
        *("http://ann@localhost/@ann/{id}", "http://localhost/@ben/{id}", "http://\0/@ann/5"),
    )
    for url in urls:
        assert ask(web.client, url.format(id=posted)).status_code == 404, url


def test_the_menu_of_a_public_post_has_the_html_to_copy(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    posted = post_status(ann, "a song")
    data = answer(web.client, f"http://localhost/@ann/{posted}")
    for reader in (web.client, ann, web.member("ben")):
        menu = reader.get(f"/@ann/{posted}/menu").text
        [code] = re.findall(r"<textarea[^>]* readonly[^>]*>([^<]*)</textarea>", menu)
        assert unescape(code) == data["html"]
    menu = web.client.get(f"/@ann/{posted}/menu", headers={"Accept-Language": "zh"}).text
    assert "嵌入动态" in menu
    lifecycle.protect(web, get_by_login(db, "ann").uid, True)
    assert "<textarea" not in ann.get(f"/@ann/{posted}/menu").text


@pytest.mark.parametrize(("visibility", "offered"), [("unlisted", 1), ("followers", 0)])
def test_posts_that_visitors_may_read_can_be_embedded(
    ann: FlaskClient, visibility: str, offered: int
) -> None:
    posted = post_status(ann, "a song", visibility=visibility)
    assert ann.get(f"/@ann/{posted}/menu").text.count("<textarea") == offered
