"""An app of the client API, and the member who allowed it."""

import re
from collections.abc import Sequence
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD
from webapp.client_api.oauth import apps, codes
from webapp.core.store import Site

OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob"
CODE = re.compile(r"<code>(\d+-[\w-]{43})</code>")
LINK = re.compile(r'<([^>]+)>; rel="(\w+)"')
SCOPES = "read write follow push"


class ApiClient:
    """Calls the client API with a token, "" for none."""

    def __init__(self, app: Flask, token: str = "") -> None:
        self.browser = app.test_client()
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def call(self, route: str, **options: Any) -> TestResponse:
        """Call a route such as `GET /api/v1/timelines/home`."""
        method, _, path = route.partition(" ")
        headers = self.headers | options.pop("headers", {})
        return self.browser.open(path, method=method, headers=headers, **options)

    def get(self, path: str, **query: Any) -> Any:
        """Return what a page of the API says."""
        response = self.call(f"GET /api/{path}", query_string=query or None)
        assert response.status_code == 200, response.text
        return response.json

    def post(self, path: str, **fields: Any) -> Any:
        """Return what the API answers to a form."""
        response = self.call(f"POST /api/{path}", data=fields)
        assert response.status_code == 200, response.text
        return response.json


Clients = tuple[ApiClient, ApiClient]
Three = tuple[ApiClient, ApiClient, ApiClient]


def register_app(
    app: Flask, redirects: str = OUT_OF_BAND, scopes: str = SCOPES, **fields: str
) -> Any:
    """Register an app. Return it as its registration says."""
    sent = {"client_name": "Siskin", "redirect_uris": redirects, "scopes": scopes, **fields}
    return ApiClient(app).post("v1/apps", **sent)


def allowed_code(browser: FlaskClient, registered: Any, **query: str) -> str:
    """Let a member allow an app. Return the code that the member is shown."""
    asked = consent_query(registered, **query)
    form = {"answer": "allow", "current_password": PASSWORD}
    page = browser.post("/oauth/authorize", query_string=asked, data=form)
    assert page.status_code == 200, page.text
    [code] = CODE.findall(page.text)
    return str(code)


def consent_query(registered: Any, **query: str) -> dict[str, str]:
    """Return what an app asks for, as it sends its member's browser."""
    return {
        "response_type": "code",
        "client_id": registered["client_id"],
        "redirect_uri": OUT_OF_BAND,
        "scope": " ".join(registered["scopes"]),
        **query,
    }


def exchange(app: Flask, registered: Any, allowed: str, **fields: str) -> TestResponse:
    """Exchange a code for a token."""
    sent = {
        "grant_type": "authorization_code",
        "client_id": registered["client_id"],
        "client_secret": registered["client_secret"],
        "redirect_uri": OUT_OF_BAND,
        "code": allowed,
        **fields,
    }
    return app.test_client().post("/oauth/token", data=sent)


def connected(app: Flask, browser: FlaskClient, scopes: str = SCOPES) -> ApiClient:
    """Return an app that the member of a browser has just allowed, without the pages of that."""
    cookie = browser.get_cookie("linnet")
    assert cookie
    site = Site(app.extensions["linnet.db"], app.extensions["linnet.config"])
    return ApiClient(app, app_token(site, int(cookie.value.partition(".")[0]), scopes))


def ids(entities: Sequence[Any]) -> list[int]:
    """Return the ids of entities."""
    return [int(one["id"]) for one in entities]


def links(client: ApiClient, path: str, **query: Any) -> dict[str, str]:
    """Return where the pages beside a page are, in the order of its header."""
    response = client.call(f"GET /api/{path}", query_string=query or None)
    return {rel: url for url, rel in LINK.findall(response.headers.get("Link", ""))}


def app_token(site: Site, uid: int, scopes: str = SCOPES) -> str:
    """Return a token of a new app that a member has allowed some scopes."""
    granted = tuple(scopes.split())
    made, _ = apps.register(site, "Siskin", "", [OUT_OF_BAND], granted)
    code = codes.grant(site, uid, made, OUT_OF_BAND, granted, "")
    token = codes.exchange(site, made, code, OUT_OF_BAND, "")
    assert token
    return token.access_token
