"""The picture of a group, which everybody sees."""

import io
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.community.groups.reading import NEW
from tests.support.statuses.pictures import photo
from tests.support.world import Web
from webapp.community.groups import projections
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.web.context import site_of

SETTINGS = {"name": "Birders", "about": "", "rules": "", "voting": "up"}
PATH = "/groups/birders/settings"


@pytest.fixture
def owner(web: Web) -> FlaskClient:
    ann = web.member("ann")
    ann.post("/groups/new", data=NEW | {"kind": "closed"})
    return ann


def change(client: FlaskClient, content: bytes | None = None, **fields: str) -> int:
    """Send the settings with a picture, and return the status of the response."""
    form: dict[str, object] = {**SETTINGS, **fields}
    if content is not None:
        form["picture"] = (io.BytesIO(content), "hide.png")
    return client.post(PATH, data=form, content_type="multipart/form-data").status_code


def picture_on(page: str) -> str:
    found = re.search(r'src="(/media/groups/\d+/[0-9a-f]{32}-\d+\.webp)"', page)
    return found[1] if found else ""


def files(settings: Config) -> list[Path]:
    return list((settings.media_path / "groups/1").glob("*"))


def test_everybody_sees_the_picture_of_a_closed_group(owner: FlaskClient, web: Web) -> None:
    assert change(owner, photo()) == 303
    path = picture_on(web.client.get("/groups/birders/about").text)
    assert web.client.get(path).content_type == "image/webp"
    assert picture_on(web.client.get("/groups").text) == path
    assert len(files(web.config)) == 3
    assert change(owner, about="Nets on Sundays.") == 303
    assert picture_on(owner.get("/groups/birders").text) == path, "it stays"
    assert change(owner, remove_picture="y") == 303
    assert picture_on(owner.get("/groups/birders").text) == ""
    assert web.client.get(path).status_code == 404 and files(web.config) == []


def test_only_owners_change_it_and_only_for_a_picture(owner: FlaskClient, web: Web) -> None:
    assert change(web.member("ben"), photo()) == 403
    assert files(web.config) == []
    assert change(owner, b"no picture") == 422
    assert picture_on(owner.get("/groups/birders").text) == ""


def test_it_goes_when_the_group_is_closed(owner: FlaskClient, settings: Config) -> None:
    change(owner, photo())
    owner.post("/groups/birders/close", data={"confirmed": "Birders"})
    assert files(settings) == []


def test_it_stays_when_the_group_was_made_again(owner: FlaskClient, web: Web) -> None:
    change(owner, photo())
    site, fields = site_of(web.app), {"group": "1", "slug": "birders"}
    closed = Event("1-0", 1, "bulk", 1, "group_closed", "-", fields)  # before that
    projections.remove_pictures(Context(site.db, site.config, lambda: None), closed, "")
    assert len(files(web.config)) == 3


@pytest.mark.parametrize(
    "path", ["groups/1/x.webp", "groups/x/y.webp", "groups/1/..%2F1.webp", "groups/0/a-96.webp"]
)
def test_no_other_file_is_shown(web: Web, path: str) -> None:
    assert web.client.get(f"/media/{path}").status_code == 404
