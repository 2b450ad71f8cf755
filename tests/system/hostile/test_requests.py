"""Hostile addresses, cookies and headers get a proper response and change nothing."""

import re
from dataclasses import replace
from itertools import cycle
from typing import Any
from urllib.parse import quote_from_bytes, unquote

import pytest
from werkzeug.routing import Rule

from tests.conftest import PASSWORD, long, make_app
from tests.support.hostile.pages import PageReader, check_response
from tests.support.hostile.site import AttackedSite, snapshot
from tests.support.hostile.values import PATH_VALUES, RAW_VALUES
from tests.support.loops import in_loop
from webapp.accounts import keys as account_keys
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.tokens import keys as token_keys, store as tokens
from webapp.config import Config
from webapp.core.text.parser import tag_name
from webapp.server.bridge.asgi_bridge import AsgiBridge
from webapp.statuses import keys as status_keys

CURSOR_QUERIES = tuple(
    f"{path}?max_id="
    for path in ("/public", "/home", "/@ann", "/@ann/replies", "/@ann/followers", "/tags/tag")
)
ADDRESSES = ("/{}", "/static/{}", "/?{}", "/@{}/followers")
HEADERS = (
    "User-Agent Referer Accept-Language X-Request-ID X-Forwarded-For Content-Type Range"
).split()
VISITOR_QUERIES = ("/statuses?ids=", "/login?next=", "/signup?invite=")
FORGED_UIDS = ("2", "65", "01", "-1", "1e0", "\u0661", "1 ", "9" * 30, "{}")


def test_queries_that_are_not_utf8_get_a_response(site: AttackedSite) -> None:
    gateway = AsgiBridge(site.app, site.config)
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def respond(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    for path in ("/public", "/login", "/home", "/@ann", "/nothing"):
        for query in (b"max_id=\xff", b"\xfe=\x80", b"x=%ff&y=\xc3", b"next=\xff"):
            scope = {
                "type": "http",
                "method": "GET",
                "http_version": "1.1",
                "scheme": "http",
                "path": path,
                "query_string": query,
                "headers": [(b"host", b"localhost")],
            }
            in_loop(gateway(scope, receive, respond))
    assert len(statuses) == 20
    assert set(statuses) <= {200, 303, 404, 422}


# With a step of 7, every parameter gets three values, and its neighbour the next ones.
@pytest.mark.parametrize("step", [7, long(1)])
def test_hostile_path_values_reach_nothing_of_another_member(site: AttackedSite, step: int) -> None:
    starts = cycle(range(step))
    other_session = site.newest(2, account_keys.member_sessions(2))
    other_token = site.newest(2, token_keys.tokens(2))
    own_token = site.newest(1, token_keys.tokens(1))
    before = snapshot(site.db)
    for rule in site.app.url_map.iter_rules():
        for parameter in sorted(rule.arguments - {"filename"}):
            values = list(PATH_VALUES)[next(starts) :: step]
            may_act = rule.endpoint.startswith(("interactions.", "reports.", "threads."))
            if parameter == "status_id" and not may_act:
                values.append(site.others_status)  # members may only like, boost … or report it
            if parameter == "sha":
                values += [other_session, other_token]
                if "tokens" not in rule.rule:
                    values.append(own_token)  # which is no session
            if rule.endpoint in ("tags.follow", "tags.mute", "tags.feature"):  # any valid one
                values = [value for value in values if not tag_name(unquote(value))]
            for value in values:
                open_with_every_method(site, rule, site.path(rule, **{parameter: value}))
        assert snapshot(site.db) == before, rule


def open_with_every_method(site: AttackedSite, rule: Rule, path: str) -> None:
    """Send each method of a route. Those that write must refuse, or redirect without effect."""
    for method in sorted((rule.methods or set()) - {"OPTIONS"}):
        response = site.ann.open(path, method=method)
        check_response(response, (method, path))
        is_read = method in ("GET", "HEAD")
        assert is_read or response.status_code in (303, 401, 403, 404, 405, 422), (method, path)


def test_hostile_cursors_and_queries_get_a_response(site: AttackedSite) -> None:
    before = snapshot(site.db)
    thread = f"/@ann/{site.newest(1, status_keys.profile_statuses(1))}?after="
    raw_values = [quote_from_bytes(raw[:1_000], "") for raw in RAW_VALUES.values()]
    for path in (*CURSOR_QUERIES, thread, *VISITOR_QUERIES):
        for value in (*PATH_VALUES, *raw_values):
            client = site.ann if "max_id" in path else site.app.test_client()
            check_response(client.get(f"{path}{value}"), (path, value))
    assert snapshot(site.db) == before


@pytest.mark.parametrize("title", RAW_VALUES)
def test_hostile_addresses_and_headers_get_a_response(
    unchanged_site: AttackedSite, title: str
) -> None:
    ann, raw = unchanged_site.ann, RAW_VALUES[title]
    before = snapshot(unchanged_site.db)
    for path in ADDRESSES:
        assert ann.get(path.format(quote_from_bytes(raw[:2_000], ""))).status_code < 500, path
    value = re.sub(r"[\r\n\0]+", " ", raw.decode("latin-1"))[:4_000]
    for name in HEADERS:
        check_response(ann.get("/public", headers={name: value}), name)
    assert snapshot(unchanged_site.db) == before


def test_a_forged_cookie_signs_nobody_in(site: AttackedSite) -> None:
    valid = site.ann.get_cookie("linnet")
    assert valid
    token = valid.value.partition(".")[2]
    token_sha = site.newest(1, token_keys.tokens(1))
    forged = [
        *(f"{uid}.{token}" for uid in FORGED_UIDS),
        *(f"1.{secret}" for secret in ("", ".", "*", f"{token}x", token[:-1], f"{token}\0")),
        f"1.{sha_of(valid.value)}",
        f"1.{token_sha}",
        tokens.create(site, 1, "another"),
        *(".", "1", "x" * 9_000, "<script>", "\xff\xfe"),
    ]
    before = snapshot(site.db)
    client = site.app.test_client(use_cookies=False)
    for value in forged:
        for name in ("linnet", "linnet_form", "linnet_device", "linnet_lang", "linnet_theme"):
            cookie = f"{name}={value}".encode("latin-1", "replace").decode("latin-1")
            response = client.get("/home", headers={"Cookie": cookie})
            check_response(response, cookie)
            assert (response.status_code, response.location) == (303, "/login?next=/home"), cookie
            page = client.get("/login", headers={"Cookie": cookie})
            assert page.status_code == 200 and not PageReader(page.text).unsafe
    assert snapshot(site.db) == before


def test_a_forwarded_value_that_is_no_address_is_not_shown(settings: Config) -> None:
    client = make_app(replace(settings, trusted_proxies=1)).test_client()
    headers = {"X-Forwarded-For": "<script>\u0101".encode().decode("latin-1") * 400}
    form = {"login": "ann", "name": "Ann", "password": PASSWORD}
    assert client.post("/signup", data=form, headers=headers).status_code == 303
    page = client.get("/settings/sessions", headers=headers)
    assert page.status_code == 200 and not PageReader(page.text).unsafe
    assert "script&gt;" not in page.text and "\u0101" not in page.text
    form = {"login": "ben", "name": "Ben", "password": PASSWORD}
    headers = {"X-Forwarded-For": "203.0.113.9:4711"}
    other = client.application.test_client()
    assert other.post("/signup", data=form, headers=headers).status_code == 303
    assert "203.0.113.9" in PageReader(other.get("/settings/sessions", headers=headers).text).words


def test_settings_and_new_tokens_are_not_cached(site: AttackedSite) -> None:
    created = site.ann.post("/settings/tokens", data={"name": "another"})
    assert created.status_code == 201
    names = ("tokens", "sessions", "profile", "delete")
    pages = [site.ann.get(f"/settings/{name}") for name in names]
    for response in (created, *pages, site.app.test_client().get("/settings/tokens")):
        assert response.headers["Cache-Control"] == "no-store"
