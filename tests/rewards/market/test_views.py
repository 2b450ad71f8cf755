"""The pages of the market, of a member's items and of carts."""

import re
import time
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import escape

from tests.conftest import SignUp, make_app
from tests.support.rewards import linnet
from webapp.config import Config
from webapp.core.web.context import site_of
from webapp.rewards.market import keys


@pytest.fixture
def ben(member: SignUp, settings: Config) -> FlaskClient:
    """A member with 50 points."""
    found = member("ben")
    linnet(settings, "points", "give", "ben", "50", "x")
    return found


@pytest.fixture
def item(ann: FlaskClient, settings: Config) -> str:
    """The address of an item of Ann's."""
    return linnet(settings, "items", "give", "ann", "Reed. <i>map</i>").split()[0]


def sell(seller: FlaskClient, item: str, **changes: str) -> int:
    version = re.search(r'name="version" value="(\d+)"', seller.get(item).text)
    form = {"kind": "fixed", "price": "10", "begins": "0", "lasts": "0", **changes}
    sent = seller.post(f"{item}/list", data={"version": version[1] if version else "1", **form})
    return int(sent.status_code)


def pay(buyer: FlaskClient, item: str, what: str, amount: object) -> int:
    return int(buyer.post(f"{item}/pay", data={"what": what, "amount": str(amount)}).status_code)


def test_a_member_sells_an_item_and_another_buys_it(
    item: str, ann: FlaskClient, ben: FlaskClient
) -> None:
    assert "Reed. &lt;i&gt;map" in ann.get("/inventory").text
    assert "not for sale at the moment" in ben.get(item).text.replace("isn’t", "not")
    assert "ann" not in re.sub(r"(?s)<aside.*", "", ben.get(item).text), "nobody sees who has it"
    assert sell(ann, item) == 303
    for order in ("new", "price", "name", "ends", "x"):
        assert "Reed. &lt;i&gt;map" in ben.get(f"/market?by={order}").text
    assert "Buy for 10 points" in ben.get(item).text
    assert pay(ben, item, "purchase", 10) == 303
    page = ben.get(item).text
    assert "It’s yours." in page and "Earlier prices" in page
    assert "Nothing is for sale" in ben.get("/market").text
    assert "You bought “Reed. &lt;i&gt;map" in ben.get("/notifications").text
    assert "You sold “Reed. &lt;i&gt;map" in ann.get("/notifications").text
    assert "You sold" in ann.get("/inventory").text
    assert "You have 10 points." in ann.get("/inventory").text
    assert "Paid in the market" in ben.get("/points").text


def test_who_comes_late_sees_what_has_changed(
    item: str, ann: FlaskClient, ben: FlaskClient, member: SignUp
) -> None:
    sell(ann, item)
    sell(ann, item, price="20")
    sent = ben.post(f"{item}/pay", data={"what": "purchase", "amount": "10"})
    assert sent.status_code == 409
    assert "The price has changed." in sent.text and "Buy for 20 points" in sent.text
    assert pay(ben, item, "purchase", 20) == 303
    late = member("cat").post(f"{item}/pay", data={"what": "purchase", "amount": "20"})
    assert late.status_code == 409 and "You don’t have enough points" in late.text
    assert pay(ann, item, "purchase", 20) == 409


def test_an_item_in_progress_looks_again_by_itself(
    item: str, ann: FlaskClient, ben: FlaskClient, settings: Config
) -> None:
    sell(ann, item)
    idle = make_app(replace(settings, inline_projections=False)).test_client()
    cookie = ben.get_cookie("linnet")
    assert cookie
    idle.set_cookie("linnet", cookie.value)
    assert pay(idle, item, "purchase", 10) == 303
    page = idle.get(item)
    assert page.headers["Refresh"] == "3" and "Your payment is being processed." in page.text
    assert "Someone is buying it" in ann.get(item).text


def test_bids_and_offers_are_made_and_answered(
    item: str, ann: FlaskClient, ben: FlaskClient
) -> None:
    sell(ann, item)
    assert pay(ben, item, "offer", 7) == 303
    assert "You offered 7 points." in ben.get(item).text
    number = re.search(r'name="number" value="(\d+)"', ann.get(item).text)
    assert number and "offers you 7 points" in ann.get("/notifications").text
    answer = {"number": number[1], "accepts": ""}
    assert ann.post(f"{item}/answer", data=answer).status_code == 303
    assert ann.post(f"{item}/answer", data=answer).status_code == 404
    assert "wasn’t accepted" in ben.get("/inventory").text
    assert ann.post(f"{item}/withdraw").status_code == 303
    assert sell(ann, item, kind="auction") == 422, "an auction has an end"
    assert sell(ann, item, kind="auction", lasts="24") == 303
    assert "Bids from 10\u00a0points" in ben.get("/market").text
    low = ben.post(f"{item}/pay", data={"what": "bid", "amount": "9"})
    assert low.status_code == 409
    assert pay(ben, item, "bid", 12) == 303
    assert "Your bid of 12 points is the highest." in ben.get(item).text
    assert ann.post(f"{item}/withdraw").status_code == 409


def test_a_refused_amount_comes_back_as_it_was_typed(
    item: str, ann: FlaskClient, ben: FlaskClient
) -> None:
    for kind, what, lasts, amounts in (
        ("fixed", "offer", "0", ("51", "1e9", '"x')),
        ("auction", "bid", "24", ("9", "51", "")),
    ):
        assert sell(ann, item, kind=kind, lasts=lasts) == 303
        for amount in amounts:
            sent = ben.post(f"{item}/pay", data={"what": what, "amount": amount})
            assert sent.status_code in (409, 422)
            field = re.search(rf'<input[^>]*id="amount-{what}"[^>]*>', sent.text)
            assert field and f'value="{escape(amount)}"' in field[0]
            assert ('<details class="item-more" open>' in sent.text) == (what == "offer")


def test_items_are_found_by_words_of_their_titles(
    item: str, ann: FlaskClient, ben: FlaskClient, settings: Config
) -> None:
    titles = ("Café map", "MAP of reeds", "Boat")
    for title in titles:
        assert sell(ann, linnet(settings, "items", "give", "ann", title).split()[0]) == 303
    for query, found in (
        ("map", ["Café map", "MAP of reeds"]),
        ("reeds Map", ["MAP of reeds"]),
        ("CAFÉ", ["Café map"]),
        ("reed. <i>", []),
        ("1", []),
    ):
        page = ben.get("/market", query_string={"q": query}).text
        assert re.findall(r'<a href="/market/[0-9]+" dir="auto">([^<]+)</a>', page) == found
        assert ("Nothing found" in page) == (not found) and f'value="{escape(query)}"' in page
    assert all(title in ben.get("/market?q=%20").text for title in titles)


def test_what_is_for_sale_is_filtered_by_kind_and_price(
    ann: FlaskClient, ben: FlaskClient, settings: Config
) -> None:
    for title, kind, price in (("Map", "thing", 5), ("Star", "badge", 5), ("Oar", "thing", 50)):
        item = linnet(settings, "items", "give", "ann", title, "--kind", kind).split()[0]
        assert sell(ann, item, price=str(price)) == 303
    for query, found in (
        ("kind=thing", ["Oar", "Map"]),
        ("kind=thing&by=price", ["Map", "Oar"]),
        ("kind=badge", ["Star"]),
        ("most=5", ["Star", "Map"]),
        ("most=49&kind=thing&q=a", ["Map"]),
        ("most=4", []),
        ("most=x&kind=house", ["Oar", "Star", "Map"]),
        (f"most={'9' * 9_000}", ["Oar", "Star", "Map"]),
    ):
        page = ben.get(f"/market?{query}").text
        assert re.findall(r'<a href="/market/[0-9]+" dir="auto">([^<]+)</a>', page) == found
        assert ("Nothing found" in page) == (not found)
        assert ("Choose a whole number" in page) == ("most=x" in query or "999" in query)
    page = ben.get("/market?most=1.5&by=name").text
    assert "Choose a whole number" in page and 'value="1.5"' in page
    page = ben.get("/market?kind=thing&most=49&by=name").text
    assert '<option value="thing" selected>' in page and 'value="49"' in page
    assert 'href="/market?by=price&amp;kind=thing&amp;most=49"' in page
    assert 'name="by" value="name"' in page


def test_only_what_is_for_sale_offers_to_keep_its_times(item: str, ann: FlaskClient) -> None:
    assert "No change" not in ann.get(item).text
    assert sell(ann, item, lasts="24") == 303
    assert ann.get(item).text.count("No change") == 2
    ends = re.search(r"<p>Ends[^/]+</time>", ann.get(item).text)
    assert ends and sell(ann, item, price="9", begins="", lasts="") == 303
    assert ends[0] in ann.get(item).text
    assert sell(ann, item, kind="auction", begins="", lasts="") == 422, "an auction has an end"


@pytest.mark.parametrize(
    "changes", [{"price": "0"}, {"price": "1000001"}, {"price": "x"}, {"kind": "x"}, {"lasts": "5"}]
)
def test_a_sale_that_makes_no_sense_comes_back(
    item: str, ann: FlaskClient, ben: FlaskClient, changes: dict[str, str]
) -> None:
    assert sell(ann, item, **changes) == 422
    assert "Nothing is for sale" in ben.get("/market").text


def test_what_one_does_not_own_or_what_does_not_exist_cannot_be_sold(
    item: str, ann: FlaskClient, ben: FlaskClient
) -> None:
    assert sell(ben, item) == 403
    assert ben.post(f"{item}/withdraw").status_code == 403
    for act in ("list", "withdraw", "pay", "answer"):
        data = {"version": "1", "kind": "fixed", "price": "1", "begins": "0", "lasts": "0"}
        sent = ben.post(f"/market/99/{act}", data={**data, "what": "offer", "amount": "1"})
        assert sent.status_code == 404
    sell(ann, item)
    for what, amount in (("x", "1"), ("offer", "0"), ("offer", "1e9"), ("offer", "")):
        assert pay(ben, item, what, amount) == 422


def test_blocked_members_see_nothing_of_each_other(
    item: str, ann: FlaskClient, ben: FlaskClient
) -> None:
    sell(ann, item)
    ann.post("/@ben/block")
    assert "Nothing is for sale" in ben.get("/market").text
    assert ben.get(item).status_code == 404 and pay(ben, item, "purchase", 10) == 404


def test_a_cart_is_bought_item_by_item(
    item: str, ann: FlaskClient, ben: FlaskClient, settings: Config
) -> None:
    dear = linnet(settings, "items", "give", "ann", "Dear").split()[0]
    gone = linnet(settings, "items", "give", "ann", "Gone").split()[0]
    for address, price in ((item, "10"), (dear, "45"), (gone, "5")):
        sell(ann, address, price=price)
        assert ben.post(f"/cart/{address.rpartition('/')[2]}").status_code == 303
    ann.post("/@ben/block")
    assert {ben.post(f"/cart/{one}").status_code for one in (dear.rpartition("/")[2], 99)} == {404}
    ann.post("/@ben/unblock")
    page = ben.get("/cart").text
    assert "All of it costs 60 points. You have 50 points." in page
    lines = re.findall(r'name="item" value="(\d+:\d+)"', page)
    ann.post(f"{gone}/withdraw")
    page = ben.post("/cart/buy", data={"item": sorted(lines, key=len)}).text
    assert "You’re buying this." in page and "You don’t have enough points" in page
    assert "Someone was quicker" in page
    assert "It’s yours." in ben.get(item).text and "Dear" in ben.get("/cart").text
    assert ben.post("/cart/buy", data={"item": ["x", "1:", ":1"]}).status_code == 409
    ben.post(f"/cart/{gone.rpartition('/')[2]}", data={"in": "0"})
    assert "Gone" not in ben.get("/cart").text


@pytest.mark.parametrize("days", [0, 40], ids=["gone", "too old"])
def test_what_a_cart_does_not_show_takes_no_place_in_it(
    app: Flask, item: str, ann: FlaskClient, ben: FlaskClient, days: int
) -> None:
    sell(ann, item)
    added = int((time.time() - days * 86_400) * 1000)
    full = (part for one in range(50) for part in (added, 10_000 + one))
    site_of(app).db.run(("ZADD", keys.cart(2), *full))
    number = item.rpartition("/")[2]
    if days:
        site_of(app).db.run(("ZADD", keys.cart(2), added, number))
        assert "Add to cart" in ben.get(item).text
    else:
        assert "Your cart is empty" in ben.get("/cart").text
    assert ben.post(f"/cart/{number}").status_code == 303
    assert "Reed" in ben.get("/cart").text


def test_a_visitors_cart_comes_along_at_the_sign_in(
    item: str, ann: FlaskClient, client: FlaskClient, ben: FlaskClient
) -> None:
    sell(ann, item)
    number = item.rpartition("/")[2]
    assert "Log in to buy" in client.get(item).text
    client.post(f"/cart/{number}")
    assert "Reed" in client.get("/cart").text and "Remove from cart" in client.get(item).text
    client.post("/login", data={"login": "ben", "password": "a long password"})
    cookie = client.get_cookie("linnet_cart")
    assert cookie
    ben.set_cookie("linnet_cart", cookie.value)
    assert "Reed" in ben.get("/cart").text and ben.get_cookie("linnet_cart") is None
    assert "Reed" in ben.get("/cart").text
    client.set_cookie("linnet_cart", "x.5..9999999999999999999.-1")
    assert client.get("/cart").status_code == 200


def test_what_a_visitor_does_not_see_takes_no_place_in_their_cart(
    item: str, ann: FlaskClient, client: FlaskClient
) -> None:
    sell(ann, item)
    client.set_cookie("linnet_cart", ".".join(str(10_000 + one) for one in range(50)))
    assert "Your cart is empty" in client.get("/cart").text
    assert client.get_cookie("linnet_cart") is None
    assert client.post(f"/cart/{item.rpartition('/')[2]}").status_code == 303
    assert "Reed" in client.get("/cart").text


def test_a_browser_remembers_what_it_showed_only_if_its_reader_wants(
    item: str, ann: FlaskClient, client: FlaskClient
) -> None:
    sell(ann, item)
    client.get(item)
    assert client.get_cookie("linnet_seen") is None
    client.post("/cart/seen", data={"seen": "1"})
    assert "Reed" not in client.get("/cart").text
    client.get(item)
    assert "Reed" in client.get("/cart").text
    client.post("/cart/seen", data={"seen": "0"})
    assert "Reed" not in client.get("/cart").text
    assert client.get_cookie("linnet_seen") is None


def test_an_item_is_given_by_the_operator_alone(settings: Config, ann: FlaskClient) -> None:
    assert "Error" in linnet(settings, "items", "give", "nobody", "x")
    assert "Error" in linnet(settings, "items", "give", "ann", " ")
    assert "You have no items yet" in ann.get("/inventory").text


def test_thousands_of_points_are_grouped(item: str, ann: FlaskClient, settings: Config) -> None:
    linnet(settings, "points", "give", "ann", "12345", "x")
    assert sell(ann, item, price="1000000") == 303
    assert "1,000,000 points" in ann.get("/market").text
    assert "You have 12,345 points." in ann.get("/inventory").text
    page = ann.get("/points").text
    assert "Balance: 12,345" in page and "+12,345" in page
    assert ">12,345</a>" in ann.get("/check-in").text
