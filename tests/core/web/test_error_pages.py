"""Errors: every refusal and failure is one page, in the site's clothes and with the right code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.system.test_pages import check_error, join, serving, write
from webapp.config import Config, Rate
from webapp.core.web.view_options import public
from webapp.server import embedded_store

Member = Callable[[str], FlaskClient]


def test_a_form_without_a_token_is_400_and_keeps_its_member_signed_in(settings: Config) -> None:
    with serving(settings) as app:
        ann = join(app, "ann")
        app.config["WTF_CSRF_ENABLED"] = True
        check_error(
            ann.post("/statuses", data={"text": "hello"}), 400, "reload the page and try again"
        )
        assert ann.get("/home").status_code == 200


def test_anothers_post_is_403(member: Member) -> None:
    status_id = write(member("ann"), "hello")
    check_error(
        member("ben").post(f"/statuses/{status_id}/delete"),
        403,
        "Not allowed",
        "Only the author can do that.",
    )


def test_what_is_not_there_is_404_for_members_and_visitors(
    client: FlaskClient, member: Member
) -> None:
    ann = member("ann")
    for (
        path
    ) in "/nowhere /@nobody /@nobody/followers /@no-body /@/1 /@ann/ /static/no /%00 /%ff".split():
        check_error(client.get(path), 404)
        check_error(ann.get(path), 404)


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
def test_another_method_is_405_with_those_allowed(
    member: Member, method: str, path: str, allowed: set[str]
) -> None:
    answer = member("ann").open(path, method=method)
    check_error(answer, 405)
    assert set(answer.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    "path", ["/signup", "/login", "/statuses/weight", "/@ann/follow", "/logout"]
)
def test_a_body_over_the_limit_is_413(settings: Config, path: str) -> None:
    with serving(settings) as app:
        ann = join(app, "ann")
        app.config["WTF_CSRF_ENABLED"] = True
        for client in (ann, app.test_client()):
            check_error(
                client.post(path, data={"text": "x" * 65_536}), 413, "larger than we accept"
            )
            check_error(client.post(path, data={"file": (BytesIO(b"x" * 65_536), "name")}), 413)


def test_acts_over_a_limit_are_429_with_the_wait_in_words_and_seconds(settings: Config) -> None:
    few = Rate(2, 600)
    limits = {"limit_signup": few, "limit_follow": few, "limit_signin_address": few}
    with serving(replace(settings, **limits)) as app:
        ann, _ = join(app, "ann"), join(app, "ben")
        follow = lambda: ann.post("/@ben/follow")
        sign_in = lambda: app.test_client().post(
            "/login", data={"login": "ann", "password": "wrong"}
        )
        sign_up = lambda: app.test_client().post(
            "/signup", data={"login": "cat", "name": "Cat", "password": PASSWORD}
        )
        assert [follow().status_code for _ in range(2)] == [303, 303]
        assert [sign_in().status_code for _ in range(2)] == [422, 422]
        for act in (follow, sign_in, sign_up):
            answer = act()
            check_error(
                answer, 429, "Slow down a little", "You’re doing that too often. Please wait "
            )
            assert 1 <= int(answer.headers["Retry-After"]) <= 300
        assert ann.get("/home").status_code == 200


def test_an_unexpected_failure_is_500_and_tells_nothing_of_it(
    app: Flask, client: FlaskClient, member: Member
) -> None:
    @public
    def broken() -> str:
        raise ZeroDivisionError("the secret cause")

    app.view_functions["timelines.public"] = broken
    for visitor in (client, member("ann")):
        answer = visitor.get("/public")
        check_error(answer, 500, "It’s our mistake")
        assert "secret cause" not in answer.text and "Traceback" not in answer.text
        assert f"<code>{answer.headers['X-Request-ID']}</code>" in answer.text


@pytest.fixture
def own_store(tmp_path: Path) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """A store of one's own: its address, and what stops and starts it."""
    running = [embedded_store.start(tmp_path, durable=False)]
    yield (
        Config(data_dir=tmp_path).store_url,
        lambda: embedded_store.stop(running.pop()),
        lambda: running.append(embedded_store.start(tmp_path, durable=False)),
    )
    for process in running:
        embedded_store.stop(process)


def test_while_the_store_is_down_every_page_is_503_and_afterwards_all_is_well(
    settings: Config, own_store: tuple[str, Callable[[], None], Callable[[], None]]
) -> None:
    url, stop, start = own_store
    with serving(replace(settings, redis_url=url, inline_projections=False)) as app:
        ann, visitor = join(app, "ann"), app.test_client()
        cookie = ann.get_cookie("linnet")
        stop()
        form = {"login": "ann", "name": "Ann", "password": PASSWORD}
        answers = [ann.get(path) for path in ("/home", "/public", "/@ann", "/login")]
        answers += [visitor.get(path) for path in ("/", "/public", "/@ann/followers")]
        answers += [
            ann.post(path, data=form)
            for path in ("/statuses/5/delete", "/@ben/follow", "/logout", "/login")
        ]
        answers += [visitor.post(path, data=form) for path in ("/login", "/signup")]
        for answer in answers:
            check_error(answer, 503, "We can’t reach our data right now.")
            assert int(answer.headers["Retry-After"]) > 0
        assert ann.get_cookie("linnet") == cookie  # nobody is signed out by it
        assert [visitor.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 503]
        assert visitor.get("/login").status_code == 200  # a page that needs no store
        start()
        assert visitor.get("/readyz").status_code == 200
        assert visitor.get("/public").status_code == 200


def test_an_app_that_applies_events_itself_says_503_too_when_the_store_is_down(
    settings: Config, own_store: tuple[str, Callable[[], None], Callable[[], None]]
) -> None:
    url, stop, _ = own_store
    with serving(replace(settings, redis_url=url)) as app:
        ann = join(app, "ann")
        stop()
        check_error(ann.post("/statuses", data={"text": "hello"}), 503)


def test_an_error_page_is_not_kept_by_caches_and_its_reference_is_the_requests(
    client: FlaskClient,
) -> None:
    answer = client.get("/nowhere", headers={"X-Request-ID": "given-by-a-stranger"})
    assert answer.headers["Cache-Control"] == "no-store"
    assert re.fullmatch("[0-9a-f]{16}", answer.headers["X-Request-ID"])
