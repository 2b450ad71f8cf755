"""Addresses of other hosts: names are resolved once, and each address is checked to be public."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from queue import Empty, Queue
from threading import Thread

from .special_addresses import globally_reachable

IPV4_MULTICAST = IPv4Network("224.0.0.0/4")
IPV6_UNICAST = IPv6Network("2000::/3")  # all public IPv6 addresses
NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Return True if anybody in the world can reach this address.

    False for multicast, unassigned IPv6 addresses, and special-purpose addresses that are not
    globally reachable. The IPv4 address inside an IPv6 address decides for both.
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        ip = _embedded_ipv4(ip) or ip
    is_unicast = ip not in IPV4_MULTICAST if isinstance(ip, IPv4Address) else ip in IPV6_UNICAST
    return is_unicast and globally_reachable(ip) is not False


def resolve(host: str, port: int, timeout: float) -> list[str]:
    """Return the addresses of a host, none if its name leads nowhere.

    Raises TimeoutError after `timeout` seconds. The resolver has no time-out of ours, so it runs in
    a thread that is left to itself then.
    """
    results: Queue[list[str]] = Queue()
    arguments = (host, port, results)
    Thread(target=_put_addresses, args=arguments, daemon=True, name="resolver").start()
    try:
        return results.get(timeout=timeout)
    except Empty:
        raise TimeoutError from None


def _put_addresses(host: str, port: int, results: Queue[list[str]]) -> None:
    addresses: list[str] = []
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
        addresses = [str(info[4][0]) for info in infos]
    except (OSError, UnicodeError):
        pass
    finally:
        results.put(addresses)


def _embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address leads to, if it leads to one."""
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
