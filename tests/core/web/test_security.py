"""Security defaults: views closed by default, CSRF tokens, headers, and hostile input."""

import re
from collections.abc import Iterator
from itertools import cycle, product
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from tests.conftest import PASSWORD, long
from tests.support.concurrently import at_once
from tests.support.form_tokens import everything, guarded as guarded, token
from tests.support.pages import join, serving_alone
from tests.support.schema import live_keys
from tests.support.world import Web
from webapp.client_api.endpoints import ENDPOINTS
from webapp.core.store import Db
from webapp.core.web.view_options import view_options

PUBLIC_ENDPOINTS = {
    *(declared.name for declared in ENDPOINTS),  # of the client API: each asks for a token
    *(
        *"accounts.login accounts.second_step recovery.reset accounts.passkey".split(),
        *"accounts.passkey_options accounts.password_strength interactions.boosters".split(),
        *"interactions.likers quotes.index accounts.signup setup.index".split(),
        *"password_reset.forgot_password password_reset.reset_password email_login.index".split(),
        *"email_login.send email_login.log_in digest.unsubscribe".split(),
    ),
    *("following.followers", "following.following", "following.mutuals", "following.featured"),
    *("standing.index", "standing.appeal"),
    *("following.menu", "post_menu.show", "metrics.show"),
    *("groups.about", "groups.by_number", "groups.find", "groups.index", "groups.members"),
    *("groups.show", "groups.top"),
    *("profile_tabs.media", "profile_tabs.likes", "search.show", "search.atom"),
    *(f"chat_api.{call}" for call in ("index", "show", "create", "change", "delete", "read")),
    *(
        f"chat_api_messages.{call}"
        for call in ("index", "show", "send", "edit", "delete", "react", "unreact", "picture")
    ),
    *(f"chat_api_members.{call}" for call in ("index", "put", "delete", "join", "leave")),
    *("chat_api_fetch.pending", "chat_api_fetch.fetched"),
    *(
        *"feeds.profile feeds.public lists.show lists.members lists.public health.healthz".split(),
        *"health.readyz media.show media.show_group_picture media.show_link_picture".split(),
        *"preferences.choose robots security_contact manifest site_icon site_icon_file".split(),
        *"site_accent static".split(),
    ),
    *("about.about", "about.terms", "about.privacy", "about.contact", "about.shortcuts"),
    *("statuses.several", "statuses.show", "streams.about", "streams.serve"),
    *("edits.history", "tags.atom", "tags.show"),
    *("sharing.answer_oembed", "sharing.card", "sharing.embed"),
    *("offline.page", "offline.service_worker"),
    *("sitemaps.index", "sitemaps.members", "sitemaps.pages", "sitemaps.posts"),
    *("timelines.index", "timelines.profile", "timelines.public", "timelines.replies"),
    *("tags.hot", "view_counts.report"),
    *("explore.index", "explore.in_all_languages", "explore.tags", "explore.links"),
    *("explore.open_groups", "suggestions.index", "join.on_status", "join.follow", "feeds.home"),
    *("client_pictures.avatar", "client_pictures.header", "client_openapi.show"),
    *("client_discovery.nodeinfo", "client_discovery.nodeinfo_links"),
    *("client_discovery.host_meta", "client_discovery.webfinger"),
    *("oauth_tokens.token", "oauth_tokens.revoke", "oauth_tokens.metadata"),
    *("market.index", "market.show", "cart.show", "cart.change", "cart.choose_seen"),
}


@pytest.fixture(scope="module")
def shared_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """Return an app with a store of its own, where Ann and Ben have signed up."""
    with serving_alone(tmp_path_factory.mktemp("shared")) as app:
        for login in ("ann", "ben"):
            join(app, login)
        yield app


def enter(app: Flask, login: str = "ann", path: str = "/signup", **options: Any) -> FlaskClient:
    """Sign a member up, or in, with the form's token. Return the client."""
    client = app.test_client()
    form = {
        "csrf_token": token(client, path, **options),
        "login": login,
        "name": login.title(),
        "password": PASSWORD,
    }
    assert client.post(path, data=form, **options).status_code == 303
    return client


def path_of(rule: Rule) -> str:
    """Return a path of a route."""
    path = re.sub(r"<any\((\w+)[^>]*>", r"\1", rule.rule)
    return re.sub(r"<(?:[^<>]+:)?(\w+)>", lambda match: {"login": "ann"}.get(match[1], "5"), path)


@pytest.mark.tables
@pytest.mark.slow
def test_only_the_listed_views_are_public(web: Web) -> None:
    marked = {
        name
        for name, view in web.app.view_functions.items()
        if view_options(view).public or view_options(view).storeless
    }
    assert marked - PUBLIC_ENDPOINTS == set(), "open to visitors: add them to PUBLIC_ENDPOINTS"
    assert PUBLIC_ENDPOINTS - marked == set(), "for members: take them off PUBLIC_ENDPOINTS"
    for rule in web.app.url_map.iter_rules():
        for method in sorted(rule.methods or ()):
            response = web.client.open(path_of(rule), method=method)
            # Some share an address.
            endpoint, _ = web.app.url_map.bind("localhost").match(path_of(rule), method=method)
            if endpoint in PUBLIC_ENDPOINTS:
                leads_to_login = (response.location or "").startswith("/login")
                assert not leads_to_login or endpoint == "standing.index", rule
            else:
                back = "?next=" + path_of(rule) if method in ("GET", "HEAD") else ""
                assert (response.status_code, response.location) == (303, f"/login{back}"), rule


def test_a_log_line_is_short_and_has_no_line_breaks(
    web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "linnet")
    assert web.client.get("/" + "%0A" * 20_000).status_code == 404
    [line] = [record.getMessage() for record in caplog.records if "GET /" in record.getMessage()]
    assert line.startswith("GET /%0A%0A") and len(line) < 1_000


@pytest.mark.slow
def test_a_head_request_gets_the_status_of_a_get_request_and_neither_changes_anything(
    web: Web,
) -> None:
    ann, before = web.member("ann"), dict[str, Any]()
    excluded = ("active:", "session", "connection_slots:", "limit:")  # a stream holds a slot
    for viewer in (web.client, ann):
        before = everything(web.db, *excluded)  # pages for visitors are kept
        for rule in web.app.url_map.iter_rules():
            if "GET" in (rule.methods or ()) and not rule.endpoint.startswith("streams."):
                got, head = viewer.get(path_of(rule)), viewer.head(path_of(rule))
                assert (head.status_code, head.data) == (got.status_code, b""), rule
    for rule in web.app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and rule.endpoint.startswith("streams."):
            ann.get(path_of(rule))
    assert everything(web.db, *excluded) == before


@pytest.mark.slow
@pytest.mark.parametrize("step", [5, long(1)])
def test_every_form_needs_its_csrf_token(guarded: Flask, step: int) -> None:
    ann = enter(guarded)
    ben = enter(guarded, "ben")
    anns_token = token(ann, "/home")
    bens_token = token(ben, "/home")
    db: Db = guarded.extensions["linnet.db"]
    before = everything(db, "limit:")
    verbs = {"POST", "PUT", "PATCH", "DELETE"}
    # Preferences need no token, so that visitors' pages need no cookie. Streams change nothing. A
    # service worker has no form, nor has a report of views from a cached page; calls of other
    # sites are refused.
    exempt = ("preferences.choose", "streams.serve", "push.renew", "view_counts.report")
    exempt = (*exempt, "client_apps.register")  # an app registers before it has a token
    exempt = (*exempt, "digest.unsubscribe")  # mail programs send its POST (RFC 8058)
    rules = [rule for rule in guarded.url_map.iter_rules() if rule.endpoint not in exempt]
    writing = [rule for rule in rules if verbs & (rule.methods or set())]
    assert len(writing) >= 8
    form = {"login": "cat", "name": "Cat", "password": PASSWORD, "text": "hello"}
    invalid = ("", "x", bens_token, anns_token[:-1], anns_token + "x", "\udcff")
    kinds = list(product(invalid, (True, False)))
    starts = cycle(range(step))  # the next form gets the next kinds
    for rule in writing:
        # The chat API asks a browser for its origin first, and visitors for a token. Apps prove who
        # they are.
        is_api = rule.rule.startswith(("/api/", "/oauth/token", "/oauth/revoke"))
        refusals = (401, 403) if is_api else (400,)
        for method in verbs & (rule.methods or set()):
            for sent, is_ann in [(None, True), (None, False), *kinds[next(starts) :: step]]:
                data = dict(form)
                if sent is not None:
                    data["csrf_token"] = sent.encode("utf-8", "replace").decode()
                client = ann if is_ann else guarded.test_client()
                response = client.open(path_of(rule), method=method, data=data)
                assert response.status_code in refusals, rule
    assert everything(db, "limit:") == before
    response = ann.post("/statuses", data={"text": "hello", "csrf_token": anns_token})
    assert response.status_code == 303


def test_a_form_from_another_site_is_refused_over_https(guarded: Flask) -> None:
    site = "https://localhost"
    ann = enter(guarded, base_url=site, headers={"Referer": f"{site}/"})
    form = {"text": "hello", "csrf_token": token(ann, "/home", base_url=site)}
    others = ("https://evil.example/", "http://localhost/", "https://[", "https://[v]/", "")
    for referrer, status in (*((other, 400) for other in others), (f"{site}/home", 303)):
        headers = {"Referer": referrer}
        response = ann.post("/statuses", data=form, base_url=site, headers=headers)
        assert response.status_code == status


@pytest.mark.slow
def test_every_response_has_the_security_headers(guarded: Flask) -> None:
    ann, visitor = enter(guarded), guarded.test_client()
    stylesheet = re.search(r"/static/\S+\.css", visitor.get("/").text)
    assert stylesheet and visitor.get(stylesheet[0]).status_code == 200
    paths = "/ /home /public /@ann /login /nowhere /static/no /healthz /readyz".split()
    responses = [client.get(path) for client in (ann, visitor) for path in [*paths, stylesheet[0]]]
    responses += [
        ann.post("/statuses"),
        ann.post("/home"),
        ann.post("/login", data={"x": "x" * 70_000}),
    ]
    for response in responses:
        policy = dict(
            part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; ")
        )
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
        assert "unsafe" not in str(policy) and "*" not in str(policy)
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["X-Frame-Options"] == "DENY"
        assert response.headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
        assert response.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "Strict-Transport-Security" not in response.headers
        response.close()  # may be a file
    secure = visitor.get("/", base_url="https://localhost")
    assert "max-age" in secure.headers["Strict-Transport-Security"]


def test_pages_vary_by_cookie(guarded: Flask) -> None:
    ann, visitor = enter(guarded), guarded.test_client()
    for client in (ann, visitor):
        for path in ("/", "/home", "/public", "/@ann", "/login", "/nowhere"):
            assert "Cookie" in client.get(path).headers.get("Vary", ""), path


@pytest.mark.slow
def test_no_page_has_inline_styles_or_scripts(guarded: Flask) -> None:
    ann, visitor = enter(guarded), guarded.test_client()
    csrf_token = token(ann, "/home")
    ann.post("/statuses", data={"text": "@ann https://example.com #tag", "csrf_token": csrf_token})
    paths = "/ /home /public /@ann /@ann/followers /login /signup /statuses/new /nowhere".split()
    for client in (ann, visitor):
        for page in (client.get(path).text for path in paths):
            page = page.replace('<script type="application/ld+json">', "")  # data
            assert not re.search(
                r"<style|<script(?![^>]* src=)|\sstyle=|\son\w+=|javascript:", page, re.IGNORECASE
            )


@pytest.mark.parametrize("target", ["/@ann?max_id=5", "//evil.example", "/\r\nX-Y: z", ""])
def test_a_login_redirects_only_within_the_site(shared_app: Flask, target: str) -> None:
    client = shared_app.test_client()
    page = client.get("/login", query_string={"next": target})
    field = re.search(r'name="next"[^>]*value="([^"]*)"', page.text)
    posted = client.post("/login", data={"login": "ann", "password": PASSWORD, "next": target})
    again = client.get("/login", query_string={"next": target})
    assert page.status_code == 200 and field and field[1] == (target if "@" in target else "")
    assert posted.status_code == again.status_code == 303
    assert posted.location == again.location
    assert posted.location == (target if "@" in target else "/home")


@pytest.mark.parametrize("target", ["//evil.example", "/\r\nX-Y: z", ""])
def test_actions_redirect_back_only_within_the_site(shared_app: Flask, target: str) -> None:
    ann = shared_app.test_client()
    ann.post("/login", data={"login": "ann", "password": PASSWORD})
    ann.post("/statuses", data={"text": "hello"})
    status_id = re.findall(r'id="status-(\d+)"', ann.get("/home").text)[0]
    paths = ("/@ben/follow", f"/statuses/{status_id}/delete")
    assert [ann.post(path, data={"next": target}).location for path in paths] == ["/@ben", "/@ann"]


def test_one_of_several_concurrent_sign_ups_with_one_login_succeeds(web: Web) -> None:
    def attempt(number: int) -> tuple[int, bool]:
        form = {"login": "ann", "name": f"Number {number}", "password": PASSWORD}
        response = web.app.test_client().post("/signup", data=form)
        return response.status_code, "That username is taken." in response.text

    results = sorted(at_once(16, attempt, range(50)))
    assert results == [(303, False)] + [(409, True)] * 49
    keys = live_keys(web.db)
    assert len([key for key in keys if key.startswith("user:")]) == 1


@pytest.mark.parametrize(
    "path",
    [
        *"/api/v2/instance /api/openapi.json /api/v1/accounts/lookup/setup.bat".split(),
        "/api/v1/accounts/lookup?acct=%22%7C%7Ccalc%7C%7C&filename=setup.bat",
        *"/api/v1/tags/setup.bat /api/chats/setup.bat /nodeinfo/2.0".split(),
    ],
)
def test_json_is_saved_under_one_name_whatever_is_asked_for(app: Flask, path: str) -> None:
    answer = app.test_client().get(path)
    assert answer.is_json
    assert answer.headers["Content-Disposition"] == 'attachment; filename="api.json"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
