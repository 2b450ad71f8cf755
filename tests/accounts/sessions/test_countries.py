"""What members and operators learn of countries."""

import re
from datetime import date
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.pages import join, page_text, post_status
from webapp.accounts import keys as account_keys, lifecycle
from webapp.accounts.email import keys as email_keys
from webapp.core.metrics import keys as metric_keys
from webapp.core.metrics.recorder import RECORDER
from webapp.core.net.country_files import parse_table
from webapp.core.reporter import Reporter
from webapp.core.settings.bans_and_countries import use_table
from webapp.core.settings.store import change, refresh
from webapp.core.store import Site, to_dict
from webapp.mail.queue import claim

ADDRESSES = {"US": "8.8.8.8", "DE": "193.0.0.1", "FR": "2a00::1", "": "10.0.0.1"}
CSV = "8.8.8.0/24,US\n193.0.0.0/21,DE\n2a00::/64,FR\n"
TOLD = "New login to your account from another country"


@pytest.fixture
def countries(app: Flask) -> Site:
    """The site of the app, with a table of three countries."""
    db = app.extensions["linnet.db"]
    use_table(db, parse_table(CSV.splitlines()), "Ours", date(2026, 1, 2))
    refresh(db, app.extensions["linnet.settings"])
    return Site(db, app.extensions["linnet.config"])


def browser(app: Flask, country: str) -> FlaskClient:
    """Return a browser in a country."""
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = ADDRESSES[country]
    return client


def log_in(app: Flask, country: str) -> FlaskClient:
    """Log ann in from a country."""
    client = browser(app, country)
    answer = client.post("/login", data={"login": "ann", "password": PASSWORD})
    assert answer.status_code == 303
    return client


def test_a_member_is_told_of_a_log_in_from_a_new_country(app: Flask, countries: Site) -> None:
    join(app, "ann")  # at a private address, which is in no country
    ann = log_in(app, "US")
    log_in(app, "US")
    log_in(app, "")
    assert TOLD not in ann.get("/notifications").text
    countries.db.run(("HSET", email_keys.email(1), "address", "ann@example.org"))
    stranger = log_in(app, "DE")
    [mail] = claim(countries.db, countries.config, 1)
    assert mail.kind == "new_country" and (mail.values or {})["device"] == "Unknown device, Germany"
    page = ann.get("/notifications")
    assert page.text.count(TOLD) == 1 and ">Germany</a>" in page.text
    assert "德国" in ann.get("/notifications", headers={"Accept-Language": "zh"}).text
    log_in(app, "DE")
    log_in(app, "US")
    log_in(app, "FR")
    assert ann.get("/notifications").text.count(TOLD) == 2
    assert countries.db.run(("HGET", account_keys.user(1), "countries")) == "FR US DE"
    devices = page_text(ann.get("/settings/sessions"))
    assert "Unknown device, Germany" in devices and "Source: Ours" in devices
    stranger.post("/logout")
    assert ann.get("/notifications").status_code == 200


def test_ten_countries_are_remembered_and_none_without_the_setting(
    app: Flask, countries: Site
) -> None:
    join(app, "ann")
    known = " ".join(f"A{letter}" for letter in "ABCDEFGHIJ")
    countries.db.run(("HSET", account_keys.user(1), "countries", known))
    ann = log_in(app, "DE")
    assert TOLD in ann.get("/notifications").text
    kept = countries.db.run(("HGET", account_keys.user(1), "countries"))
    assert kept == f"DE {known}"[:29]
    change(countries.db, app.extensions["linnet.settings"], {"countries": "no"})
    log_in(app, "FR")
    assert countries.db.run(("HGET", account_keys.user(1), "countries")) == kept
    assert ", Germany" not in page_text(ann.get("/settings/sessions"))
    lifecycle.grant(countries.db, 1, "admin")
    assert "Switched off: COUNTRIES" in page_text(ann.get("/admin"))


def test_visitors_and_sign_ups_are_counted_by_country_and_no_address_is_kept(
    app: Flask, countries: Site
) -> None:
    RECORDER.take()
    form = {"login": "ann", "name": "Ann", "password": PASSWORD}
    ann = browser(app, "FR")
    assert ann.post("/signup", data=form).status_code == 303
    status_id = post_status(ann, "Hello")
    reporter = Reporter(countries, "web")
    for country in ("DE", "DE", "US", ""):
        visit(browser(app, country), status_id)
        reporter.flush()
    reporter.flush()
    [key] = [key for keys in countries.db.scan(metric_keys.countries("*"), 16_384) for key in keys]
    counts = {
        name: int(count) for name, count in to_dict(countries.db.run(("HGETALL", key))).items()
    }
    expected = {"visitors:DE": 1, "visitors:US": 1, "visitors:": 1, "signups:FR": 1}
    assert expected.items() <= counts.items()
    assert not any(address in str(counts) for address in ADDRESSES.values())
    lifecycle.grant(countries.db, 1, "admin")
    page = page_text(ann.get("/admin"))
    assert re.search(r"Germany\s+1\s+0", page) and "Unknown" in page and "Ours (2026-01-02)" in page


def visit(client: FlaskClient, status_id: int) -> Any:
    """Report that a browser showed a post."""
    headers = {"User-Agent": "Mozilla/5.0 Firefox", "Accept-Language": "en"}
    answer = client.post("/statuses/views", data={"ids": str(status_id)}, headers=headers)
    assert answer.status_code == 204
    return answer
