"""Fetch a linked page and its picture: guarded, bounded, and few at a time from one host."""

import io
import time
from dataclasses import dataclass, replace
from hashlib import sha256
from urllib.parse import urljoin, urlsplit

from webapp.config import Config, Rate
from webapp.core.errors import RateLimited
from webapp.core.media.decoding import BadPicture
from webapp.core.media.storage import save_link_picture
from webapp.core.net import safe_http
from webapp.core.net.safe_http import Response
from webapp.core.store import Site
from webapp.core.web.rate_limits import consume
from webapp.statuses.values.card import LinkCard

from .parsing import parse_head

TIMEOUT_SECONDS = 10.0  # for a whole request
TOTAL_SECONDS = 30.0  # no further request begins after it; less than a lease
REDIRECTS_MAX = 3
PORTS = (None, 80, 443, 8080, 8443)  # of public web servers; others may be private services
REDIRECTS = (301, 302, 303, 307, 308)
PAGE_MAX = 262_144  # bytes of a page that are read; no more once its head has ended
PICTURE_MAX = 2 * 1024 * 1024  # bytes
PIXELS_MAX = 16_000_000  # a worker decodes less than members may upload
# Requests to one host, over all posts of the site: 30 in a minute.
HOST_RATE = Rate(30, 60)
HTML_TYPES = ("text/html", "application/xhtml+xml")
PICTURE_TYPES = "image/webp,image/jpeg,image/png,image/gif"


class FetchFailed(Exception):
    """Raised if a page gave no answer that could be used, but may give one later."""


@dataclass(frozen=True, slots=True)
class Fetcher(Site):
    """Fetches for one card. `deadline`: when no further request begins, monotonic seconds."""

    deadline: float

    def get(self, url: str, accept: str, body_max: int, end: bytes) -> tuple[str, Response]:
        """Return the response to a GET and the URL that gave it, after a few redirects at most.

        One trip for each request. Raises FetchFailed, safe_http.RequestFailed, RateLimited.
        """
        headers = {"Accept": accept, "User-Agent": user_agent(self.config)}
        allow_private = self.config.link_cards == "private"
        for _ in range(REDIRECTS_MAX + 1):
            if not allow_private and urlsplit(url).port not in PORTS:
                raise safe_http.RequestFailed("bad_address")
            if time.monotonic() > self.deadline:
                raise FetchFailed("late")
            self._count(url)
            response = safe_http.get(url, headers, allow_private, TIMEOUT_SECONDS, body_max, end)
            if response.status not in REDIRECTS or not response.location:
                return url, response
            url = urljoin(url, response.location)
        raise FetchFailed("redirects")

    def _count(self, url: str) -> None:
        """Count a request to a host. Raises RateLimited."""
        host = (urlsplit(url).hostname or "").lower()
        consume(self.db, ("link", sha256(host.encode()).hexdigest()[:32], HOST_RATE))


def fetch_card(site: Site, url: str) -> LinkCard | None:
    """Return the card of a page, None if it has none. At most eight trips, one for each request.

    Raises FetchFailed if it is worth another try; RateLimited, Unavailable.
    """
    fetcher = Fetcher(site.db, site.config, time.monotonic() + TOTAL_SECONDS)
    try:
        final_url, response = fetcher.get(url, ", ".join(HTML_TYPES), PAGE_MAX, b"</head")
    except ValueError:  # the redirect leads to no URL at all
        return None
    except safe_http.RequestFailed as error:
        if str(error) in ("bad_address", "not_public"):
            return None
        raise FetchFailed(str(error)) from None
    if response.status == 429 or response.status >= 500:
        raise FetchFailed(f"answer {response.status}")
    if response.status != 200 or response.media_type not in HTML_TYPES:
        return None
    head = parse_head(response.body, response.charset, final_url)
    if head is None:
        return None
    picture = _fetch_picture(fetcher, head.picture_url) if head.picture_url else ""
    return LinkCard(url, head.title, head.description, picture)


def user_agent(config: Config) -> str:
    """Return the user agent of our requests, with the site's address if it is known."""
    return f"Linnet-LinkCard/1 (+{config.site_url})" if config.site_url else "Linnet-LinkCard/1"


def _fetch_picture(fetcher: Fetcher, url: str) -> str:
    """Store a small copy of a picture. Return its name, "" if it cannot be had."""
    try:
        _, response = fetcher.get(url, PICTURE_TYPES, PICTURE_MAX + 1, b"")
        if response.status != 200 or len(response.body) > PICTURE_MAX:
            return ""
        config = replace(fetcher.config, upload_pixels=PIXELS_MAX, upload_max=PICTURE_MAX)
        return save_link_picture(config, io.BytesIO(response.body))
    except (FetchFailed, safe_http.RequestFailed, BadPicture, RateLimited, ValueError):
        return ""
