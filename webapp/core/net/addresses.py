"""Addresses of other hosts: names are resolved once, and each address is checked to be public."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from queue import Empty, Queue
from threading import Thread

GLOBAL_UNICAST = IPv6Network("2000::/3")  # all public IPv6 addresses
NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Return True if anybody in the world can reach this address.

    False for loopback, private, link-local, multicast and reserved addresses, and for IPv6
    addresses that hold one of these.
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        embedded = _embedded_ipv4(ip)
        if embedded:
            return is_public(str(embedded))
        if ip not in GLOBAL_UNICAST:
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


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
    if address.teredo:
        return address.teredo[1]
    is_compatible = int(address) >> 32 == 0 and int(address) > 1  # the old ::192.0.2.1
    if address in NAT64 or is_compatible:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
