"""Network addresses: whom a rate limit counts, and what proxies in front say of a request."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping


def rate_limit_subject(address: str) -> str:
    """Whom a rate limit counts: an IPv4 address, or the /64 network of an IPv6 one, with dots for colons."""
    try:
        parsed = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return "unknown"
    if parsed.version == 6 and parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    if parsed.version == 6:
        return str(ipaddress.ip_network((parsed, 64), strict=False).network_address).replace(
            ":", "."
        )
    return str(parsed)


def forwarded_header(headers: Mapping[str, str], name: str, proxies: int) -> str:
    """What the outermost of so many trusted proxies says in a header `X-Forwarded-<name>`; '' when it says nothing."""
    values = [part.strip() for part in headers.get(f"x-forwarded-{name}", "").split(",")]
    return values[-proxies] if 0 < proxies <= len(values) else ""
