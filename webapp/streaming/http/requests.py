"""Parse a client's request: its headers, its origin, its query and its position in the log."""

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qs, urlsplit

from werkzeug.sansio.http import parse_cookie

from webapp.config import Config
from webapp.core.net.hosts import is_valid_host
from webapp.core.net.ip import HEALTH_PATHS, forwarded_header, rate_limit_subject
from webapp.core.web import session_cookie
from webapp.streaming.log.position import LogPosition

from .asgi import Headers, Scope

DEFAULT_PORTS = {"http": 80, "https": 443}
LOG_ID_PATTERN = re.compile(r"(\d{1,15})-(\d{1,10})\Z", re.ASCII)


def is_own_origin(origin: str | None, host: str, config: Config) -> bool:
    """Return True if a page of this site asks, or no page at all (None).

    `origin` is the page's, `host` the one it called. With SITE_URL the origin must be SITE_URL's.
    Without it, it must be that of `host`, or PORT on the same machine.
    """
    if origin is None:
        return True
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


class Resume(NamedTuple):
    """The position of a client in the log when it last listened."""

    position: LogPosition | None  # None if the client sent an invalid one
    from_page: bool  # a page was rendered there, which may lack statuses of the seconds before


class Request:
    """A request for a stream."""

    def __init__(self, scope: Scope) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers = header_dict(scope)
        self._peer, self._scheme = peer_of(scope), scope.get("scheme", "http")
        self.query = parse_qs(
            scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True
        )

    @property
    def resume(self) -> Resume | None:
        """Return the client's position, None if it wants only new messages.

        A browser that reconnects by itself sends `Last-Event-ID` with its first address, whose
        query is older. So the header counts first.
        """
        for from_page, text in (
            (False, self.headers.get("last-event-id")),
            (False, self.parameter("since")),
            (True, self.parameter("page")),
        ):
            if text:
                is_log_id = LOG_ID_PATTERN.match(text)
                return Resume(LogPosition.parse(text) if is_log_id else None, from_page)
        return None

    def parameter(self, name: str) -> str | None:
        """Return the first value of a query parameter, None if it is missing."""
        values = self.query.get(name)
        return values[0] if values else None

    def network(self, config: Config) -> str:
        """Return the subject of the rate limits of visitors."""
        return client_network(config, self.headers, self._peer)

    @property
    def token(self) -> str | None:
        """Return the access token of the `Authorization` header, None without one."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else None

    def session_cookie(self, config: Config) -> str:
        """Return the session cookie of the request, "" without one."""
        scheme = forwarded_header(self.headers, "proto", config.trusted_proxies) or self._scheme
        return session_cookie(parse_cookie(self.headers.get("cookie", "")), scheme == "https")

    def is_same_origin(self, config: Config) -> bool:
        """Return True if a page of this site asks, or no page at all."""
        return is_own_origin(self.headers.get("origin"), self.headers.get("host", ""), config)

    def cors(self, config: Config, is_public: bool) -> Headers:
        """Return the headers that let pages read the response.

        Pages of this site may read it with their cookies; other pages if it is public.
        """
        headers: Headers = [(b"vary", b"Origin")]
        origin = self.headers.get("origin")
        if origin is None:
            return headers
        if self.is_same_origin(config):
            headers.append((b"access-control-allow-origin", origin.encode("latin-1")))
            headers.append((b"access-control-allow-credentials", b"true"))
        elif is_public:
            headers.append((b"access-control-allow-origin", b"*"))
        return headers


def came_by_http(config: Config, scope: Scope) -> bool:
    """Return True if a proxy got a request by http, though the site has an address of https."""
    scheme = forwarded_header(header_dict(scope), "proto", config.trusted_proxies)
    is_plain = scheme in ("http", "ws") and scope["path"] not in HEALTH_PATHS
    return is_plain and config.site_url.startswith("https://")


def has_valid_host(scope: Scope) -> bool:
    """Return True if a request names one host, with a valid name."""
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"host"]
    return is_valid_host(",".join(hosts), scope["http_version"])


def peer_of(scope: Scope) -> str:
    """Return the address that a request came from, "" if the server names none."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def client_network(config: Config, headers: Mapping[str, str], peer: str) -> str:
    """Return the subject of rate limits: the outermost trusted proxy's client, else the peer."""
    return rate_limit_subject(forwarded_header(headers, "for", config.trusted_proxies) or peer)


def header_dict(scope: Scope) -> Mapping[str, str]:
    """Return the headers of a scope by lower-case name; repeated ones are joined."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1").lower()
        value = raw_value.decode("latin-1")
        separator = "; " if name == "cookie" else ","
        headers[name] = f"{headers[name]}{separator}{value}" if name in headers else value
    return headers
