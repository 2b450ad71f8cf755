"""Networks: what is one, and which addresses lie in it."""

from ipaddress import ip_address

import pytest
from hypothesis import given, strategies as st

from webapp.core.bans.networks import NetworkBans, is_loopback, parse_network
from webapp.site_settings import Ban


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("192.0.2.7", "192.0.2.7/32"),
        (" 192.0.2.7/24 ", "192.0.2.0/24"),
        ("2001:DB8::1", "2001:db8::1/128"),
        ("2001:db8::/48", "2001:db8::/48"),
        ("[2001:db8::1]:443", "2001:db8::1/128"),
        ("::ffff:192.0.2.7", "192.0.2.7/32"),
        ("fe80::1%eth0", "fe80::1/128"),
        ("192.0.2.7/33", None),
        ("192.0.2.7/255.255.255.0", None),
        ("192.0.2.7/", None),
        ("192.0.2.7/-1", None),
        ("192.0.2.7/٣", None),
        ("192.0.2", None),
        ("nobody.example", None),
        ("", None),
    ],
)
def test_an_address_or_a_network_is_parsed(text: str, network: str | None) -> None:
    parsed = parse_network(text)
    assert (str(parsed) if parsed else None) == network


def test_addresses_in_a_network_are_refused_what_it_may_not_do() -> None:
    bans = NetworkBans(
        [
            Ban("network", "192.0.2.0/24", "signup"),
            Ban("network", "192.0.2.7/32", "write", until=10),
            Ban("network", "2001:db8::/48", "login"),
            Ban("network", "127.0.0.0/8", "write"),
            Ban("network", "broken", "write"),
            Ban("word", "192.0.2.0/24", "refuse"),
        ]
    )

    def refused(address: str, now_ms: int = 5) -> list[str]:
        acts = ("signup", "login", "write")
        return [act for act in acts if bans.find(address, act, now_ms)]

    assert refused("192.0.2.8") == ["signup"] == refused("::ffff:192.0.2.8")
    assert refused("192.0.2.7") == ["signup", "login", "write"]
    assert refused("192.0.2.7", 10) == ["signup"]
    assert refused("2001:db8:0:9::1") == ["signup", "login"]
    assert not any(map(refused, ("192.0.3.1", "2001:db8:1::1", "127.0.0.1", "", "unknown")))


@given(st.text(max_size=50), st.ip_addresses())
def test_no_text_breaks_it_and_an_address_is_in_its_network(text: str, address: object) -> None:
    network = parse_network(text)
    assert network is None or isinstance(is_loopback(network), bool)
    parsed = ip_address(str(address))
    bans = NetworkBans([Ban("network", text, "write"), Ban("network", str(address), "write")])
    assert bool(bans.find(str(address), "write", 0)) or parsed.is_loopback or "%" in str(address)
    bans.find(text, "write", 0)
