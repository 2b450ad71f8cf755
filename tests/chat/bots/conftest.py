"""A bot whose webhook leads to a server that records requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.webhook_receiver import Receiver, receiving
from tests.support.webhook_scene import WebhookScene
from webapp.config import Config
from webapp.core.store.client import Db


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A server that records the requests it gets."""
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def open_config(config: Config) -> Config:
    """Settings that allow webhooks to private addresses."""
    return replace(config, webhook_private=True)


@pytest.fixture
def scene(
    db: Db, open_config: Config, people: People, apply_events: ApplyEvents, receiver: Receiver
) -> WebhookScene:
    """A group with a bot whose webhook leads to the receiver."""
    return WebhookScene(db, open_config, people, apply_events, f"{receiver.url}/hook?from=linnet")
