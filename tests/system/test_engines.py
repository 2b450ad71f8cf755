"""Every page is answered on every engine that can be the store."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask

from tests.conftest import long, make_app
from tests.support import pagecache
from tests.support.crowded_site import CrowdedSite, crowd_site
from tests.support.engines import SELECTED, Engine
from tests.support.pages import join
from tests.support.schema import check_schema
from webapp.config import Config
from webapp.core.store import Db
from webapp.core.store.reads import parse_info

ENDLESS_ENDPOINTS = {"streams.serve"}
# On one server `test_trips.py` and `test_routes.py` read the same pages.
STORES = [long("one server"), pytest.param("cluster", marks=pytest.mark.cluster), "redis"]
pytestmark = pytest.mark.parametrize("config", STORES, indirect=True)


@pytest.fixture
def site(config: Config) -> Iterator[CrowdedSite]:
    """A site whose process caches no statuses, with content of every kind."""
    config = replace(config, page_size=5, merged_seconds=0, push_max_followers=3)
    app = make_app(config)
    yield crowd_site(app, config, lambda login: join(app, login))
    db: Db = app.extensions["linnet.db"]
    check_schema(db)
    db.close()


def paths_without_arguments(app: Flask) -> list[str]:
    """Return the pages that need nothing to show."""
    return [
        rule.rule
        for rule in app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and not rule.arguments
        if rule.endpoint not in ENDLESS_ENDPOINTS
    ]


def test_every_page_is_answered(site: CrowdedSite) -> None:
    """Read each page twice: rendered, then from the cache."""
    paths = [*site.public_paths, *site.member_paths, *paths_without_arguments(site.app)]
    failed = []
    for path in dict.fromkeys(paths):
        for _ in range(2):
            if pagecache.send_request(site.app, *path.split("?")).status >= 500:
                failed.append((path, "visitor"))
        if site.ann.get(path).status_code >= 500:
            failed.append((path, "member"))
    assert failed == []
    assert len(pagecache.stored_pages(site.db)) > 10


def test_the_store_is_of_the_engine_that_was_asked_for(
    db: Db, request: pytest.FixtureRequest
) -> None:
    expected = Engine.REDIS if request.node.callspec.params["config"] == "redis" else SELECTED
    for text in db.on_every_primary("INFO", "server"):
        assert ("valkey_version" in parse_info(text)) == (expected is Engine.VALKEY)
