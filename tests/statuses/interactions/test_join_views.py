"""The pages behind the buttons of visitors: an invitation to join, and the form that acts."""

import re
from dataclasses import replace
from urllib.parse import quote, unquote

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, make_app
from tests.support.page_parts import articles
from tests.support.pages import page_text, post_status
from tests.support.world import Web
from webapp.config import Config, Rate
from webapp.core.settings import store as site_settings
from webapp.core.settings.live import LiveSettings


def likes(client: FlaskClient, status_id: int) -> str:
    """Return the logins of those who like a status, as its page lists them."""
    return page_text(client.get(f"/@ann/{status_id}/likes"))


def test_visitors_meet_links_that_are_the_same_for_all(ann: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, "hello")
    for path in ("/", "/public", "/@ann", f"/@ann/{status_id}", f"/statuses?ids={status_id}"):
        article = articles(web.client, path)[status_id]
        found = re.findall(r'<a class="action action-(\w+)" rel="nofollow" href="([^"]+)"', article)
        seen = dict(found)
        assert seen == {act: f"/join/{act}/{status_id}" for act in ("reply", "boost", "like")}
        assert "<form" not in article
    assert 'href="/join/follow/ann"' in web.client.get("/@ann").text
    assert "/join/" not in ann.get("/public").text


@pytest.mark.parametrize("path", ["/join/follow/ann", "/@ann/menu"])
def test_the_name_of_a_suspended_member_is_not_shown(web: Web, path: str) -> None:
    ben = web.member("ben")
    [uid] = web.people("ann")
    web.suspend(uid)
    for client in (web.client, ben):
        page = client.get(path)
        assert page.status_code == 403 and "Ann" not in page.text


@pytest.mark.parametrize("act", ["reply", "boost", "like", "follow"])
def test_a_visitor_is_invited_with_the_post_or_the_person(web: Web, act: str) -> None:
    status_id = post_status(web.member("ann"), "hello from the marsh")
    path = "/join/follow/ann" if act == "follow" else f"/join/{act}/{status_id}"
    page = web.client.get(path)
    assert f"Join to {act}" in page_text(page)
    assert "@ann" in page_text(page) and ("marsh" in page_text(page)) == (act != "follow")
    for address in ("/signup", "/login"):
        assert f'href="{address}?next={path}' in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert 'content="noindex"' in page.text


def press(client: FlaskClient, path: str) -> str:
    """Open the page behind a button, and return the path that its links to join lead back to."""
    [found] = set(re.findall(r'href="/(?:login|signup)\?next=([^"]+)"', client.get(path).text))
    return unquote(found)


def log_in(client: FlaskClient, path: str) -> None:
    """Log Ben in, as somebody whom a page leads to the form."""
    form = {"login": "ben", "password": PASSWORD, "next": path}
    assert client.post("/login", data=form).location == path


@pytest.mark.parametrize("act", ["like", "boost"])
def test_an_act_on_a_post_is_done_after_the_log_in(ann: FlaskClient, web: Web, act: str) -> None:
    status_id = post_status(ann, "hello")
    web.member("ben").post("/logout")
    page = f"/@ann/{status_id}"
    path = press(web.client, f"/join/{act}/{status_id}")
    log_in(web.client, path)
    assert web.client.get(path).location == page
    assert f'action="/statuses/{status_id}/un{act}"' in web.client.get(page).text
    web.client.post(f"/statuses/{status_id}/un{act}")
    assert web.client.get(path).status_code == 200, "it is done once"
    assert f'action="/statuses/{status_id}/{act}"' in web.client.get(page).text


def test_a_follow_is_done_after_signing_up(ann: FlaskClient, web: Web) -> None:
    path = press(web.client, "/join/follow/ann")
    form = {"login": "ben", "name": "Ben", "password": PASSWORD, "next": path}
    web.client.post("/signup", data=form)
    web.client.get("/welcome")
    assert web.client.get(path).location == "/@ann"
    assert 'action="/@ann/unfollow"' in web.client.get("/@ann").text


def test_a_log_in_that_leads_elsewhere_drops_the_act(ann: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, "hello")
    web.member("ben").post("/logout")
    web.client.get(f"/join/like/{status_id}")
    log_in(web.client, "/public")
    assert "Like this post?" in page_text(web.client.get(f"/join/like/{status_id}"))
    assert "@ben" not in likes(ann, status_id)


def test_another_act_than_the_one_asked_for_is_not_done(ann: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, "hello")
    web.member("ben").post("/logout")
    web.client.get(f"/join/like/{status_id}")
    log_in(web.client, f"/join/boost/{status_id}")
    assert "Boost this post?" in page_text(web.client.get(f"/join/boost/{status_id}"))


def test_the_limit_of_likes_counts_it(settings: Config) -> None:
    web = Web(make_app(replace(settings, limit_like=Rate(1, 3600))))
    status_id, ben = post_status(web.member("ann"), "hello"), web.member("ben")
    ben.post(f"/statuses/{status_id}/boost")
    ben.post("/logout")
    path = press(ben, f"/join/like/{status_id}")
    log_in(ben, path)
    assert ben.get(path).status_code == 429


@pytest.mark.parametrize("act", ["like", "boost", "follow"])
def test_a_link_to_the_log_in_that_others_made_ends_in_no_act(web: Web, act: str) -> None:
    status_id = post_status(web.member("ann"), "hello")
    web.member("ben").post("/logout")
    path = "/join/follow/ann" if act == "follow" else f"/join/{act}/{status_id}"
    web.client.get(path)  # another site opens both, one after the other
    log_in(web.client, path)
    assert f"{act.capitalize()} " in page_text(web.client.get(path)), "it is asked for"


def test_another_browser_s_path_ends_in_no_act(ann: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, "hello")
    web.member("ben").post("/logout")
    foreign = press(web.app.test_client(), f"/join/like/{status_id}")
    assert press(web.client, f"/join/like/{status_id}") != foreign
    log_in(web.client, foreign)
    assert "Like this post?" in page_text(web.client.get(foreign))


@pytest.mark.parametrize("refusal", ["read_only", "network"])
def test_it_is_refused_as_other_writes_are(ann: FlaskClient, web: Web, refusal: str) -> None:
    status_id = post_status(ann, "hello")
    web.member("ben").post("/logout")
    path = press(web.client, f"/join/like/{status_id}")
    log_in(web.client, path)
    live: LiveSettings = web.app.extensions["linnet.settings"]
    if refusal == "network":
        boss = web.member("boss", "admin")
        form = {"value": "192.0.2.0/24", "action": "write", "lasts": "day", "note": "Spam"}
        boss.post("/moderation/networks", data=form)
    else:
        site_settings.change(web.db, live, {"read_only": "yes"})
    page = web.client.get(path, environ_base={"REMOTE_ADDR": "192.0.2.4"})
    assert page.status_code == (403 if refusal == "network" else 503)
    assert "@ben" not in likes(ann, status_id)


def test_a_link_alone_does_nothing(ann: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, "hello")
    web.member("ben").post("/logout")
    log_in(web.client, f"/join/like/{status_id}")
    page = web.client.get(f"/join/like/{status_id}")
    assert "Like this post?" in page_text(page)
    assert "@ben" not in likes(ann, status_id)
    assert f'action="/statuses/{status_id}/like"' in page.text
    assert re.search(r"<button[^>]* autofocus>Like</button>", page.text)
    done = web.client.post(f"/statuses/{status_id}/like", data={"next": f"/@ann/{status_id}"})
    assert done.location == f"/@ann/{status_id}#status-{status_id}"
    assert "@ben" in likes(ann, status_id)
    assert web.client.get(f"/join/like/{status_id}").location == f"/@ann/{status_id}", "it is done"
    assert 'action="/@ann/follow"' in web.client.get("/join/follow/ANN").text
    assert web.client.get(f"/join/reply/{status_id}").location == f"/@ann/{status_id}#text"
    assert web.client.get("/join/follow/ben").location == "/@ben"
    web.client.post("/@ann/follow")
    assert web.client.get("/join/follow/ann").location == "/@ann"


def test_what_a_reader_may_not_see_has_no_such_page(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    hidden = post_status(ann, "for followers", visibility="followers")
    for reader in (web.client, ben):
        assert reader.get(f"/join/like/{hidden}").status_code == 404
        assert reader.get("/join/follow/nobody").status_code == 404
        assert reader.get(f"/join/unlike/{hidden}").status_code == 404
    assert ann.get(f"/join/like/{hidden}").status_code == 200


def test_the_invitation_stays_closed_also_on_cached_pages(web: Web) -> None:
    post_status(web.member("ann"), "hello")
    assert 'data-join="off"' not in web.client.get("/public").text
    response = web.client.post("/preferences", data={"join": "off", "next": "/@ann"})
    assert (response.status_code, response.location) == (303, "/@ann")
    for path in ("/public", "/@ann"):
        assert 'data-join="off"' in web.client.get(path).text
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    found = web.client.post("/preferences", data={"join": "off"}, headers=elsewhere).status_code
    assert found == 403


def test_the_invitation_leads_back_to_the_same_search(web: Web) -> None:
    address = "/search?q=red+kite"
    assert press(web.client, address) == address
    assert f'name="next" value="{address}"' in web.client.get(address).text
    page = web.client.get(f"/signup?next={quote(address)}").text
    assert unquote(re.findall(r'href="/login\?next=([^"]+)"', page)[-1]) == address
