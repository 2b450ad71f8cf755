"""Addresses of other hosts: names are resolved once, and each address is checked to be public."""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from queue import Empty, Queue
from threading import Thread

# The IANA special-purpose address registries: iana-ipv4-special-registry and its sister of IPv6.
# Each row is a block and its "Globally Reachable"; N/A counts as False. Three IPv6 blocks are left
# out, since the IPv4 address inside decides: ::ffff:0:0/96, 64:ff9b::/96 and 2002::/16.
IPV4_BLOCKS = {
    "0.0.0.0/8": False,  # this network
    "0.0.0.0/32": False,  # this host
    "10.0.0.0/8": False,  # private use
    "100.64.0.0/10": False,  # shared address space of providers
    "127.0.0.0/8": False,  # loopback
    "169.254.0.0/16": False,  # link-local
    "172.16.0.0/12": False,  # private use
    "192.0.0.0/24": False,  # protocol assignments
    "192.0.0.0/29": False,  # IPv4 service continuity
    "192.0.0.8/32": False,  # IPv4 dummy address
    "192.0.0.9/32": True,  # Port Control Protocol anycast
    "192.0.0.10/32": True,  # TURN anycast
    "192.0.0.170/32": False,  # NAT64/DNS64 discovery
    "192.0.0.171/32": False,  # NAT64/DNS64 discovery
    "192.0.2.0/24": False,  # documentation
    "192.31.196.0/24": True,  # AS112
    "192.52.193.0/24": True,  # AMT
    "192.88.99.0/24": False,  # 6to4 relay anycast, deprecated
    "192.88.99.2/32": False,  # 6a44 relay anycast
    "192.168.0.0/16": False,  # private use
    "192.175.48.0/24": True,  # direct delegation AS112
    "198.18.0.0/15": False,  # benchmarking
    "198.51.100.0/24": False,  # documentation
    "203.0.113.0/24": False,  # documentation
    "240.0.0.0/4": False,  # reserved
    "255.255.255.255/32": False,  # limited broadcast
}
IPV6_BLOCKS = {
    "::1/128": False,  # loopback
    "::/128": False,  # unspecified
    "64:ff9b:1::/48": False,  # local IPv4/IPv6 translation
    "100::/64": False,  # discard only
    "100:0:0:1::/64": False,  # dummy prefix
    "2001::/23": False,  # protocol assignments
    "2001::/32": False,  # Teredo
    "2001:1::1/128": True,  # Port Control Protocol anycast
    "2001:1::2/128": True,  # TURN anycast
    "2001:1::3/128": True,  # DNS-SD service registration anycast
    "2001:2::/48": False,  # benchmarking
    "2001:3::/32": True,  # AMT
    "2001:4:112::/48": True,  # AS112
    "2001:10::/28": False,  # ORCHID, deprecated
    "2001:20::/28": True,  # ORCHIDv2
    "2001:30::/28": True,  # drone remote ID
    "2001:db8::/32": False,  # documentation
    "2620:4f:8000::/48": True,  # direct delegation AS112
    "3fff::/20": False,  # documentation
    "5f00::/16": False,  # segment routing
    "fc00::/7": False,  # unique local
    "fe80::/10": False,  # link-local
}
IPV4_MULTICAST = IPv4Network("224.0.0.0/4")
IPV6_UNICAST = IPv6Network("2000::/3")  # all public IPv6 addresses
NAT64 = IPv6Network("64:ff9b::/96")


def globally_reachable(address: IPv4Address | IPv6Address) -> bool | None:
    """Return "Globally Reachable" of an address's most specific block, None without one."""
    if isinstance(address, IPv4Address):
        return next((says for block, says in _IPV4 if address in block), None)
    return next((says for block, says in _IPV6 if address in block), None)


_IPV4 = sorted(
    ((IPv4Network(block), says) for block, says in IPV4_BLOCKS.items()),
    key=lambda row: -row[0].prefixlen,
)
_IPV6 = sorted(
    ((IPv6Network(block), says) for block, says in IPV6_BLOCKS.items()),
    key=lambda row: -row[0].prefixlen,
)


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
