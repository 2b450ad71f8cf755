"""Rate limits: separate buckets, and the wait of a full one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from flask import g

from tests.conftest import make_app
from webapp.config import Config, Rate
from webapp.core.errors import RateLimited
from webapp.core.store.client import Db
from webapp.core.web.rate_limits import consume, rate_limited


def test_a_full_bucket_refuses_with_the_time_to_wait(db: Db) -> None:
    for _ in range(3):
        consume(db, ("like", "1", Rate(3, 60)))
    with pytest.raises(RateLimited) as refusal:
        consume(db, ("like", "1", Rate(3, 60)))
    assert refusal.value.retry_after is not None and 18 <= refusal.value.retry_after <= 20
    consume(db, ("like", "2", Rate(3, 60)), ("follow", "1", Rate(3, 60)))


def test_several_limits_take_one_trip_and_give_the_longest_wait(db: Db) -> None:
    limits = ("a", "1", Rate(1, 60)), ("b", "1", Rate(1, 600))
    trips = db.trips
    consume(db, *limits)
    assert db.trips - trips == 1
    with pytest.raises(RateLimited) as refusal:
        consume(db, *limits)
    assert refusal.value.retry_after is not None and refusal.value.retry_after > 590


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


def test_an_unknown_limit_is_an_error_at_import() -> None:
    with pytest.raises(ValueError, match="limit_liek"):
        rate_limited("liek")
