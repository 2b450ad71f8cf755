"""Rate limits: separate buckets, the wait of a full one, and whom they count."""

import time
from dataclasses import replace
from io import BytesIO
from types import SimpleNamespace

import pytest
from flask import g
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, close_app, make_app
from tests.support.form_tokens import token
from tests.support.pages import join
from webapp.accounts import store as accounts
from webapp.config import Config, Rate
from webapp.core.errors import RateLimited
from webapp.core.store import Db
from webapp.core.web import keys, rate_limited
from webapp.core.web.rate_limits import consume


def test_a_full_bucket_refuses_with_the_time_to_wait(db: Db) -> None:
    for _ in range(3):
        consume(db, ("like", "1", Rate(3, 60)))
    with pytest.raises(RateLimited) as refusal:
        consume(db, ("like", "1", Rate(3, 60)))
    assert refusal.value.retry_after is not None and 18 <= refusal.value.retry_after <= 20
    assert 0 < db.run(("TTL", keys.rate_limit("like", "1"))) <= 60
    consume(db, ("like", "2", Rate(3, 60)), ("follow", "1", Rate(3, 60)))


def test_several_limits_take_one_trip_and_give_the_longest_wait(db: Db) -> None:
    limits = ("a", "1", Rate(1, 60)), ("b", "1", Rate(1, 600))
    trips = db.trips
    consume(db, *limits)
    assert db.trips - trips == 1
    with pytest.raises(RateLimited) as refusal:
        consume(db, *limits)
    assert refusal.value.retry_after is not None and refusal.value.retry_after > 590


def test_a_full_narrow_bucket_takes_no_place_of_the_wide_one(db: Db) -> None:
    narrow, wide = ("narrow", Rate(1, 60)), ("wide", Rate(2, 60))
    consume(db, nested=("1", narrow, wide))
    with pytest.raises(RateLimited):
        consume(db, nested=("1", narrow, wide))
    consume(db, ("wide", "1", Rate(2, 60)))


@pytest.mark.parametrize("seconds_ahead", [60, 3_600, 86_400 * 365])
@pytest.mark.parametrize("is_nested", [False, True])
def test_a_bucket_that_empties_too_late_is_shortened_to_a_full_one(
    db: Db, seconds_ahead: int, is_nested: bool
) -> None:
    """As after a clock that was ahead, or a slower rate."""
    narrow, wide = ("narrow", Rate(6, 60)), ("wide", Rate(6, 60))

    def act() -> None:
        if is_nested:
            consume(db, nested=("1", narrow, wide))
        else:
            consume(db, ("wide", "1", Rate(6, 60)))

    now_us = time.time_ns() // 1_000
    key = keys.rate_limit("wide", "1")
    db.run(("SET", key, now_us + seconds_ahead * 1_000_000 + 5_000_000))
    with pytest.raises(RateLimited) as refusal:
        act()
    assert refusal.value.retry_after == 10, "a sixth of a minute frees one place"
    empty_at = int(db.run(("GET", key)))
    assert now_us < empty_at <= time.time_ns() // 1_000 + 60_000_000
    with pytest.raises(RateLimited):
        act()
    assert int(db.run(("GET", key))) == empty_at, "a refusal does not put it off"
    # Ten seconds later.
    db.run(("SET", key, empty_at - 10_000_000))
    db.run(("DEL", keys.rate_limit("narrow", "1")))
    act()


def test_a_decorated_view_is_limited_per_member_and_bucket(settings: Config) -> None:
    app, calls = make_app(replace(settings, limit_like=Rate(1, 60))), list[int]()

    @rate_limited("like")
    def like(status_id: int) -> None:
        calls.append(status_id)

    @rate_limited("like", bucket="pin")
    def pin(status_id: int) -> None:
        calls.append(status_id)

    with app.test_request_context(method="POST"):
        g.viewer = SimpleNamespace(uid=5)
        like(status_id=1)
        with pytest.raises(RateLimited):
            like(status_id=2)
        pin(status_id=3)
        g.viewer = SimpleNamespace(uid=6)
        like(status_id=4)
    assert calls == [1, 3, 4]


def test_a_form_is_counted_in_the_trip_of_its_session(settings: Config) -> None:
    """No other site's form is counted, and nobody's who knows no more than a member's uid."""
    limited = replace(settings, limit_like=Rate(3, 600), inline_projections=False)
    app = make_app(limited)
    ann, db = join(app, "ann"), app.extensions["linnet.db"]
    uid = accounts.get_by_login(db, "ann").uid
    bucket = keys.member_limit(uid, "like")

    def unlike(client: FlaskClient, **form: str) -> tuple[int, int, bool]:
        """Return the status, the number of trips and whether the form was counted."""
        trips, full_at = db.trips, db.run(("GET", bucket))
        response = client.post("/statuses/5/unlike", data=form)
        return response.status_code, db.trips - trips - 1, db.run(("GET", bucket)) != full_at

    assert unlike(ann) == (303, 2, True)
    app.config["WTF_CSRF_ENABLED"] = True
    stranger = app.test_client()
    valid = token(stranger, "/login")
    stranger.set_cookie("linnet", f"{uid}.{'x' * 43}")
    assert unlike(stranger, csrf_token=valid) == (303, 1, False), "led to the sign-in"
    assert unlike(ann) == unlike(ann, csrf_token=valid) == (400, 2, False)
    valid = token(ann, "/settings/privacy")
    for answer in ((303, 2, True), (303, 2, True), (429, 2, False)):
        assert unlike(ann, csrf_token=valid) == answer
    header = {"X-CSRFToken": valid}
    assert ann.post("/statuses/5/unlike", headers=header).status_code == 429, "counted by the view"
    many_parts = {f"part{number}": (BytesIO(), "file") for number in range(1_001)}
    assert ann.post("/statuses/5/unlike", data=many_parts).status_code == 413
    close_app(app)


def test_logins_of_digits_share_no_bucket_with_one_another() -> None:
    assert keys.rate_limit("like", "7") == keys.member_limit(7, "like")
    assert keys.rate_limit("account", "007") != keys.rate_limit("account", "7")


def test_an_unknown_limit_is_an_error_at_import() -> None:
    with pytest.raises(ValueError, match="limit_liek"):
        rate_limited("liek")


@pytest.mark.parametrize(
    ("limit", "path"),
    [
        ("limit_search", "/search?q=heron"),
        ("limit_search", "/chats/search?q=heron"),
        ("limit_autocomplete", "/autocomplete/members?q=b"),
        ("limit_autocomplete", "/autocomplete/people?q=b"),
        ("limit_autocomplete", "/chats/new-message?q=b"),
        ("limit_autocomplete", "/autocomplete/tags?q=b"),
    ],
)
def test_members_who_share_a_network_share_no_limit(
    settings: Config, limit: str, path: str
) -> None:
    app = make_app(replace(settings, **{limit: Rate(1, 600)}))  # type: ignore[arg-type]
    ann, ben = app.test_client(), app.test_client()
    for login, client in (("ann", ann), ("ben", ben)):
        form = {"login": login, "name": login, "password": PASSWORD}
        assert client.post("/signup", data=form).status_code == 303
    assert [client.get(path).status_code for client in (ann, ann, ben)] == [200, 429, 200]
    close_app(app)


def test_visitors_of_one_network_share_the_limit_of_searches(settings: Config) -> None:
    app = make_app(replace(settings, limit_search=Rate(1, 600)))
    paths = ["/search?q=heron", "/search?q=owl", "/search.atom?q=owl"]
    assert [app.test_client().get(path).status_code for path in paths] == [200, 429, 429]
    close_app(app)


@pytest.mark.parametrize(
    ("path", "search"),
    [
        ("/market?q=map", "webapp.rewards.market.store.listed"),
        ("/jobs?skill=lua", "webapp.community.jobs.store.search"),
        ("/jobs/mine", "webapp.community.jobs.store.fitting"),
        ("/nearby?at=1,2", "webapp.community.nearby.views.find"),
    ],
)
def test_a_search_that_is_one_too_many_asks_nothing_of_the_store(
    settings: Config, monkeypatch: pytest.MonkeyPatch, path: str, search: str
) -> None:
    app = make_app(replace(settings, limit_search=Rate(1, 3600)))
    ann = join(app, "ann")
    assert ann.get(path).status_code == 200
    monkeypatch.setattr(search, None)
    assert ann.get(path).status_code == 429
    close_app(app)
