"""Check for `linnet doctor` whether the proxies in front say who asks."""

from __future__ import annotations

from webapp.admin.store_findings import Finding
from webapp.config import Config
from webapp.core.net import safe_http

REQUESTS: tuple[dict[str, str], ...] = ({}, {"Host": "localhost"})
SECONDS = 3.0  # for each request
BODY_MAX = 65_536  # bytes
METRIC = b"linnet_http_requests_total"


def proxy_finding(config: Config) -> Finding:
    """Return whether strangers pass for programs of this machine, who may read /metrics.

    Asks SITE_URL for it, by its own name and by the name `localhost`, which anybody may send.
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
        is_open = any(_shows_figures(config, address, headers) for headers in REQUESTS)
    except safe_http.RequestFailed as error:
        return Finding(True, f"proxies: not checked ({error}), as SITE_URL did not answer")
    return Finding(
        not is_open,
        f"proxies: {'strangers' if is_open else 'no strangers'} pass for programs of this machine",
        "Let the proxy set X-Forwarded-For, and pass on requests for the name of the site only.",
    )


def _shows_figures(config: Config, address: str, headers: dict[str, str]) -> bool:
    """Return True if /metrics answers a request without a token. Raises RequestFailed."""
    private = config.webhook_private
    response = safe_http.get(address, headers, private, SECONDS, BODY_MAX, METRIC)
    return METRIC in response.body
