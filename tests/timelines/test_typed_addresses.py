"""Addresses that people type from memory: they lead to the page that is meant, or to none."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import SignUp
from tests.support.pages import page_text, post_status
from webapp.accounts import lifecycle
from webapp.core.site import Site


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
def test_an_address_leads_to_the_page_that_it_means(
    client: FlaskClient, member: SignUp, typed: str, target: str
) -> None:
    ann = member("Ann")
    for reader in (client, ann):
        response = reader.get(typed)
        assert (response.status_code, response.location) == (303, target)


@pytest.mark.parametrize(
    "path",
    [
        *("/nobody", "/nobody/", "/ann/x", "/@ann/x/", "/evil.example/"),
        *("/signin/x", "/%0d%0aann", "/ann%00", "/" + "a" * 16, "/ä"),
    ],
)
def test_any_other_address_is_not_found(client: FlaskClient, member: SignUp, path: str) -> None:
    member("ann")
    response = client.get(path)
    assert response.status_code == 404, path


def test_a_missing_page_says_so_and_offers_a_search(client: FlaskClient) -> None:
    page = client.get("/nobody")
    assert "This page doesn’t exist or was removed." in page_text(page)
    assert 'class="search-box"' in page.text


def test_no_name_shadows_a_page(client: FlaskClient, member: SignUp) -> None:
    member("bookmarks")
    assert client.get("/bookmarks").location == "/login?next=/bookmarks"
    assert client.post("/bookmarks").status_code == 405
    assert client.post("/nobody").status_code == 404


def test_an_account_that_has_ended_is_not_told(
    app: Flask, client: FlaskClient, member: SignUp
) -> None:
    ann = member("ann")
    post_status(ann, "hello")
    site: Site = Site(app.extensions["linnet.db"], app.extensions["linnet.config"])
    lifecycle.delete_account(site, 1, None)
    assert client.get("/ann").status_code == client.get("/@ann").status_code == 404
