"""The cookie of CSRF tokens: parsed once, and isolated between requests."""

import time
from typing import Any, cast

import pytest
from flask import Flask, flash, get_flashed_messages, session
from flask_wtf.csrf import generate_csrf, validate_csrf
from itsdangerous import TimestampSigner

from webapp.core.forms.csrf import csrf_token
from webapp.core.forms.form_session import CachedSessionInterface

RAW = "0123456789abcdef0123456789abcdef01234567"


def cookie(app: Flask, session_data: dict[str, Any]) -> str:
    """Return a cookie with this session, as the site writes it."""
    signer: Any = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]
    return f"linnet_form={signer.dumps(session_data)}"


def cached_reads(app: Flask) -> int:
    """Return the number of cookies whose parsed sessions are cached."""
    return cast(CachedSessionInterface, app.session_interface)._cached_read.cache_info().currsize


def test_a_token_is_valid_and_the_same_throughout_a_page(app: Flask) -> None:
    with app.test_request_context("/", headers={"Cookie": cookie(app, {"csrf_token": RAW})}):
        token = csrf_token()
        assert token == csrf_token() == generate_csrf()
        validate_csrf(token)
    with app.test_request_context("/"):  # without a cookie
        token = csrf_token()
        validate_csrf(token)
        assert session.modified


def test_templates_get_the_tokens_of_the_kept_signer(app: Flask) -> None:
    context: dict[str, Any] = {}
    with app.test_request_context("/"):
        app.update_template_context(context)
    assert context["csrf_token"] is csrf_token  # and not Flask-WTF's, which makes a signer


def test_changes_of_a_session_do_not_reach_other_requests(app: Flask) -> None:
    headers = {"Cookie": cookie(app, {"csrf_token": RAW})}
    for _ in range(2):
        with app.test_request_context("/", headers=headers):
            assert dict(session) == {"csrf_token": RAW}
            session["csrf_token"] = "another"
            flash("only in this request")
    assert cached_reads(app) == 1


def test_cookies_with_notices_are_not_cached_and_forged_ones_are_ignored(app: Flask) -> None:
    headers = {"Cookie": cookie(app, {"csrf_token": RAW, "_flashes": [("message", "hello")]})}
    for _ in range(2):
        with app.test_request_context("/", headers=headers):
            assert get_flashed_messages() == ["hello"]
            flash("more")
    valid = cookie(app, {"csrf_token": RAW})
    for forged in (
        valid.replace("=", "=x"),
        valid.rpartition(".")[0] + ".wrong",
        "linnet_form=",
        "linnet_form=x.y.z",
    ):
        with app.test_request_context("/", headers={"Cookie": forged}):
            assert not session
    assert cached_reads(app) == 0


@pytest.mark.parametrize("session_data", [{"csrf_token": RAW}, {"_flashes": [["message", "hi"]]}])
def test_a_cookie_from_a_machine_whose_clock_is_ahead_is_accepted(
    app: Flask, monkeypatch: pytest.MonkeyPatch, session_data: dict[str, Any]
) -> None:
    ages = {-90: True, 0: True, app.permanent_session_lifetime.total_seconds() + 90: False}
    for age, is_accepted in ages.items():
        with monkeypatch.context() as elsewhere:
            signed_at = int(time.time() - age)
            elsewhere.setattr(TimestampSigner, "get_timestamp", lambda _, at=signed_at: at)
            headers = {"Cookie": cookie(app, session_data)}
        with app.test_request_context("/", headers=headers):
            assert bool(session) is is_accepted, age
