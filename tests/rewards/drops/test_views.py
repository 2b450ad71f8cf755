"""The pages of drops and orders, and the operator's commands."""

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support.rewards import linnet
from tests.support.world import Web
from webapp.config import Config


@pytest.fixture
def drop(settings: Config) -> str:
    """The address of a drop with one piece, for 5 points."""
    options = ("--price", "5", "--stock", "1", "--kind", "badge", "--about", "<b>Rare</b>")
    return linnet(settings, "drops", "add", "Reed <i>map</i>", *options).split()[0]


def test_a_member_takes_a_piece_and_sees_it(drop: str, web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    linnet(web.config, "points", "give", "ann", "7", "x")
    page = ann.get(drop).text
    assert "Reed &lt;i&gt;map&lt;/i&gt;" in page and "&lt;b&gt;Rare" in page
    assert "Take one for 5 points" in page and "You have 7 points." in page
    assert "can’t pay is refused" in ben.get(drop).text
    sent = ann.post(f"{drop}/take")
    assert (sent.status_code, sent.location) == (303, f"{drop}/order")
    order = ann.get(f"{drop}/order")
    assert "It’s yours." in order.text and "Your order was number 1." in order.text
    assert "Refresh" not in order.headers
    assert ann.post(f"{drop}/take").location == f"{drop}/order", "one to a member"
    assert "Your order: " in ann.get(drop).text
    page = ann.get("/orders").text
    assert "Delivered" in page and "Badge: <bdi>Reed" in page
    assert ">2</a>" in ann.get("/check-in").text, "the points that are left"
    refused = ben.post(f"{drop}/take")
    assert refused.status_code == 409
    assert "All pieces of this drop are taken." in refused.text
    assert ben.get(f"{drop}/order").status_code == 404
    assert "All taken" in ben.get("/drops").text


def test_an_order_in_progress_looks_again_by_itself(drop: str, ann: FlaskClient, web: Web) -> None:
    idle = make_app(replace(web.config, inline_projections=False)).test_client()
    cookie = ann.get_cookie("linnet")
    assert cookie
    idle.set_cookie("linnet", cookie.value)
    idle.post(f"{drop}/take")
    order = idle.get(f"{drop}/order")
    assert order.headers["Refresh"] == "3"
    assert "A piece is reserved for you." in order.text
    assert "Your order: In progress" in idle.get(drop).text


def test_who_cannot_pay_is_told_so_and_the_piece_goes_back(drop: str, ann: FlaskClient) -> None:
    ann.post(f"{drop}/take")
    assert "the piece went back" in ann.get(f"{drop}/order").text
    assert re.search(r"<dd>1 <span", ann.get(drop).text), "one is left"
    assert "Not paid, and given back" in ann.get("/orders").text


def test_a_drop_that_is_not_open_says_when(ann: FlaskClient, web: Web) -> None:
    times = ("--opens", "2099-12-01 18:00", "--price", "1", "--stock", "3")
    drop = linnet(web.config, "drops", "add", "Later", *times).split()[0]
    page = ann.get(drop).text
    assert "Opens <time" in page and 'data-countdown="4099831200000"' in page
    assert "Take one" not in page
    assert ann.post(f"{drop}/take").status_code == 409
    linnet(web.config, "drops", "close", drop.rpartition("/")[2])
    assert "Closed" in ann.get(drop).text


@pytest.mark.parametrize("path", ["/drops/9", "/drops/x", "/drops/0", "/drops/9/order"])
def test_a_drop_that_does_not_exist_is_not_found(web: Web, path: str) -> None:
    assert web.member("ann").get(path).status_code == 404


def test_a_drop_that_does_not_exist_cannot_be_taken(web: Web) -> None:
    assert web.member("ann").post("/drops/9/take").status_code == 404


@pytest.mark.parametrize(
    "arguments",
    [
        ("x", "--price", "0", "--stock", "1"),
        ("x", "--price", "1", "--stock", "100001"),
        (" ", "--price", "1", "--stock", "1"),
        ("\u202e", "--price", "1", "--stock", "1"),
        ("x", "--price", "1", "--stock", "1", "--opens", "2020-01-01 00:00"),
        ("x", "--price", "1", "--stock", "1", "--opens", "9999-12-31 23:00"),
        ("x", "--price", "1", "--stock", "1", "--kind", "house"),
    ],
)
def test_a_drop_that_makes_no_sense_is_refused(web: Web, arguments: tuple[str, ...]) -> None:
    assert "Error:" in linnet(web.config, "drops", "add", *arguments)
    assert "No drops yet" in web.member("ann").get("/drops").text
