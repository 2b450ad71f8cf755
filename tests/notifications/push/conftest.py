"""A member with devices whose push service is a server of the test."""

from collections.abc import Iterator

import pytest

from tests.support.push_scene import PushScene
from tests.support.settings import with_settings
from tests.support.webhook_receiver import Receiver, receiving, status
from tests.support.world import World
from webapp.core.store import Site


@pytest.fixture
def service() -> Iterator[Receiver]:
    """A push service that takes everything, unless a test changes its `responders`."""
    with receiving() as service:
        service.responders = [status(201)]
        yield service


@pytest.fixture
def open_config(world: World) -> Site:
    """Settings that allow push services at private addresses."""
    return with_settings(world, web_push="private")


@pytest.fixture
def scene(world: World, open_config: Site, service: Receiver) -> PushScene:
    """Ann, Ben and Cid. Ann has no device yet."""
    return PushScene(open_config, world.people, world.apply_events, service)
