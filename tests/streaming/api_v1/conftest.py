"""A stream process for the tests of a module, and a member with an app."""

from collections.abc import Iterator

import pytest

from tests.conftest import People
from tests.support.processes import RunningSite
from tests.support.streaming.api_client import Stage
from tests.support.streaming.client import Scene, scene_on
from webapp.accounts.tokens import apps
from webapp.accounts.tokens.apps import AppCredentials


@pytest.fixture(scope="module")
def stage(running_site: RunningSite) -> Iterator[Stage]:
    """One stream process; each test signs up its own members."""
    with scene_on(running_site) as scene:
        scene.begin(limit_stream="1000000/1", body_deadline=1)
        yield Stage(scene)


@pytest.fixture
def scene(stage: Stage) -> Iterator[Scene]:
    """The site; streams that a test opens are closed after it."""
    yield stage.scene
    stage.scene.close()
    stage.scene.readers.clear()


@pytest.fixture
def ann(people: People) -> int:
    """A member."""
    return people("wren", "ann")[1]


@pytest.fixture
def pair(site: RunningSite, ann: int) -> AppCredentials:
    """An app of Ann with a key and a token."""
    return apps.create(site, ann, "reader")
