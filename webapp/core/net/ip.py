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


def forwarded_header(headers: Mapping[str, str], name: str, proxies: int) -> str:
    """Return what the outermost of so many trusted proxies says in `X-Forwarded-<name>`, or ""."""
    values = [part.strip() for part in headers.get(f"x-forwarded-{name}", "").split(",")]
    return values[-proxies] if 0 < proxies <= len(values) else ""
