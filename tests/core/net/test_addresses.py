"""Addresses for requests of the site: the IANA special-purpose registries, by row."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest

from webapp.core.net.addresses import is_public

# https://www.iana.org/assignments/iana-ipv4-special-registry: "Globally Reachable". N/A is False.
IPV4_ROWS = (
    ("0.0.0.0/8", False),
    ("0.0.0.0/32", False),
    ("10.0.0.0/8", False),
    ("100.64.0.0/10", False),
    ("127.0.0.0/8", False),
    ("169.254.0.0/16", False),
    ("172.16.0.0/12", False),
    ("192.0.0.0/24", False),
    ("192.0.0.0/29", False),
    ("192.0.0.8/32", False),
    ("192.0.0.9/32", True),
    ("192.0.0.10/32", True),
    ("192.0.0.170/32", False),
    ("192.0.0.171/32", False),
    ("192.0.2.0/24", False),
    ("192.31.196.0/24", True),
    ("192.52.193.0/24", True),
    ("192.88.99.0/24", False),
    ("192.88.99.2/32", False),
    ("192.168.0.0/16", False),
    ("192.175.48.0/24", True),
    ("198.18.0.0/15", False),
    ("198.51.100.0/24", False),
    ("203.0.113.0/24", False),
    ("240.0.0.0/4", False),
    ("255.255.255.255/32", False),
)
# https://www.iana.org/assignments/iana-ipv6-special-registry, but for the three blocks that embed
# IPv4 addresses: ::ffff:0:0/96, 64:ff9b::/96 and 2002::/16.
IPV6_ROWS = (
    ("::1/128", False),
    ("::/128", False),
    ("64:ff9b:1::/48", False),
    ("100::/64", False),
    ("100:0:0:1::/64", False),
    ("2001::/23", False),
    ("2001::/32", False),
    ("2001:1::1/128", True),
    ("2001:1::2/128", True),
    ("2001:1::3/128", True),
    ("2001:2::/48", False),
    ("2001:3::/32", True),
    ("2001:4:112::/48", True),
    ("2001:10::/28", False),
    ("2001:20::/28", True),
    ("2001:30::/28", True),
    ("2001:db8::/32", False),
    ("2620:4f:8000::/48", True),
    ("3fff::/20", False),
    ("5f00::/16", False),
    ("fc00::/7", False),
    ("fe80::/10", False),
)
OTHER_NOT_PUBLIC = (
    *("224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"),  # multicast
    *("fec0::1", "::8.8.8.8", "4000::1", "1234::1"),  # site-local, IPv4-compatible, not assigned
    *("fe80::1%eth0", "2001:0:808:808:8000:0:f7f7:f7f7"),  # a zone, and Teredo of 8.8.8.8
    *("", "localhost", "8.8.8", "0x7f000001", "2130706433", "127.1"),
)
PUBLIC = (
    *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"),
    *("126.255.255.255", "128.0.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255"),
    *("192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255"),
    *("192.169.0.0", "198.17.255.255", "198.20.0.0", "203.0.112.255", "223.255.255.255"),
    *("2001:200::1", "2606:4700::1111", "2001:db7::1", "2001:db9::1", "2400::1", "3ffe::1"),
)


def _mapped(address: IPv4Address) -> str:
    return str(IPv6Address((0xFFFF << 32) + int(address)))


def _nat64(address: IPv4Address) -> str:
    return str(IPv6Address(int(IPv6Address("64:ff9b::")) + int(address)))


def _six_to_four(address: IPv4Address) -> str:
    return str(IPv6Address((0x2002 << 112) + (int(address) << 80) + 1))


@pytest.mark.parametrize(("network", "reachable"), IPV4_ROWS + IPV6_ROWS)
def test_each_registered_block_is_public_as_its_row_says(network: str, reachable: bool) -> None:
    block = ip_network(network)
    assert [is_public(str(block[0])), is_public(str(block[-1]))] == [reachable, reachable]


@pytest.mark.parametrize("embed", [_mapped, _nat64, _six_to_four])
@pytest.mark.parametrize(
    ("network", "reachable"), [*IPV4_ROWS, ("224.0.0.0/4", False), ("8.8.8.8/32", True)]
)
def test_an_embedded_ipv4_address_decides(
    network: str, reachable: bool, embed: Callable[[IPv4Address], str]
) -> None:
    block = ip_network(network)
    ends = [embed(IPv4Address(int(block[0]))), embed(IPv4Address(int(block[-1])))]
    assert [is_public(address) for address in ends] == [reachable, reachable]


@pytest.mark.parametrize("address", OTHER_NOT_PUBLIC)
def test_multicast_unassigned_and_malformed_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_other_addresses_are_public(address: str) -> None:
    assert is_public(address)
