"""The cookie that form tokens are made of: read once an hour, and never another one for it."""

from __future__ import annotations

from typing import Any, cast

from flask import Flask, flash, get_flashed_messages, session
from flask_wtf.csrf import generate_csrf, validate_csrf

from webapp.core.forms.csrf import csrf_token
from webapp.core.forms.form_session import CachedSessionInterface

RAW = "0123456789abcdef0123456789abcdef01234567"


def cookie(app: Flask, held: dict[str, Any]) -> str:
    """A cookie that holds this, as the site writes it."""
    signer: Any = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]
    return f"linnet_form={signer.dumps(held)}"


def reads(app: Flask) -> int:
    """How many cookies are kept as they were read."""
    return cast(CachedSessionInterface, app.session_interface)._cached_read.cache_info().currsize


def test_a_token_is_one_that_forms_take_and_the_same_all_over_a_page(app: Flask) -> None:
    with app.test_request_context("/", headers={"Cookie": cookie(app, {"csrf_token": RAW})}):
        token = csrf_token()
        assert token == csrf_token() == generate_csrf()
        validate_csrf(token)
    with app.test_request_context("/"):  # of whom there is no cookie yet
        token = csrf_token()
        validate_csrf(token)
        assert session.modified


def test_what_one_request_puts_into_its_cookie_is_not_in_the_next(app: Flask) -> None:
    kept = {"Cookie": cookie(app, {"csrf_token": RAW})}
    for _ in range(2):
        with app.test_request_context("/", headers=kept):
            assert dict(session) == {"csrf_token": RAW}
            session["csrf_token"] = "another"
            flash("for this one alone")
    assert reads(app) == 1


def test_a_notice_is_read_anew_each_time_and_a_cookie_that_was_changed_is_none(app: Flask) -> None:
    told = {"Cookie": cookie(app, {"csrf_token": RAW, "_flashes": [("message", "hello")]})}
    for _ in range(2):
        with app.test_request_context("/", headers=told):
            assert get_flashed_messages() == ["hello"]
            flash("more")
    right = cookie(app, {"csrf_token": RAW})
    for wrong in (
        right.replace("=", "=x"),
        right.rpartition(".")[0] + ".wrong",
        "linnet_form=",
        "linnet_form=x.y.z",
    ):
        with app.test_request_context("/", headers={"Cookie": wrong}):
            assert not session
    assert reads(app) == 0
