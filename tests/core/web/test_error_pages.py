"""Error pages: every refusal and failure is a page with the right status."""

import re
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.pages import check_error, join, post_status, serving
from tests.support.world import Web
from webapp.config import Config, Rate
from webapp.core.web import public


def test_a_form_without_a_token_is_400_and_does_not_log_out(settings: Config) -> None:
    with serving(settings) as app:
        ann = join(app, "ann")
        app.config["WTF_CSRF_ENABLED"] = True
        response = ann.post("/statuses", data={"text": "hello"})
        check_error(response, 400, "reload the page and try again")
        assert ann.get("/home").status_code == 200


def test_deleting_anothers_status_is_403(web: Web) -> None:
    status_id = post_status(web.member("ann"), "hello")
    answer = web.member("ben").post(f"/statuses/{status_id}/delete")
    check_error(answer, 403, "Not allowed", "Only the author can do that.")


def test_missing_pages_are_404(ann: FlaskClient, web: Web) -> None:
    paths = "/nowhere /@nobody /@nobody/followers /@no-body /@/1 /static/no /%00 /%ff"
    for path in paths.split():
        for visitor in (web.client, ann):
            response = visitor.get(path)
            check_error(response, 404, "Check the address, or search for people and posts.")
            main = response.text.partition("<main")[2]
            assert 'action="/search"' in main and "Back to Linnet" in main
            assert "error-id" not in main


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/logout", {"POST", "OPTIONS"}),
        ("GET", "/logout", {"POST", "OPTIONS"}),
        ("GET", "/statuses/5/delete", {"POST", "OPTIONS"}),
        ("POST", "/statuses/5", {"DELETE", "OPTIONS"}),
        ("POST", "/home", {"GET", "HEAD", "OPTIONS"}),
        ("PUT", "/@ann", {"GET", "HEAD", "OPTIONS"}),
        ("PATCH", "/login", {"GET", "HEAD", "POST", "OPTIONS"}),
    ],
)
def test_another_method_is_405_with_the_allowed_ones(
    web: Web, method: str, path: str, allowed: set[str]
) -> None:
    response = web.member("ann").open(path, method=method)
    check_error(response, 405)
    assert set(response.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/market/7/pay?x=1", "/market/7"),
        ("/@ann/follow", "/@ann"),
        ("/tags/%E9%B8%9F/follow", "/tags/%E9%B8%9F"),
        ("/standing/1/appeal", "/standing"),
        ("/statuses", "/"),
        ("/logout", "/"),
    ],
)
def test_who_opens_the_address_of_a_form_is_led_to_its_page(
    ann: FlaskClient, web: Web, path: str, page: str
) -> None:
    for browser in (ann, web.client):
        response = browser.get(path, headers={"Sec-Fetch-Mode": "navigate"})
        assert (response.status_code, response.location) == (303, page)
    assert ann.get("/logout", headers={"Sec-Fetch-Mode": "cors"}).status_code == 405


@pytest.mark.parametrize(
    "path", ["/signup", "/login", "/statuses/weight", "/@ann/follow", "/logout"]
)
def test_a_body_above_the_limit_is_413(settings: Config, path: str) -> None:
    with serving(settings) as app:
        ann = join(app, "ann")
        app.config["WTF_CSRF_ENABLED"] = True
        for client in (ann, app.test_client()):
            answer = client.post(path, data={"text": "x" * 65_536})
            check_error(answer, 413, "larger than we accept")
            check_error(client.post(path, data={"file": (BytesIO(b"x" * 65_536), "name")}), 413)


def test_rate_limited_actions_are_429_with_the_wait(settings: Config) -> None:
    rate = Rate(2, 600)
    limits = {"limit_signup": rate, "limit_follow": rate, "limit_signin_address": rate}
    with serving(replace(settings, **limits)) as app:
        ann, _ = join(app, "ann"), join(app, "ben")
        follow = lambda: ann.post("/@ben/follow")
        wrong = {"login": "ann", "password": "wrong"}
        sign_in = lambda: app.test_client().post("/login", data=wrong)
        new = {"login": "cat", "name": "Cat", "password": PASSWORD}
        sign_up = lambda: app.test_client().post("/signup", data=new)
        assert [follow().status_code for _ in range(2)] == [303, 303]
        assert [sign_in().status_code for _ in range(2)] == [422, 422]
        for action in (follow, sign_in, sign_up):
            response = action()
            check_error(
                response, 429, "Slow down a little", "You’re doing that too often. Please wait "
            )
            assert 1 <= int(response.headers["Retry-After"]) <= 300
        assert ann.get("/home").status_code == 200


def test_an_unexpected_exception_is_500_without_its_cause(web: Web) -> None:
    @public
    def broken() -> str:
        raise ZeroDivisionError("the secret cause")

    web.app.view_functions["timelines.public"] = broken
    for visitor in (web.client, web.member("ann")):
        response = visitor.get("/public")
        check_error(response, 500, "It’s our mistake")
        assert "secret cause" not in response.text and "Traceback" not in response.text
        assert f"<code>{response.headers['X-Request-ID']}</code>" in response.text


def test_pages_are_503_while_the_store_is_down(
    settings: Config, own_store: tuple[str, Callable[[], None], Callable[[], None]]
) -> None:
    url, stop, start = own_store
    with serving(replace(settings, redis_url=url, inline_projections=False)) as app:
        ann, visitor = join(app, "ann"), app.test_client()
        cookie = ann.get_cookie("linnet")
        stop()
        form = {"login": "ann", "name": "Ann", "password": PASSWORD}
        responses = [ann.get(path) for path in ("/home", "/public", "/@ann", "/login")]
        responses += [visitor.get(path) for path in ("/", "/public", "/@ann/followers")]
        responses += [
            ann.post(path, data=form)
            for path in ("/statuses/5/delete", "/@ben/follow", "/logout", "/login")
        ]
        responses += [visitor.post(path, data=form) for path in ("/login", "/signup")]
        for response in responses:
            check_error(response, 503, "We can’t reach our data right now.")
            assert int(response.headers["Retry-After"]) > 0
        assert ann.get_cookie("linnet") == cookie  # members stay logged in
        assert [visitor.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 503]
        assert visitor.get("/login").status_code == 200  # a page that needs no store
        start()
        assert visitor.get("/readyz").status_code == 200
        assert visitor.get("/public").status_code == 200


def test_an_app_that_applies_events_inline_gives_503_while_the_store_is_down(
    settings: Config, own_store: tuple[str, Callable[[], None], Callable[[], None]]
) -> None:
    url, stop, _ = own_store
    with serving(replace(settings, redis_url=url)) as app:
        ann = join(app, "ann")
        stop()
        check_error(ann.post("/statuses", data={"text": "hello"}), 503)


def test_an_error_page_is_not_cached_and_has_its_own_request_id(web: Web) -> None:
    response = web.client.get("/nowhere", headers={"X-Request-ID": "given-by-a-stranger"})
    assert response.headers["Cache-Control"] == "no-store"
    assert re.fullmatch("[0-9a-f]{16}", response.headers["X-Request-ID"])


@pytest.mark.parametrize("path", ["/settings/profile", "/statuses", "/drafts"])
def test_too_big_pictures_are_refused_with_their_limit_and_the_members_navigation(
    settings: Config, path: str
) -> None:
    with serving(replace(settings, upload_max=1_048_576)) as app:
        ann = join(app, "ann")
        body = b"x" * (5 * 1_048_576)
        response = ann.post(path, data=body, content_type="multipart/form-data; boundary=x")
        check_error(response, 413, "Each can be up to 1 MB.")
        assert 'href="/@ann"' in response.text.partition("<main")[0]
