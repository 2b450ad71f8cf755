"""Find out whether an address lies in a network that is kept out."""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_network

from webapp.core.net.ip import parse_address
from webapp.site_settings import LOGIN, NETWORK, SIGNUP, WRITE, Ban, BanList

Network = IPv4Network | IPv6Network
WIDEST = {4: 12, 6: 28}  # bits of the prefix: a wider network is that of many providers
REFUSES = {SIGNUP: (SIGNUP,), LOGIN: (SIGNUP, LOGIN), WRITE: (SIGNUP, LOGIN, WRITE)}


def parse_network(text: str) -> Network | None:
    """Parse an address or a network, such as 192.0.2.0/24; None if it is neither."""
    host, slash, bits = text.strip().partition("/")
    address = parse_address(host)
    if address is None or (slash and not (bits.isascii() and bits.isdigit())):
        return None
    try:
        return ip_network((address, int(bits)) if slash else address, strict=False)
    except ValueError:
        return None


def is_loopback(network: Network) -> bool:
    """Return True if a network has addresses of this machine. These are never kept out."""
    return network.is_loopback or (network.version == 6 and IPv6Address(1) in network)


class NetworkBans:
    """The networks of a list, by the bits that their addresses share."""

    def __init__(self, bans: Iterable[Ban]) -> None:
        # For each version and number of other bits: the shared ones, as a number, and the ban.
        self._found: dict[tuple[int, int], dict[int, Ban]] = {}
        for ban in bans:
            network = parse_network(ban.value) if ban.kind == NETWORK else None
            if network is not None:
                others = network.max_prefixlen - network.prefixlen
                shared = int(network.network_address) >> others
                self._found.setdefault((network.version, others), {})[shared] = ban

    def find(self, address: str, act: str, now_ms: int) -> Ban | None:
        """Return a ban that refuses an act (SIGNUP, LOGIN or WRITE) from an address, or None."""
        parsed = parse_address(address) if self._found else None
        if parsed is None or parsed.is_loopback:
            return None
        number = int(parsed)
        for (version, others), found in self._found.items():
            ban = found.get(number >> others) if version == parsed.version else None
            if ban and act in REFUSES.get(ban.action, ()) and ban.holds_at(now_ms):
                return ban
        return None


@lru_cache(maxsize=2)  # the list of now, and that of requests which began before
def network_bans(bans: BanList) -> NetworkBans:
    """Return the networks of a list."""
    return NetworkBans(bans.bans)
