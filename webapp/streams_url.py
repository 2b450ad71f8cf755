"""Where a page finds the streams: the stream process may have an address of its own."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from flask import request

from .app import config

HOST = re.compile(r"([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d+)?\Z", re.ASCII)


def stream_address() -> str:
    """What to put before `/stream/…`: STREAM_URL or, behind a proxy, nothing, for it is the pages' own address;
    otherwise STREAM_PORT of the machine that the browser called.
    """
    settings = config()
    if settings.stream_url:
        return settings.stream_url.rstrip("/")
    if settings.trusted_proxies:
        return ""
    match = HOST.match(request.host)  # it goes into a header
    return f"{request.scheme}://{match[1]}:{settings.stream_port}" if match else ""


def stream_origin() -> str:
    """The same for a content policy's `connect-src`: without any path."""
    parts = urlsplit(stream_address())
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
