"""Frames of an app that may not be done yet are late, not lost, and no other is read meanwhile."""

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from webapp.core.errors import RateLimited, Unavailable
from webapp.streaming.apps import app_socket
from webapp.streaming.apps.app_socket import AppSocket
from webapp.streaming.apps.socket_watch import WatchedSocket
from webapp.streaming.background import RETRY_SECONDS

LATER = [RateLimited("too_many", retry_after=7), Unavailable("store"), None, None]


async def test_a_subscription_waits_for_the_rate_limit_and_the_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps: list[object] = []

    async def pause(seconds: float) -> None:
        steps.append(seconds)

    def frames() -> Iterator[dict[str, Any]]:
        for name in ("public", "public:local"):
            steps.append(f"read {name}")
            yield {"type": "websocket.receive", "text": f'{{"type":"subscribe","stream":"{name}"}}'}
        yield {"type": "websocket.disconnect"}

    async def receive() -> dict[str, Any]:
        return next(sent)

    caller = Mock(uid=0, bot_owner=0, count_call=Mock(side_effect=LATER))
    socket = AppSocket(Mock(), caller, Mock(), Mock(), WatchedSocket())
    monkeypatch.setattr(app_socket, "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": pause}))
    monkeypatch.setattr(
        socket._session, "open", lambda stream, _reading: steps.append(stream.kind.name)
    )
    sent = frames()
    await asyncio.create_task(socket._read(receive))
    waits = [7, RETRY_SECONDS]
    assert steps == ["read public", *waits, "public", "read public:local", "public:local"]
