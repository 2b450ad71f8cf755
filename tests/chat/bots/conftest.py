"""A bot whose webhook leads to a server that records requests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.settings import with_settings
from tests.support.webhook_receiver import Receiver, receiving
from tests.support.webhook_scene import WebhookScene
from webapp.core.site import Site
from webapp.core.store.client import Db


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A server that records the requests it gets."""
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def open_site(site: Site) -> Site:
    """Settings that allow webhooks to private addresses."""
    return with_settings(site, webhook_private=True)


@pytest.fixture
def scene(
    db: Db, open_site: Site, people: People, apply_events: ApplyEvents, receiver: Receiver
) -> WebhookScene:
    """A group with a bot whose webhook leads to the receiver."""
    return WebhookScene(open_site, people, apply_events, f"{receiver.url}/hook?from=linnet")
