"""In which form a stream is sent, and with which address its links begin."""

from __future__ import annotations

from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from webapp.config import Config
from webapp.streaming.delivery.encoders import API_LINES, API_SSE, PAGE_SSE, SSE_TYPE, SseEncoder
from webapp.streaming.http.requests import Request

SSE = SSE_TYPE.decode().partition(";")[0]
LINES = ("application/json", "application/x-ndjson")


def encoder_for(request: Request) -> SseEncoder:
    """Return the encoder of a stream: programs get the format of the streaming API.

    A program sends an access token, or accepts JSON but no events.
    """
    accepted = parse_accept_header(request.headers.get("accept", ""), MIMEAccept)
    if accepted and accepted.best_match([SSE, *LINES]) in LINES:
        return API_LINES
    return PAGE_SSE if request.token is None else API_SSE


def public_address(config: Config) -> str:
    """Return the address of the pages, as links in messages have it."""
    return config.site_url.rstrip("/") or f"http://{config.host}:{config.port}"
