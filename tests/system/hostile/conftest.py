"""The site that these tests attack."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from tests.support.hostile.site import AttackedSite
from tests.support.pages import join, serving_alone
from tests.support.world import Web
from webapp.config import Config

SESSION_TOUCH = 86_400  # seconds: nobody is seen again while a test lasts


@pytest.fixture
def settings(settings: Config) -> Config:
    """As always, but that nobody is seen again."""
    return replace(settings, session_touch=SESSION_TOUCH)


@pytest.fixture
def site(web: Web) -> AttackedSite:
    """The site under attack."""
    return AttackedSite(web.app, web.member)


@pytest.fixture(scope="module")
def unchanged_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AttackedSite]:
    """A site under attack that tests share: each checks that nothing has changed."""
    with serving_alone(tmp_path_factory.mktemp("site"), session_touch=SESSION_TOUCH) as app:
        yield AttackedSite(app, partial(join, app))
