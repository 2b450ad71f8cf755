"""The pages of check-ins, points and boards."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from tests.support.world import Web
from webapp.cli import main
from webapp.rewards.points import keys

ANN = 1


def test_a_member_checks_in_and_sees_it(ann: FlaskClient) -> None:
    page = ann.get("/check-in").text
    assert "Check in</button>" in page
    sent = ann.post("/check-in")
    assert (sent.status_code, sent.location) == (303, "/check-in")
    page = ann.get("/check-in").text
    assert "You’ve checked in today." in page
    assert re.search(r'<td class="is-marked" aria-current="date">', page)
    assert len(re.findall("is-marked", page)) == 1
    ann.post("/check-in")
    assert "Balance: 1" in ann.get("/points").text
    assert "1 point</span>" in ann.get("/leaderboards").text
    assert "1 point</span>" in ann.get("/leaderboards?who=followed&when=all").text


@pytest.mark.parametrize("month", ["2026-01", "0000-00", "9999-12", "x", "2026-13", "", "2025-12"])
def test_a_month_that_cannot_be_shown_is_the_present_one(web: Web, month: str) -> None:
    shown = web.member("ann").get(f"/check-in?month={month}")
    assert shown.status_code == 200
    is_now = 'aria-current="date"' in shown.text
    assert is_now == (month != "2026-01" or f"{datetime.now(UTC):%Y-%m}" == month)


def test_a_missed_day_is_offered_and_repaired(ann: FlaskClient, web: Web) -> None:
    assert ann.post("/check-in/repair").status_code == 409
    day = datetime.now(UTC).date() - timedelta(2)
    web.db.run(("SETBIT", keys.check_ins(ANN, day.year), day.timetuple().tm_yday - 1, 1))
    last = (day - day.replace(1970, 1, 1)).days
    web.db.run(("HSET", keys.check_in(ANN), "last", last, "streak", 1, "longest", 1))
    assert "disabled>Repair for 10 points" in re.sub(
        r"\s+(?=Repair)", "", ann.get("/check-in").text
    )
    assert ann.post("/check-in/repair").status_code == 409
    web.db.run(("SET", keys.points(ANN), 10))
    assert ann.post("/check-in/repair").status_code == 303
    assert "Your streak: 2 days" in ann.get("/check-in").text


def test_the_first_check_in_takes_the_time_zone_of_the_browser(web: Web) -> None:
    for login, zone, shown in (
        ("ben", "Pacific/Auckland", "Pacific/Auckland"),
        ("cid", "../etc/passwd", "UTC"),
        ("dot", "", "UTC"),
    ):
        client = web.member(login)
        assert 'name="zone"' in client.get("/check-in").text
        for sent in (zone, "Asia/Shanghai"):
            client.post("/check-in", data={"zone": sent})
        page = client.get("/check-in").text
        assert f"time zone {shown}." in page and 'name="zone"' not in page
        assert "Asia/Shanghai" not in page, "the second one is too late"


def test_the_time_zone_and_the_boards_are_chosen(ann: FlaskClient) -> None:
    ann.post("/check-in")
    form = {"zone": "Asia/Shanghai", "hidden": "y"}
    assert ann.post("/check-in/settings", data=form).status_code == 303
    assert "time zone Asia/Shanghai" in ann.get("/check-in").text
    assert "No one is on this board yet" in ann.get("/leaderboards").text
    assert ann.get("/boards?when=all").location == "/leaderboards?when=all"
    refused = ann.post("/check-in/settings", data={"zone": "Europe/Oslo"})
    assert refused.status_code == 409
    assert "once a week" in refused.text
    assert '<option selected value="Europe/Oslo">' in refused.text


def test_a_badge_on_the_profile_can_be_hidden(web: Web) -> None:
    ann, badge = web.member("ann"), "7-day streak</span>"
    today = datetime.now(UTC).date()
    for day in (today - timedelta(n) for n in range(1, 7)):
        web.db.run(("SETBIT", keys.check_ins(ANN, day.year), day.timetuple().tm_yday - 1, 1))
    assert badge not in web.client.get("/@ann").text
    ann.post("/check-in")
    assert badge in web.client.get("/@ann").text and badge in ann.get("/@ann").text
    assert "Seven days in a row" in ann.get("/points").text
    ann.post("/check-in/settings", data={"zone": "UTC", "badge_hidden": "y"})
    assert badge not in web.client.get("/@ann").text
    ann.post("/check-in/settings", data={"zone": "UTC"})
    assert badge in web.client.get("/@ann").text


def test_the_operator_gives_points(ann: FlaskClient, web: Web) -> None:
    environ = {"REDIS_URL": web.config.store_url}
    given = CliRunner().invoke(
        main, ["points", "give", "@ann", "40", "for <b>help</b>"], env=environ
    )
    assert given.output == "@ann has 40 points now.\n"
    assert "Gift from this site · <bdi>for &lt;b&gt;help&lt;/b&gt;</bdi>" in ann.get("/points").text
    for arguments in (("ann", "0", "x"), ("ann", "1000001", "x"), ("nobody", "1", "x")):
        assert CliRunner().invoke(main, ["points", "give", *arguments], env=environ).exit_code
