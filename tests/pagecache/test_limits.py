"""Requests that the page cache leaves to the app: long ones, missing pages, a lost store."""

import logging
from pathlib import Path

import pytest

from tests.support.pagecache import send_request, stored_pages
from tests.support.processes import RunningSite, until
from tests.support.world import Web
from webapp import create_app
from webapp.core.web import public
from webapp.pagecache import decorators, keys as page_keys, variant


def test_long_requests_are_answered_and_their_keys_not_cached(web: Web) -> None:
    variant._cache_key.cache_clear()
    long = "a" * variant.KEY_LENGTH_MAX
    for path, query, headers in (
        (f"/{long}", "", {}),
        ("/public", f"max_id={long}", {}),
        ("/public", "", {"Cookie": f"other={long}"}),
        ("/public", "", {"Accept-Language": long}),
    ):
        assert send_request(web.app, path, query, headers=headers).status < 500
    assert variant._cache_key.cache_info().currsize == 0


def test_a_stale_page_is_not_served_after_its_view_answers_not_found(web: Web) -> None:
    exists = [True]

    def view() -> tuple[str, int]:
        decorators.depends_on_members([])
        return ("<p>Sedge</p>", 200) if exists else ("gone", 404)

    web.app.add_url_rule("/sedge", "sedge", public(decorators.cached()(view)))
    assert send_request(web.app, "/sedge").status == 200
    exists.clear()
    [cached] = stored_pages(web.db)
    expired = b"1 " + cached.page.to_bytes()
    web.db.run(("HSET", page_keys.cached_page("/sedge"), cached.variant, expired))
    assert [send_request(web.app, "/sedge").status for _ in range(3)] == [404] * 3


@pytest.mark.kill
@pytest.mark.xdist_group("streaming")
def test_pages_are_rendered_without_the_store_and_the_outage_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site = RunningSite(tmp_path)
    app = create_app(site.config)
    log = logging.getLogger("linnet")
    log.addHandler(caplog.handler)
    try:
        for times in (1, 2):
            until(lambda: "ETag" in send_request(app, "/about/streaming").headers)
            assert send_request(app, "/public").status == 200
            site.kill_store()
            for _ in range(5):
                paths = ("/about/streaming", "/public", "/robots.txt")
                assert [send_request(app, path).status for path in paths] == [200, 503, 200]
                app.extensions["linnet.pages"]._renderer._down_until -= 60.0  # a minute later
            warnings = [
                record.getMessage()
                for record in caplog.records
                if "without the cache" in record.getMessage()
            ]
            assert len(warnings) == times
            site.start_store()
    finally:
        log.removeHandler(caplog.handler)
        app.extensions["linnet.db"].close()
        site.close()
