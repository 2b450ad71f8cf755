"""The pages of bookmark folders without scripts: forms, refusals, and what others see of them."""

import re

from flask.testing import FlaskClient

from tests.support.pages import check_error, page_text, post_status, status_ids
from tests.support.world import Web


def test_a_member_sorts_a_post_into_folders_and_reads_renames_and_deletes_them(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ben, "ben sings")
    path = f"/@ben/{status_id}/folders"
    assert path in ann.get(f"/@ben/{status_id}/menu").text
    sent = ann.post(path, data={"name": "  Garden   birds ", "next": "/home"})
    assert (sent.status_code, sent.location) == (303, "/home")
    assert "Bookmark saved." in ann.get("/home").text
    ann.post(path, data={"shown": "1", "folders": "1", "name": "Songs"})
    expected = [("1", " checked"), ("2", " checked")]
    assert re.findall(r'name="folders" value="(\d)"( checked)?', ann.get(path).text) == expected
    page = ann.get("/bookmarks")
    assert page.headers["Cache-Control"] == "no-store"
    assert "Garden birds" in page.text and "Songs" in page.text
    for place in ("/bookmarks", "/bookmarks/folders/1", "/bookmarks/folders/2"):
        assert status_ids(ann.get(place)) == [status_id]
    renamed = ann.post("/bookmarks/folders/1/edit", data={"name": "Birds"})
    assert "<h1><bdi>Birds</bdi></h1>" in ann.get(renamed.location).text
    assert ann.post("/bookmarks/folders/1/delete").location == "/bookmarks"
    check_error(ann.get("/bookmarks/folders/1"), 404, "This folder doesn’t exist.")
    assert status_ids(ann.get("/bookmarks")) == [status_id]
    ann.post(f"/statuses/{status_id}/unbookmark")
    assert "This folder is empty" in ann.get("/bookmarks/folders/2").text


def test_refused_forms_come_back_as_they_were_left(ann: FlaskClient) -> None:
    path = f"/@ann/{post_status(ann, 'hello')}/folders"
    for name in ("Birds", "Soups"):
        ann.post(f"/@ann/{post_status(ann, name)}/folders", data={"name": name})
    taken = "You already have a folder with that name."
    for place, name, status, sentence in (
        ("/bookmarks/folders/1/edit", " ", 422, "Give the folder a name."),
        ("/bookmarks/folders/1/edit", "x" * 51, 422, "50"),
        ("/bookmarks/folders/1/edit", "Soups", 409, taken),
        (path, "Soups", 409, taken),
        (path, "x" * 51, 422, "50"),
    ):
        data = {"name": name, "shown": ["1", "2"], "folders": ["2"], "next": "/home"}
        page = ann.post(place, data=data)
        assert page.status_code == status and sentence in page_text(page), place
        assert f'value="{name}"' in page.text or not name.strip(), place
        if place == path:
            assert 'name="folders" value="2" checked' in page.text
            assert 'name="next" value="/home"' in page.text
    assert ann.get(path).text.count(" checked") == 0, "nothing was stored"
    gone = ann.post(path, data={"shown": "9", "folders": "9"})
    check_error(gone, 404, "This folder doesn’t exist.")
    assert len(status_ids(ann.get("/bookmarks"))) == 2
    assert ann.post(path, data={"shown": ["x", "1e3"], "folders": "x"}).status_code == 303
