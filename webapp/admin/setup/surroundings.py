"""Check for `linnet doctor` what the site depends on: the clock, the store's address, proxies."""

import ctypes
from collections.abc import Iterator
from urllib.parse import urlsplit

from webapp.admin.store_findings import Finding
from webapp.config import Config
from webapp.core.net import safe_http
from webapp.core.store import Db

REQUESTS: tuple[dict[str, str], ...] = ({}, {"Host": "localhost"})
KEY_LENGTH_MIN = 32  # characters
SECONDS = 3.0  # for each request
BODY_MAX = 65_536  # bytes
STATE_BYTES, UNSYNCHRONIZED = 512, 5  # more than a timex has; what adjtimex returns (TIME_ERROR)
METRIC = b"linnet_http_requests_total"


def findings(config: Config) -> Iterator[Finding]:
    """Yield the findings that need no store and no request."""
    yield clock_finding()
    yield secret_key_finding(config)
    if not config.embedded:
        yield store_password_finding(config)


def clock_finding() -> Finding:
    """Return whether the kernel says that something keeps this machine's clock right."""
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(STATE_BYTES))
    except AttributeError:  # not Linux
        state = -1
    known = {-1: "unknown", UNSYNCHRONIZED: "no"}
    return Finding(
        state != UNSYNCHRONIZED,
        f"clock: set by NTP or the like: {known.get(state, 'yes')}",
        "Run an NTP client, such as systemd-timesyncd. With a wrong clock codes of apps fail, and"
        " logs mislead.",
    )


def secret_key_finding(config: Config) -> Finding:
    """Return whether SECRET_KEY is too long to be guessed. That of a file is."""
    is_short = 0 < len(config.secret_key) < KEY_LENGTH_MIN
    return Finding(
        not is_short,
        f"secret key: {'long enough' if not is_short else f'fewer than {KEY_LENGTH_MIN} signs'}",
        "Set SECRET_KEY to what `openssl rand -hex 32` prints, and SECRET_KEY_PREVIOUS to the"
        " present one. Who guesses it can read all secrets and forge forms.",
    )


def store_password_finding(config: Config) -> Finding:
    """Return whether a store that is reached by the network asks for a password."""
    parts = urlsplit(config.redis_url)
    is_safe = parts.scheme == "unix" or bool(parts.password)
    return Finding(
        is_safe,
        f"store password: {'in use' if is_safe else 'REDIS_URL has none'}",
        "Set requirepass at the store, and the password in REDIS_URL. Anybody who reaches the"
        " store's port can read and change everything.",
    )


def default_user_finding(db: Db) -> Finding:
    """Return whether each primary would read all of its append-only file at a restart.

    Many versions read it as the user `default`, and skip what that user may not do. One trip each.
    """
    replies = db.on_every_primary("ACL", "DRYRUN", "default", "SET", "key", "value")
    refusals = {"unknown" if isinstance(one, Exception) else one for one in replies} - {"OK"}
    return Finding(
        refusals <= {"unknown"},
        f"store user default: {', '.join(refusals) or 'may write'}",
        "Run ACL SETUSER default off ~* &* +@all, and write it where the users are kept. It stays"
        " switched off. Without these rights, many versions of Redis and Valkey leave acknowledged"
        " writes out when they read their append-only file at a restart.",
    )


def proxy_finding(config: Config) -> Finding:
    """Return whether strangers pass for programs of this machine, who may read /metrics.

    Also whether the site leads requests by https to https again. Asks SITE_URL for it, by its own
    name and by the name `localhost`, which anybody may send. That may take seconds, so it is for
    the command, not for pages.
    """
    if config.site_url.startswith("https:") and not config.trusted_proxies:
        return Finding(
            False,
            "proxies: TRUSTED_PROXIES is 0, and SITE_URL is https, which is a proxy's",
            "Set TRUSTED_PROXIES to their number. Until then all members and visitors share one"
            " address, and with it the limits of strangers.",
        )
    address = f"{config.site_url.rstrip('/')}/metrics"
    try:
        responses = [_get(config, address, headers) for headers in REQUESTS]
    except safe_http.RequestFailed as error:
        return Finding(True, f"proxies: not checked ({error}), as SITE_URL did not answer")
    if address in (response.location for response in responses):
        return Finding(
            False,
            "proxies: X-Forwarded-Proto is http for requests by https, so no page ever opens",
            "Let the proxy set X-Forwarded-Proto to the scheme of the request that it got.",
        )
    is_open = any(METRIC in response.body for response in responses)
    return Finding(
        not is_open,
        f"proxies: {'strangers' if is_open else 'no strangers'} pass for programs of this machine",
        "Let the proxy set X-Forwarded-For, and pass on requests for the name of the site only.",
    )


def _get(config: Config, address: str, headers: dict[str, str]) -> safe_http.Response:
    return safe_http.get(address, headers, config.webhook_private, SECONDS, BODY_MAX, METRIC)
