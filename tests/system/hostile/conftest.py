"""The site that these tests attack."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.support.hostile.site import AttackedSite
from tests.support.pages import join, serving_alone
from tests.support.world import Web


@pytest.fixture
def site(web: Web) -> AttackedSite:
    """The site under attack."""
    return AttackedSite(web.app, web.member)


@pytest.fixture(scope="module")
def unchanged_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AttackedSite]:
    """A site under attack that tests share: each checks that nothing has changed."""
    with serving_alone(tmp_path_factory.mktemp("site")) as app:
        yield AttackedSite(app, partial(join, app))
