"""The `Host` header of a request: exactly one, with a name that a URL can have."""

import re
from functools import lru_cache

from werkzeug.sansio.utils import get_current_url

# As Werkzeug has it, and with underscores, which names in private networks may have.
HOST_PATTERN = re.compile(r"([\w.-]+|\[[0-9a-f]*:[0-9a-f.:]+\])(:[1-9]\d{0,4})?", re.A | re.I)
HOST_MAX = 260  # characters: a name of the DNS has 253, and a port follows
FIRST_WITH_HOST = "1.1"  # the version of HTTP from which a request must name its host


def is_valid_host(host: str, http_version: str) -> bool:
    """Return True if a request may have this `Host` header, "" if it has none.

    Several headers arrive as one, joined by commas.
    """
    if not host:
        return http_version < FIRST_WITH_HOST
    return len(host) <= HOST_MAX and _is_name(host)


@lru_cache(256)
def _is_name(host: str) -> bool:
    """Return True if a URL can be made of the host: valid characters alone do not make a name."""
    if not HOST_PATTERN.fullmatch(host):
        return False
    try:
        return bool(get_current_url("http", host).encode("idna"))
    except ValueError:
        return False
