"""Tell requests of this site's own pages from those of other pages."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from webapp.config import Config

DEFAULT_PORTS = {"http": 80, "https": 443}


def is_own_origin(origin: str, host: str, config: Config) -> bool:
    """Return True if a page of this site asks: `origin` is the page's, `host` the one it called.

    With SITE_URL the origin must be SITE_URL's. Without it, it must be that of `host`, or PORT on
    the same machine.
    """
    origin_url = _split(origin)
    own_url = _split(f"//{host}")
    if not (origin_url and own_url and origin_url.hostname):
        return False
    if origin_url.scheme not in DEFAULT_PORTS:
        return False
    site_url = _split(config.site_url)
    if site_url and site_url.netloc:
        return _address(origin_url) == _address(site_url)
    if origin_url.netloc.lower() == own_url.netloc.lower():
        return True
    port = origin_url.port or DEFAULT_PORTS[origin_url.scheme]
    return origin_url.hostname == own_url.hostname and port == config.port


def _address(url: SplitResult) -> tuple[str, str]:
    return url.scheme, url.netloc.lower()


def _split(url: str) -> SplitResult | None:
    """Return the parts of a URL, None if it cannot be read."""
    try:
        parts = urlsplit(url)
        _ = parts.port, parts.hostname  # raise ValueError for a bad port or address
    except ValueError:
        return None
    return parts
