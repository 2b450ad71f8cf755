"""Requests to the streaming API, and the errors that they raise."""

from collections.abc import Mapping

import pytest

from webapp.core.errors import Unauthorized
from webapp.core.store import Site
from webapp.streaming.api_v1 import callers
from webapp.streaming.api_v1.stream_request import StreamRequest


def make_request(
    method: str, url: str, headers: Mapping[str, str] = {}, body: bytes = b"", **changes: str
) -> StreamRequest:
    """Return a request as the stream process reads it."""
    return StreamRequest(
        method, url, {name.lower(): value for name, value in headers.items()}, body, **changes
    )


def refusal_code(site: Site, request: StreamRequest, sample: bool = False) -> str:
    """Assert that a request is unauthorized and return the code of the error."""
    with pytest.raises(Unauthorized) as caught:
        callers.identify(site, request, sample)
    assert caught.value.status == 401 and caught.value.challenge == 'OAuth realm="Linnet"'
    assert str(caught.value.sentence)
    return caught.value.code
