"""Descriptions of pictures, their focus and a post's place: what may be changed at any time."""

import re
from dataclasses import replace

import orjson
import pytest
from flask.testing import FlaskClient

from tests.support.pages import join, page_text, serving, status_ids
from tests.support.statuses.edits import version_bodies
from tests.support.statuses.forms import field_value
from tests.support.statuses.picture_pages import alt_fields, pictures_on, post
from tests.support.statuses.pictures import photo
from tests.support.world import Web
from webapp.config import Config
from webapp.core.store import Db
from webapp.statuses import store as statuses
from webapp.streaming import keys as stream_keys
from webapp.streaming.log.entries import parse_entries
from webapp.streaming.log.messages import Message
from webapp.streaming.translation.translate import translate


def post_pictures(author: FlaskClient, text: str = "") -> tuple[str, int]:
    """Post two pictures, one of them described. Return the path of the post and its id."""
    response = post(author, (photo(), "a red sky"), (photo((50, 90)), ""), text=text)
    assert response.status_code == 303
    number = status_ids(author.get("/home"))[0]
    return f"/@ann/{number}", int(number)


def changes(*alts: str, version: str = "0", **fields: str) -> dict[str, object]:
    return {"alt": list(alts), "focus": ["", "top"], "version": version, **fields}


def test_descriptions_change_everywhere_without_a_version(ann: FlaskClient, web: Web) -> None:
    path, number = post_pictures(ann, "look")
    for page in (path, "/@ann", "/public", "/@ann/media"):  # puts them into the page cache
        assert "a red sky" in web.client.get(page).text
    form = ann.get(f"{path}/edit")
    assert alt_fields(form) == ["a red sky", ""]
    assert len(re.findall(r'<img class="picture-stored"', form.text)) == 2
    saved = ann.post(f"{path}/edit", data=changes(" a red\nevening sky ", "a tree", text="look"))
    assert (saved.status_code, saved.location) == (303, path)
    for page in (path, "/@ann", "/public"):
        alts = [alt for _, _, _, alt in pictures_on(web.client.get(page))]
        assert alts == ["a red evening sky", "a tree"], page
    assert "a red evening sky" in web.client.get("/@ann/media").text
    status = web.status(number)
    assert [picture.focus for picture in status.pictures] == ["", "top"]
    assert (status.text, status.edited, status.revision) == ("look", None, "0.1")
    assert "status-edited" not in web.client.get(path).text
    assert version_bodies(web.client.get(f"{path}/history").text) == ["look"]


def test_descriptions_and_places_change_after_the_time_for_texts(settings: Config) -> None:
    with serving(replace(settings, edit_minutes=0)) as app:
        ann = join(app, "ann")
        path, number = post_pictures(ann)
        ann.post("/statuses", data={"text": "here", "cw": "mud", "place": "The pond"})
        ann.post("/statuses", data={"text": "nothing"})
        plain, placed, _ = status_ids(ann.get("/home"))
        assert ann.get(f"/@ann/{plain}/edit").status_code == 409
        assert f"/@ann/{plain}/edit" not in ann.get(f"/@ann/{plain}/menu").text
        assert "Edit descriptions" in page_text(ann.get(f"{path}/menu"))
        assert "Remove the place" in page_text(ann.get(f"/@ann/{placed}/menu"))

        form = ann.get(f"{path}/edit")
        assert (alt_fields(form), field_value(form, "keep_text")) == (["a red sky", ""], "1")
        assert 'name="text"' not in form.text
        late = ann.post(f"{path}/edit", data=changes("dusk", "a tree", text="new"))
        assert late.status_code == 409 and "too late to edit" in late.text
        assert alt_fields(late) == ["dusk", "a tree"], "what was written stays in the form"
        saved = ann.post(f"{path}/edit", data=changes("dusk", "a tree", keep_text="1"))
        assert saved.status_code == 303
        db: Db = app.extensions["linnet.db"]
        assert [one.alt for one in statuses.get(db, number).pictures] == ["dusk", "a tree"]
        assert statuses.get(db, number).text == ""

        assert "The pond" in page_text(ann.get(f"/@ann/{placed}"))
        form = {"keep_text": "1", "version": "0", "remove_place": "y"}
        assert ann.post(f"/@ann/{placed}/edit", data=form).status_code == 303
        status = statuses.get(db, int(placed))
        assert (status.place, status.text, status.cw) == (None, "here", "mud")
        assert "The pond" not in page_text(ann.get(f"/@ann/{placed}"))


def test_of_two_changes_of_descriptions_the_second_is_asked_again(ann: FlaskClient) -> None:
    path, _ = post_pictures(ann, "look")
    first, same = changes("dusk", "", text="look"), changes("dawn", "", text="look")
    assert ann.post(f"{path}/edit", data=first).status_code == 303
    assert ann.post(f"{path}/edit", data=first).status_code == 303, "sent twice, it is said once"
    refused = ann.post(f"{path}/edit", data=same)
    assert refused.status_code == 409
    assert (alt_fields(refused), field_value(refused, "version")) == (["dawn", ""], "0.1")
    assert pictures_on(ann.get(path))[0][3] == "dusk"
    # A new text on the same version leaves descriptions as they are, or is asked again too.
    stale = ann.post(f"{path}/edit", data=changes("a red sky", "", text="other"))
    assert stale.status_code == 409
    again = ann.post(f"{path}/edit", data=changes("dawn", "", version="0.1", text="other"))
    assert again.status_code == 303
    assert pictures_on(ann.get(path))[0][3] == "dawn"
    assert version_bodies(ann.get(f"{path}/history").text) == ["other", "look"]


@pytest.mark.parametrize(
    ("fields", "alts"),
    [
        ({"alt": ["x" * 1501, ""]}, ["a red sky", ""]),
        ({"focus": ["12-0", ""]}, ["a red sky", ""]),
        ({"alt": ["one"], "focus": [""]}, ["a red sky", ""]),
        ({"alt": ["one", "two", "three"], "focus": ["", "", ""]}, ["a red sky", ""]),
        ({"alt": ["<b>&", "two"], "focus": ["", ""]}, ["<b>&", "two"]),
    ],
)
def test_descriptions_that_do_not_fit_the_pictures_change_nothing(
    fields: dict[str, list[str]], alts: list[str], web: Web
) -> None:
    ann = web.member("ann")
    path, _ = post_pictures(ann, "look")
    form = {**changes("one", "two", text="look"), **fields}
    status = ann.post(f"{path}/edit", data=form).status_code
    assert status == (422 if "x" * 1501 in form["alt"] or "12-0" in form["focus"] else 303)
    found = [alt for _, _, _, alt in pictures_on(ann.get(path))]
    assert found == [alt or "Picture without a description" for alt in alts]


def test_only_the_author_describes_pictures(ann: FlaskClient, ben: FlaskClient) -> None:
    path, _ = post_pictures(ann, "look")
    assert ben.post(f"{path}/edit", data=changes("mine", "", text="look")).status_code == 403
    assert pictures_on(ann.get(path))[0][3] == "a red sky"


def test_a_post_of_pictures_alone_gets_a_warning(ann: FlaskClient) -> None:
    path, _ = post_pictures(ann)
    form = changes("a red sky", "", text="", cw="blood")
    assert ann.post(f"{path}/edit", data=form).status_code == 303
    assert "blood" in ann.get(path).text


def test_streams_and_the_search_learn_of_new_descriptions(ann: FlaskClient, web: Web) -> None:
    path, number = post_pictures(ann, "look")
    created = web.status(number).created.timestamp() * 1000
    ann.post(f"{path}/edit", data=changes("a wren at dusk", "", text="look"))
    entries = parse_entries(web.db.run(("XRANGE", stream_keys.event_log(), "-", "+")))
    (edited,) = [part for part in translate(web.db, entries, "") if part.kind == "edit"]
    assert isinstance(edited, Message)
    assert orjson.loads(edited.body)["edit"]["timestamp_ms"] == str(int(created))
    assert status_ids(ann.get("/search?q=wren")) == [number]


def test_the_history_says_what_else_was_changed_with_the_text_but_not_what_it_was(web: Web) -> None:
    ann = web.member("ann")
    path, _ = post_pictures(ann, "look")
    ann.post("/statuses", data={"text": "here", "place": "The pond"})
    placed = f"/@ann/{status_ids(ann.get('/home'))[0]}"
    ann.post(f"{path}/edit", data=changes("dusk", "a tree", text="look here"))
    page = web.client.get(f"{path}/history").text
    assert page.count("The descriptions of its pictures were changed.") == 1
    assert "red sky" not in page and "Its place was removed." not in page
    ann.post(f"{placed}/edit", data={"text": "there", "version": "0", "remove_place": "y"})
    page = web.client.get(f"{placed}/history").text
    assert page.count("Its place was removed.") == 1 and "The pond" not in page
    assert "descriptions" not in page


def test_the_menu_says_how_long_a_post_may_be_edited(settings: Config) -> None:
    for login, minutes, left in (("ann", 60, "60 minutes left"), ("ben", 300, "5 hours left")):
        with serving(replace(settings, edit_minutes=minutes)) as app:
            writer = join(app, login)
            writer.post("/statuses", data={"text": "hello"})
            menu = writer.get(f"/@{login}/{status_ids(writer.get('/home'))[0]}/menu")
            assert f"Edit · {left}" in page_text(menu)
