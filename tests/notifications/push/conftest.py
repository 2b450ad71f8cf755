"""A member with devices whose push service is a server of the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.push_scene import PushScene
from tests.support.settings import with_settings
from tests.support.webhook_receiver import Receiver, receiving, status
from webapp.core.site import Site
from webapp.core.store.client import Db


@pytest.fixture
def service() -> Iterator[Receiver]:
    """A push service that takes everything, unless a test changes its `responders`."""
    with receiving() as service:
        service.responders = [status(201)]
        yield service


@pytest.fixture
def open_config(site: Site) -> Site:
    """Settings that allow push services at private addresses."""
    return with_settings(site, web_push="private")


@pytest.fixture
def scene(
    db: Db, open_config: Site, people: People, apply_events: ApplyEvents, service: Receiver
) -> PushScene:
    """Ann, Ben and Cid. Ann has no device yet."""
    return PushScene(open_config, people, apply_events, service)
