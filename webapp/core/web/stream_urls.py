"""The address of the streams: their process may have an address of its own."""

import re
from functools import lru_cache
from urllib.parse import urlsplit

from flask import request

from .context import config, unwrap

HOST_PATTERN = re.compile(r"([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d+)?\Z", re.ASCII)


def stream_base_url() -> str:
    """Return the part of a stream's address before `/stream/…`.

    That is STREAM_URL, if it is set. Behind a proxy it is "", since pages and streams share an
    address. Otherwise it is STREAM_PORT of the host that the browser called.
    """
    settings = config()
    if settings.stream_url:
        return settings.stream_url.rstrip("/")
    if settings.trusted_proxies:
        return ""
    flask_request = unwrap(request)
    return _base_url(flask_request.scheme, flask_request.host, settings.stream_port)


def stream_origin() -> str:
    """Return the origin of the streams for `connect-src`, "" if it is the pages' own."""
    return _origin(stream_base_url())


@lru_cache(256)
def _base_url(scheme: str, host: str, port: int) -> str:
    match = HOST_PATTERN.match(host)  # checked, because it goes into a header
    return f"{scheme}://{match[1]}:{port}" if match else ""


@lru_cache(256)
def _origin(base_url: str) -> str:
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
