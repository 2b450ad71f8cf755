"""Network addresses: the subjects of rate limits, and the headers of proxies."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

HEALTH_PATHS = ("/healthz", "/readyz")  # answered to everybody, over http too


@lru_cache(4_096)  # each request asks several times
def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address as proxies write it; None if it is not one, such as `unknown`.

    It may be quoted, in brackets, and have a port or a zone. An IPv4 address mapped into IPv6 is
    the IPv4 address.
    """
    host = text.strip().strip('"').strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        parsed = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


def rate_limit_subject(address: str) -> str:
    """Return a rate limit's subject: an IPv4 address, or the /64 network of an IPv6 address.

    Colons are written as dots, since the subject is part of a key.
    """
    parsed = parse_address(address)
    if parsed is None or parsed.version == 4:
        return str(parsed or "unknown")
    network = ip_network((parsed, 64), strict=False)
    return str(network.network_address).replace(":", ".")


def network_of(address: str) -> str:
    """Return the network of an address, /24 or /48 for IPv6; "" if it is no address."""
    parsed = parse_address(address)
    if parsed is None:
        return ""
    return str(ip_network((parsed, 24 if parsed.version == 4 else 48), strict=False))


def forwarded_header(headers: Mapping[str, str], name: str, proxies: int) -> str:
    """Return the `X-Forwarded-<name>` that the outermost of `proxies` trusted ones set, or ""."""
    values = [part.strip() for part in headers.get(f"x-forwarded-{name}", "").split(",")]
    return values[-proxies] if 0 < proxies <= len(values) else ""
