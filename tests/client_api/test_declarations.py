"""What holds for every endpoint: tokens, scopes, errors, other origins, and its answers' shape."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from flask import Flask

from tests.conftest import SignUp
from tests.support.client_api import ApiClient, connected
from webapp.client_api import docs
from webapp.client_api.declaration import Endpoint
from webapp.client_api.endpoints import ENDPOINTS
from webapp.client_api.http.parameters import nested
from webapp.client_api.scopes import SCOPES, allows

ROOT = Path(__file__).parents[2]
PART = re.compile(r"<(?:\w+:)?\w+>")
WRITING = ("write:", "push")
APPS_ALONE = {"client_apps.verify", "client_own_account.sign_up"}


def route(endpoint: Endpoint) -> str:
    """Return a route of an endpoint about something that does not exist."""
    return f"{endpoint.method} {PART.sub('4242', endpoint.path)}"


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.name)
def test_its_scope_is_one_that_apps_can_ask_for(endpoint: Endpoint) -> None:
    assert endpoint.scope in {"", "read:me", *SCOPES}
    assert endpoint.view.__doc__
    assert endpoint.method == "GET" or endpoint.public or endpoint.scope.startswith(WRITING)


def test_without_a_token_only_public_ones_answer(app: Flask, member: SignUp) -> None:
    visitor, signed_in = ApiClient(app), ApiClient(app)
    signed_in.browser = member("ann")
    for endpoint in ENDPOINTS:
        for client in (visitor, signed_in):  # a cookie counts for nothing
            answer = client.call(route(endpoint))
            is_refused = answer.status_code == 401
            assert is_refused == (not endpoint.public or endpoint.name in APPS_ALONE), endpoint.name
            if is_refused:
                assert answer.json == {"error": "The access token is invalid"}


def test_a_wrong_token_is_refused_everywhere(app: Flask) -> None:
    client = ApiClient(app, "linnet_1_" + "x" * 43)
    assert {client.call(route(endpoint)).status_code for endpoint in ENDPOINTS} == {401}


def test_a_token_without_the_scope_is_refused(app: Flask, member: SignUp) -> None:
    client = connected(app, member("ann"), scopes="push")
    for endpoint in ENDPOINTS:
        answer = client.call(route(endpoint))
        is_refused = endpoint.scope not in ("", "push")
        assert (answer.status_code == 403) == is_refused, endpoint.name
        if is_refused:
            assert answer.json == {"error": "This action is outside the authorized scopes"}


@pytest.mark.slow
def test_nothing_that_a_member_sends_is_a_fault_of_ours(app: Flask, member: SignUp) -> None:
    client = connected(app, member("ann"))
    odd: list[dict[str, Any]] = [
        {"data": {"limit": "x", "max_id": "-1", "id[]": "9" * 30, "poll[options]": "a"}},
        {"json": [1, 2]},
        {"data": "{", "content_type": "application/json"},
        {"json": {"status": {"a": 1}, "media_ids": "x", "poll": [1], "account_ids": {"0": "z"}}},
    ]
    for endpoint in ENDPOINTS:
        for options in odd:
            answer = client.call(route(endpoint), **options)
            assert answer.status_code < 500, (endpoint.name, options)
            if answer.status_code >= 400:
                assert set(answer.json) - {"details"} == {"error"} and answer.json["error"], (
                    endpoint.name
                )


def test_pages_of_other_origins_may_call_and_read_what_they_need(app: Flask) -> None:
    client = ApiClient(app)
    asked = client.call("OPTIONS /api/v1/statuses", headers={"Origin": "https://elk.example"})
    assert asked.status_code == 204
    assert "Idempotency-Key" in asked.headers["Access-Control-Allow-Headers"]
    answer = client.call("GET /api/v1/instance")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Link" in answer.headers["Access-Control-Expose-Headers"]
    assert answer.headers["X-RateLimit-Limit"] and answer.headers["X-RateLimit-Reset"].endswith("Z")
    page = client.call("GET /public")
    assert "Access-Control-Allow-Origin" not in page.headers


def test_unknown_paths_are_errors_in_json(app: Flask) -> None:
    answer = ApiClient(app).call("GET /api/v1/collections")
    assert answer.status_code == 404 and answer.json["error"]


def test_names_of_parameters_may_be_nested() -> None:
    text = "a[]=1&a[]=2&b[c]=3&d[0][e]=4&d[1][e]=5&f=6"
    tree = {"a": ["1", "2"], "b": {"c": "3"}, "d": {"0": {"e": "4"}, "1": {"e": "5"}}, "f": "6"}
    assert nested(parse_qsl(text)) == tree
    rows = [("a[][b]", "1"), ("a[][b]", "2"), ("a[][c]", "3")]
    assert nested(rows) == {"a": [{"b": "1", "c": "3"}, {"b": "2"}]}
    assert nested([("a[b]", "1"), ("a", "2"), ("a[]", "3"), ("[", "4"), ("x[y][z][w][v][u]", "5")])
    assert nested([("a[]", "1"), ("a[][b]", "2")]) == {"a": ["1", {"b": "2"}]}


def test_many_rows_are_read_in_few_steps() -> None:
    """To look at all rows before each next one would take minutes."""
    assert len(nested([("a[][b]", "1")] * 100_000)["a"]) == 100_000


@pytest.mark.parametrize(
    ("granted", "needed", "expected"),
    [
        ("read", "read:statuses", True),
        ("read:statuses", "read:statuses", True),
        ("read:statuses", "read:lists", False),
        ("write", "read:statuses", False),
        ("follow", "write:follows", True),
        ("follow", "write:statuses", False),
        ("profile", "read:me", True),
        ("", "", True),
    ],
)
def test_scopes_include_their_parts(granted: str, needed: str, expected: bool) -> None:
    assert allows(granted.split(), needed) is expected
    assert allows(None, needed)


@pytest.mark.tables
def test_the_page_and_the_document_say_what_is_declared(app: Flask) -> None:
    command = "run: python -m webapp.client_api.docs > docs/client-api.md"
    assert (ROOT / "docs/client-api.md").read_text() == docs.page(), command
    described = ApiClient(app).get("openapi.json")["paths"]
    operations = {
        operation["operationId"] for path in described.values() for operation in path.values()
    }
    assert operations == {endpoint.name for endpoint in ENDPOINTS}
