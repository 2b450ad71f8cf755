"""Network addresses: whom a rate limit counts, and what proxies say of a request."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address, ip_network


def rate_limit_subject(address: str) -> str:
    """Return whom a rate limit counts: an IPv4 address, or the /64 network of an IPv6 address.

    Colons are written as dots, since the subject is part of a key.
    """
    try:
        parsed = ip_address(address.split("%")[0])
    except ValueError:
        return "unknown"
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    network = ip_network((parsed, 64), strict=False)
    return str(network.network_address).replace(":", ".")


def network_of(address: str) -> str:
    """Return the network of an address, /24 or /48 for IPv6; "" if it is no address."""
    try:
        parsed = ip_address(address.split("%")[0])
    except ValueError:
        return ""
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    return str(ip_network((parsed, 24 if parsed.version == 4 else 48), strict=False))


def forwarded_header(headers: Mapping[str, str], name: str, proxies: int) -> str:
    """Return what the outermost of so many trusted proxies says in `X-Forwarded-<name>`, or ""."""
    values = [part.strip() for part in headers.get(f"x-forwarded-{name}", "").split(",")]
    return values[-proxies] if 0 < proxies <= len(values) else ""
