"""Hashtags on profiles, as apps put them there and as others see them."""

from __future__ import annotations

from typing import Any

from flask import Flask

from tests.support.client_api import ApiClient, Clients
from tests.support.concurrently import at_once


def names(found: Any) -> list[str]:
    """Return the names of hashtags."""
    return [one["name"] for one in found]


def test_a_featured_hashtag_is_on_the_profile_with_its_posts(clients: Clients) -> None:
    ann, ben = clients
    for text in ("one #Birds", "two #birds", "three"):
        ann.post("v1/statuses", status=text)
    ben.post("v1/statuses", status="mine #birds")
    made = ann.post("v1/featured_tags", name="#Birds")
    ann.post("v1/tags/reeds/feature")
    found = ben.get("v1/accounts/1/featured_tags")
    assert found == ann.get("v1/featured_tags") and found[0] == made
    assert names(found) == ["birds", "reeds"]
    assert [one["statuses_count"] for one in found] == ["2", "0"]
    assert made["last_status_at"] and found[1]["last_status_at"] is None
    assert made["url"].endswith("/search?q=from%3Aann+%23birds")
    assert ann.get("v1/tags/reeds")["featuring"] and not ben.get("v1/tags/reeds")["featuring"]


def test_suggested_hashtags_are_those_used_lately(clients: Clients) -> None:
    ann, _ = clients
    ann.post("v1/statuses", status="#birds #reeds")
    ann.post("v1/featured_tags", name="reeds")
    assert names(ann.get("v1/featured_tags/suggestions")) == ["birds"]


def test_a_hashtag_leaves_the_profile_by_its_id_or_its_name(clients: Clients) -> None:
    ann, ben = clients
    ids = [ann.post("v1/featured_tags", name=name)["id"] for name in ("麻雀", "reeds")]
    assert ben.call(f"DELETE /api/v1/featured_tags/{ids[0]}").status_code == 404
    assert ann.call(f"DELETE /api/v1/featured_tags/{ids[0]}").json == {}
    assert ann.call(f"DELETE /api/v1/featured_tags/{ids[0]}").status_code == 404
    for _ in range(2):
        assert not ann.post("v1/tags/reeds/unfeature")["featuring"]
    assert ann.get("v1/featured_tags") == []


def test_a_profile_has_room_for_ten_hashtags_even_at_once(clients: Clients, app: Flask) -> None:
    ann, _ = clients
    for wrong in ("", "12", "a b"):
        answer = ann.call("POST /api/v1/featured_tags", data={"name": wrong})
        assert (answer.status_code, answer.json) == (
            422,
            {"error": "Validation failed: Tag is invalid"},
        )

    def feature(number: int) -> int:
        own = ApiClient(app)
        own.headers = ann.headers
        data = {"name": f"tag{number % 12}"}
        return own.call("POST /api/v1/featured_tags", data=data).status_code

    assert set(at_once(12, feature, range(24))) == {200, 422}
    assert len(ann.get("v1/featured_tags")) == 10
