"""A site that tests of streams share."""

from collections.abc import Iterator

import pytest

from tests.support.processes import RunningSite


@pytest.fixture(scope="session")
def running_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """One store for all tests of streams in this process. `scene_on` empties it."""
    site = RunningSite(tmp_path_factory.mktemp("streams"))
    yield site
    site.close()
