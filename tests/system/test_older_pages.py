"""Older pages of timelines and of members: cursors and store trips."""

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.pages import (
    check_error,
    join,
    listed_logins,
    older_link,
    page_text,
    post_status,
    serving,
    status_ids,
)
from webapp.config import Config
from webapp.core.store import Db, Site

BAD_CURSORS = (
    *("", "x", "-1", "0", "1e3", "1.0", "01", "+1"),
    *("%D9%A1", "%00", "%ff", "9" * 16, "9" * 5000),
)


@pytest.mark.parametrize("path", ["/home", "/public", "/@ann"])
def test_older_pages_of_a_timeline_repeat_and_skip_nothing_during_posts(
    settings: Config, path: str
) -> None:
    with serving(replace(settings, page_size=3)) as app:
        ann = join(app, "ann")
        ids = [post_status(ann, f"post {number}") for number in range(9)]
        pages = []
        link: str | None = path
        while link:
            response = ann.get(link)
            pages.append(status_ids(response))
            link = older_link(response)
            post_status(ann, f"meanwhile {len(pages)}")
        assert [len(page) for page in pages] == [3, 3, 3]
        assert [status_id for page in pages for status_id in page] == ids[::-1]
        assert "Back to newest" in page_text(response)
        assert "nothing older to show" in page_text(ann.get(f"{path}?max_id={ids[0]}"))


@pytest.mark.parametrize("kind", ["followers", "following"])
def test_older_pages_of_members_repeat_and_skip_nothing(settings: Config, kind: str) -> None:
    with serving(replace(settings, page_size=3)) as app:
        ann = join(app, "ann")
        others = {f"m{number}": join(app, f"m{number}") for number in range(8)}
        for login, other in others.items():
            if kind == "followers":
                response = other.post("/@ann/follow")
            else:
                response = ann.post(f"/@{login}/follow")
            assert response.status_code == 303
        logins = []
        link: str | None = f"/@ann/{kind}"
        while link:
            response = ann.get(link)
            logins += listed_logins(response)
            link = older_link(response)
        assert logins == list(others)[::-1]


@pytest.mark.parametrize(
    "path", ["/home", "/public", "/@ann", "/@ann/followers", "/@ann/following"]
)
def test_an_invalid_cursor_is_refused(ann: FlaskClient, path: str) -> None:
    for cursor in BAD_CURSORS:
        check_error(ann.get(f"{path}?max_id={cursor}"), 422, "That page doesn’t exist.")


def test_a_home_page_takes_two_trips(settings: Config) -> None:
    with serving(replace(settings, inline_projections=False)) as app:
        db: Db = app.extensions["linnet.db"]
        reader, *authors = (join(app, f"m{number}") for number in range(12))
        for number in range(1, 12):
            reader.post(f"/@m{number}/follow")
        worker.drain(Site(db, settings))
        for author in authors:
            for number in range(4):
                author.post("/statuses", data={"text": f"@m0 https://example.com #n{number}"})
        worker.drain(Site(db, settings))
        reader.get("/home")
        link: str | None = "/home"
        while link:
            before = db.trips
            response = reader.get(link)
            assert db.trips - before == 2
            assert len(status_ids(response)) in (30, 14)
            link = older_link(response)
