"""A whole site that several tests use."""

from collections.abc import Iterator

import pytest

from tests.support.running_site import Sites, SupervisedSite


@pytest.fixture(scope="session")
def kept_sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    """Keep a site with one web process, whose webhooks reach this machine."""
    settings = {"WEB_WORKERS": "1", "WEBHOOK_PRIVATE": "yes"}  # by default, public addresses only
    sites = Sites(tmp_path_factory.mktemp("kept"), **settings)
    yield sites
    sites.end()


@pytest.fixture
def kept_site(kept_sites: Sites) -> SupervisedSite:
    """Return a site that responds, and does so after the test."""
    return kept_sites.ready()
