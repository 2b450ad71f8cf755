"""A bot whose webhook leads to a server that records requests."""

from collections.abc import Iterator

import pytest

from tests.support.settings import with_settings
from tests.support.webhook_receiver import Receiver, receiving
from tests.support.webhook_scene import WebhookScene
from tests.support.world import World
from webapp.core.store import Site


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A server that records the requests it gets."""
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def open_site(world: World) -> Site:
    """Settings that allow webhooks to private addresses."""
    return with_settings(world, webhook_private=True)


@pytest.fixture
def scene(world: World, open_site: Site, receiver: Receiver) -> WebhookScene:
    """A group with a bot whose webhook leads to the receiver."""
    return WebhookScene(
        open_site, world.people, world.apply_events, f"{receiver.url}/hook?from=linnet"
    )
