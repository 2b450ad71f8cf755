"""Addresses as proxies write them."""

import pytest
from flask import Flask, request

from webapp.config import Config, load
from webapp.core.net.ip import network_of, parse_address, rate_limit_subject
from webapp.core.net.proxies import init
from webapp.streaming.http.requests import client_network

FORMS = (
    ("192.0.2.1", "192.0.2.1"),
    (" 192.0.2.1 ", "192.0.2.1"),
    ("192.0.2.1:5678", "192.0.2.1"),
    ('"192.0.2.1:5678"', "192.0.2.1"),
    ("::ffff:192.0.2.1", "192.0.2.1"),
    ("::FFFF:C000:201", "192.0.2.1"),
    ("[::ffff:192.0.2.1]:5678", "192.0.2.1"),
    ("2001:db8::1", "2001:db8::1"),
    ("2001:DB8:0:0::1", "2001:db8::1"),
    ("[2001:db8::1]", "2001:db8::1"),
    ("[2001:db8::1]:443", "2001:db8::1"),
    ('"[2001:db8::1]"', "2001:db8::1"),
    ('"[2001:db8::1]:443"', "2001:db8::1"),
    ("fe80::1%eth0", "fe80::1"),
    ("[fe80::1%25eth0]:443", "fe80::1"),
)
NOT_ADDRESSES = (
    *("", "unknown", "_hidden", "-", "localhost", "192.0.2", "192.0.2.256", "192.0.2.1:80:90"),
    *("[", "[]", "[]:443", "2001:db8::1::2", "for=192.0.2.1", '"', "\u0661.2.3.4", "9" * 400),
)


@pytest.mark.parametrize(("text", "address"), FORMS)
def test_an_address_is_the_same_in_every_form(text: str, address: str) -> None:
    assert str(parse_address(text)) == address
    assert rate_limit_subject(text) == rate_limit_subject(address) != "unknown"
    assert network_of(text) == network_of(address) != ""


@pytest.mark.parametrize("text", NOT_ADDRESSES)
def test_anything_else_is_unknown(text: str) -> None:
    assert parse_address(text) is None
    assert rate_limit_subject(text) == "unknown"
    assert network_of(text) == ""


@pytest.mark.parametrize(
    ("address", "other", "shared"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:192.0.2.1", "::ffff:198.51.100.1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
    ],
)
def test_addresses_are_rate_limited_singly_and_ipv6_by_network(
    address: str, other: str, shared: bool
) -> None:
    assert (rate_limit_subject(address) == rate_limit_subject(other)) == shared


@pytest.mark.parametrize(("text", "address"), FORMS)
def test_pages_and_streams_count_whom_the_trusted_proxy_names(text: str, address: str) -> None:
    config = load({"secret_key": "tests", "trusted_proxies": 1}, {})
    header = f"198.51.100.7, {text}"
    peer = "203.0.113.9"
    assert client_network(config, {"x-forwarded-for": header}, peer) == rate_limit_subject(address)
    assert _page_subject(config, header, peer) == rate_limit_subject(address)


def _page_subject(config: Config, header: str, peer: str) -> str:
    app = Flask(__name__)
    app.add_url_rule("/", view_func=lambda: rate_limit_subject(request.remote_addr or ""))
    init(app, config)
    options = {"headers": {"X-Forwarded-For": header}, "environ_base": {"REMOTE_ADDR": peer}}
    return app.test_client().get("/", **options).text  # type: ignore[arg-type]
