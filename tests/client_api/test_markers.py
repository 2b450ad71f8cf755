"""Up to where timelines were read, which devices tell each other."""

import time
from datetime import datetime

from flask import Flask

from tests.conftest import SignUp
from tests.support.client_api import Clients, connected
from webapp.core.web.context import site_of
from webapp.timelines import keys as timeline_keys


def test_markers_move_with_the_reader(clients: Clients) -> None:
    ann, _ = clients
    sent = {"home": {"last_read_id": "123"}, "notifications": {"last_read_id": "x"}}
    assert ann.call("POST /api/v1/markers", json=sent).json["home"]["last_read_id"] == "123"
    sent["notifications"]["last_read_id"] = "9" * 16  # no later place could be noted after it
    ann.call("POST /api/v1/markers", json=sent)
    assert list(ann.get("v1/markers", **{"timeline[]": ["home", "notifications"]})) == ["home"]
    posted = ann.post("v1/statuses", status="hm")["id"]
    later = {"home[last_read_id]": posted, "notifications[last_read_id]": time.time_ns() // 1_000}
    marked = ann.post("v1/markers", **later)
    assert {name: one["version"] for name, one in marked.items()} == {"home": 2, "notifications": 1}
    again = ann.post("v1/markers", **later)
    assert again == marked == ann.get("v1/markers", **{"timeline[]": ["home", "notifications"]})


def test_a_marker_tells_when_it_was_written_last(app: Flask, clients: Clients) -> None:
    ann, asked = clients[0], {"timeline[]": "home"}
    first = ann.post("v1/markers", **{"home[last_read_id]": 100})["home"]
    site = site_of(app)
    written = site.db.run(("ZINCRBY", timeline_keys.markers(1), -5_000, "home:at"))
    shown = ann.get("v1/markers", **asked)["home"]
    assert datetime.fromisoformat(shown["updated_at"]).timestamp() == float(written) / 1_000
    assert ann.post("v1/markers", **{"home[last_read_id]": 50})["home"] == shown
    moved = ann.post("v1/markers", **{"home[last_read_id]": 200})["home"]
    assert moved["updated_at"] >= first["updated_at"] > shown["updated_at"]
    assert moved["version"] == shown["version"] + 1


def test_notifications_that_a_page_of_the_site_has_shown_are_read_in_apps(
    app: Flask, member: SignUp
) -> None:
    browser, asked = member("ann"), {"timeline[]": "notifications"}
    ann, ben = connected(app, browser), connected(app, member("ben"))
    ben.post("v1/accounts/1/follow")
    assert ann.get("v1/markers", **asked) == {}
    browser.get("/notifications")
    [shown] = ann.get("v1/notifications")
    assert ann.get("v1/markers", **asked)["notifications"]["last_read_id"] == shown["id"]
    ben.post("v1/statuses", status="@ann hi")
    assert ann.get("v1/markers", **asked)["notifications"]["last_read_id"] == shown["id"]
