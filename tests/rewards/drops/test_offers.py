"""The operator's pages of drops: new ones, changes before they open, and their end."""

import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from tests.conftest import SignUp
from tests.support.concurrently import at_once
from tests.support.pages import check_error, page_text
from webapp.core.errors import Conflict
from webapp.core.store import Site
from webapp.rewards.drops import store
from webapp.rewards.drops.store import Drop

FORM = {"title": "Reed map", "about": "<b>Rare</b>", "kind": "badge", "price": "5", "stock": "3"}
RULES = {"days": "2", "share": "50"}


def tomorrow(days: int = 1) -> str:
    return f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%dT%H:%M}"


def test_an_admin_announces_changes_and_closes_a_drop(admin: FlaskClient, member: SignUp) -> None:
    assert "/admin/drops" in admin.get("/admin").text
    assert "No drops yet" in admin.get("/admin/drops").text
    opens = tomorrow()
    made = admin.post("/admin/drops/new", data={**FORM, "opens": opens, "hours": "48", **RULES})
    assert (made.status_code, made.location) == (303, "/drops/1")
    form = admin.get("/admin/drops/1/edit").text
    assert f'value="{opens}"' in form and 'value="48"' in form and "&lt;b&gt;Rare" in form
    assert re.search('name="days"[^>]*value="2"', form)
    assert re.search('name="share"[^>]*value="50"', form)
    changed = {**FORM, "title": "Hedge map", "stock": "2", "opens": "", "hours": "1"}
    changed |= {"days": "0", "share": "0"}
    assert admin.post("/admin/drops/1/edit", data=changed).location == "/drops/1"
    page = member("ann").get("/drops/1").text
    assert "Hedge map" in page and "/ 2</span>" in page and "Take one for 5 points" in page
    refused = admin.post("/admin/drops/1/edit", data={**changed, "title": "Once more"})
    assert refused.status_code == 409 and "This drop is open" in refused.text
    assert 'value="Once more"' in refused.text
    assert admin.post("/admin/drops/1/close").location == "/admin/drops"
    assert "Closed" in page_text(admin.get("/admin/drops"))


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("title", " ", "Give the drop a title."),
        ("title", "x" * 101, "100"),
        ("about", "x" * 501, "500"),
        ("kind", "house", "Not a valid choice"),
        ("price", "0", "between 1 and 1000000"),
        ("price", "", "Enter a number."),
        ("stock", "100001", "between 1 and 100000"),
        ("hours", "x", "Not a valid integer value"),
        ("days", "-1", "between 0 and 3650"),
        ("days", "", "Not a valid integer value"),
        ("share", "101", "between 0 and 100"),
        ("opens", "soon", "Choose a day and a time"),
        ("opens", "2020-01-01T00:00", "within the next 12 months"),
        ("opens", "9999-12-31T23:59", "within the next 12 months"),
    ],
)
def test_a_refused_form_comes_back_as_it_was_left(
    admin: FlaskClient, field: str, value: str, sentence: str
) -> None:
    answer = admin.post("/admin/drops/new", data={**FORM, "hours": "1", field: value})
    assert answer.status_code == 422 and sentence in page_text(answer), field
    assert "Rare" in answer.text or field == "about"
    assert "No drops yet" in admin.get("/admin/drops").text


def test_a_drop_that_does_not_exist_cannot_be_managed(admin: FlaskClient) -> None:
    check_error(admin.get("/admin/drops/9/edit"), 404, "This drop doesn’t exist.")
    assert admin.post("/admin/drops/9/close").status_code == 404


def test_no_change_loses_an_order_of_a_drop_that_opens_meanwhile(site: Site) -> None:
    now = int(time.time() * 1000)
    drop = Drop(0, "Reed map", "", "thing", 5, 3, 3, now + 150, now + 3_600_000)
    id_ = store.save(site, drop)

    def take_or_change(number: int) -> int:
        try:
            if number % 5:
                return store.take(site, id_, number) and 1
            store.save(site, Drop(id_, "New", "", "thing", 5, 3, 3, *drop_times))
        except Conflict:
            time.sleep(0.005)
        return 0

    drop_times = drop.opens_ms, drop.closes_ms
    taken = sum(at_once(8, take_or_change, range(1, 400)))
    found = site.db.read(store.get(id_))
    assert (taken, found.left) == (3, 0)
    with pytest.raises(Conflict):
        store.save(site, found)
