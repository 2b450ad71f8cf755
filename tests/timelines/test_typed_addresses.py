"""Addresses that people type from memory: they lead to the page that is meant, or to none."""

import pytest
from flask.testing import FlaskClient

from tests.support.pages import page_text, post_status
from tests.support.world import Web
from webapp.accounts import lifecycle
from webapp.core.store import Site


@pytest.mark.parametrize(
    ("typed", "target"),
    [
        ("/@ann/", "/@ann"),
        ("/@ANN/", "/@ANN"),
        ("/public/", "/public"),
        ("/ann", "/@Ann"),
        ("/ANN/", "/@Ann"),
        ("/signin", "/login"),
        ("/register/", "/signup"),
        ("/.well-known/change-password", "/settings/password"),
    ],
)
def test_an_address_leads_to_the_page_that_it_means(web: Web, typed: str, target: str) -> None:
    ann = web.member("Ann")
    for reader in (web.client, ann):
        response = reader.get(typed)
        assert (response.status_code, response.location) == (303, target)


@pytest.mark.parametrize(
    "path",
    [
        *("/nobody", "/nobody/", "/ann/x", "/@ann/x/", "/evil.example/"),
        *("/signin/x", "/%0d%0aann", "/ann%00", "/" + "a" * 16, "/ä"),
    ],
)
def test_any_other_address_is_not_found(web: Web, path: str) -> None:
    web.member("ann")
    response = web.client.get(path)
    assert response.status_code == 404, path


def test_a_missing_page_says_so_and_offers_a_search(web: Web) -> None:
    page = web.client.get("/nobody")
    assert "This page doesn’t exist or was removed." in page_text(page)
    assert 'class="search-box"' in page.text


def test_no_name_shadows_a_page(web: Web) -> None:
    web.member("bookmarks")
    assert web.client.get("/bookmarks").location == "/login?next=/bookmarks"
    assert web.client.post("/bookmarks").status_code == 405
    assert web.client.post("/nobody").status_code == 404


def test_an_account_that_has_ended_is_not_told(ann: FlaskClient, web: Web) -> None:
    post_status(ann, "hello")
    site: Site = web
    lifecycle.delete_account(site, 1, None)
    assert web.client.get("/ann").status_code == web.client.get("/@ann").status_code == 404
