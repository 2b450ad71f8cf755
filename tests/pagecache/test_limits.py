"""What the page cache leaves to the app: long requests, pages that are gone, a store that is down."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from flask import Flask

from tests.support.pagecache import ask, kept
from tests.support.processes import Site, until
from webapp import create_app
from webapp.core.store.client import Db
from webapp.core.web.view_options import public
from webapp.pagecache import decorators, variant
from webapp.pagecache import keys as page_keys


def test_long_requests_are_answered_and_not_remembered(app: Flask) -> None:
    variant._cache_key.cache_clear()
    long = "a" * variant.KEY_LENGTH_MAX
    for path, query, headers in (
        (f"/{long}", "", {}),
        ("/public", f"max_id={long}", {}),
        ("/public", "", {"Cookie": f"other={long}"}),
        ("/public", "", {"Accept-Language": long}),
    ):
        assert ask(app, path, query, headers=headers).status < 500
    assert variant._cache_key.cache_info().currsize == 0


def test_a_page_that_its_view_answers_with_no_more_is_not_shown_while_it_is_asked_again(
    app: Flask,
) -> None:
    there = [True]

    def view() -> tuple[str, int]:
        decorators.depends_on_members([])
        return ("<p>Sedge</p>", 200) if there else ("gone", 404)

    app.add_url_rule("/sedge", "sedge", public(decorators.cached()(view)))
    assert ask(app, "/sedge").status == 200
    there.clear()
    db: Db = app.extensions["linnet.db"]
    [found] = kept(db)  # whose time is over now
    db.run(("HSET", page_keys.cached_page("/sedge"), found.variant, b"1 " + found.page.to_bytes()))
    assert [ask(app, "/sedge").status for _ in range(3)] == [404] * 3


@pytest.mark.kill
@pytest.mark.xdist_group("streaming")
def test_while_the_store_is_down_pages_are_rendered_without_it_and_it_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site = Site(tmp_path)
    app = create_app(site.config)
    log = logging.getLogger("linnet")
    log.addHandler(caplog.handler)
    try:
        for times in (1, 2):
            until(lambda: "ETag" in ask(app, "/about/streaming").headers)
            assert ask(app, "/public").status == 200
            site.kill_store()
            for _ in range(5):
                assert [
                    ask(app, path).status for path in ("/about/streaming", "/public", "/robots.txt")
                ] == [
                    200,
                    503,
                    200,
                ]
                app.extensions["linnet.pages"]._renderer._down_until -= 60.0  # a minute later
            said = [
                record.getMessage()
                for record in caplog.records
                if "without the cache" in record.getMessage()
            ]
            assert len(said) == times
            site.start_store()
    finally:
        log.removeHandler(caplog.handler)
        app.extensions["linnet.db"].close()
        site.close()
