"""Pictures of drafts on pages: saving, the form of a draft, posting it, and who may open them."""

import io
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient
from PIL import Image
from werkzeug.test import TestResponse

from tests.support import worker
from tests.support.animations import animation
from tests.support.multipart import Field, multipart
from tests.support.pages import join, page_text, serving
from tests.support.statuses.forms import composer_text
from tests.support.statuses.picture_pages import alt_fields, pictures_on, post
from tests.support.statuses.pictures import files, photo
from tests.support.world import Web, World
from webapp.config import Config, Rate
from webapp.core.errors import Unavailable
from webapp.core.media import removal
from webapp.core.store import Db, Site
from webapp.statuses.attachments import staging
from webapp.statuses.drafts import store as drafts

KEY = "abcdefgh-1"
ADDRESS = re.compile(r'src="(/media/posts/[^"]+)"')


@dataclass
class Row:
    """A row of the form of a draft, as a browser sends it."""

    stored: str
    alt: str
    focus: str = ""
    content: bytes | None = None
    position: str = ""


def save(client: FlaskClient, *pictures: tuple[bytes | None, str], **fields: str) -> TestResponse:
    return post(client, *pictures, path="/drafts", key=KEY, **fields)


def rows_of(client: FlaskClient) -> list[Row]:
    """Return the rows of the form of the draft that have a picture."""
    page = client.get(f"/drafts/{KEY}")
    tokens = re.findall(r'name="stored" value="([^"]*)"', page.text)
    focuses = re.findall(r'<option value="(\w*)" selected>', page.text.partition("attach")[2])
    rows = zip(tokens, alt_fields(page), focuses, strict=False)
    return [Row(*row) for row in rows if row[0]]


def send(client: FlaskClient, path: str, *rows: Row, **fields: str) -> TestResponse:
    """Send the form of the draft."""
    parts: list[Field] = [("key", KEY), *{"text": "my words", **fields}.items()]
    for row in rows:
        parts += [("stored", row.stored), ("pictures", row.content), ("alt", row.alt)]
        parts += [("focus", row.focus), ("position", row.position)]
    body, headers = multipart(parts)
    return client.post(path, data=body, headers=headers)


def addresses(client: FlaskClient, path: str = f"/drafts/{KEY}") -> list[str]:
    return [unescape(address) for address in ADDRESS.findall(client.get(path).text)]


def alts(client: FlaskClient) -> list[str]:
    return [row.alt for row in rows_of(client)]


def pictures_stored(config: Config) -> int:
    return sum(name.endswith("-640.webp") for name in files(config))


def test_a_draft_shows_its_pictures_to_its_writer_alone(web: Web, ann: FlaskClient) -> None:
    ben, visitor = web.member("ben"), web.app.test_client()
    assert save(ann, (photo((900, 600)), "a red sky"), (photo(), "")).status_code == 303
    on_list = ann.get("/drafts")
    assert "Draft saved." in page_text(on_list) and "2 pictures" in page_text(on_list)
    assert alts(ann) == ["a red sky", ""]
    for path in ("/drafts", f"/drafts/{KEY}"):
        [first, second] = addresses(ann, path)
        for address in (first, second):
            assert "?signature=" in address
            assert ann.get(address).status_code == 200
            assert ben.get(address).status_code == visitor.get(address).status_code == 404
            assert ann.get(address.partition("?")[0]).status_code == 404


def test_a_draft_is_posted_with_its_pictures(ann: FlaskClient, web: Web) -> None:
    save(ann, (photo((900, 600)), "first"), (photo(), "second"), text="my words")
    rows = rows_of(ann)
    rows[0].alt, rows[1].focus = "a red sky", "top"
    new = Row("", "third", content=photo((90, 90)))
    for _ in range(2):  # a form that is sent twice posts once
        assert send(ann, "/statuses", *rows, new).status_code == 303
    page = ann.get("/@ann")
    assert [alt for *_, alt in pictures_on(page)] == ["a red sky", "second", "third"]
    assert page.text.count('class="gallery-picture gallery-picture-top"') == 1
    visitor = web.app.test_client()
    assert all(visitor.get(src).status_code == 200 for src, *_ in pictures_on(page))
    assert "No drafts yet" in page_text(ann.get("/drafts"))


def test_a_draft_is_posted_with_its_animation(
    ann: FlaskClient, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(ann, (animation(), "a light"), text="my words")
    [still] = addresses(ann)
    assert "-640.webp?signature=" in still
    assert send(ann, "/statuses", *rows_of(ann)).status_code == 303
    monkeypatch.setattr(removal, "IN_FLIGHT_SECONDS", 0)
    staging.remove_stale(web, 1)
    visitor = web.app.test_client()
    [moving] = re.findall(r'href="(/media/[^"]+-animated.webp)"', visitor.get("/@ann").text)
    assert Image.open(io.BytesIO(visitor.get(moving).data)).is_animated
    assert {path.rpartition("-")[2] for path in files(web.config)} == {"640.webp", "animated.webp"}


def test_rows_are_moved_removed_and_replaced_without_a_script(
    ann: FlaskClient, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(ann, *((photo(), alt) for alt in "abcd"))
    rows = rows_of(ann)
    assert [row.alt for row in rows] == list("abcd")
    rows[3].position = "2"
    send(ann, "/drafts", *rows)
    assert alts(ann) == list("adbc")
    rows = rows_of(ann)
    rows[0].position = "4"
    send(ann, "/drafts", *rows)
    assert alts(ann) == list("dbca")
    rows = rows_of(ann)
    rows[1].content, rows[1].alt = photo((50, 50)), "new"
    send(ann, "/drafts", *rows, removed=rows[0].stored)
    assert alts(ann) == ["new", "c", "a"]
    monkeypatch.setattr(removal, "IN_FLIGHT_SECONDS", 0)
    db: Db = ann.application.extensions["linnet.db"]
    staging.remove_stale(Site(db, settings), 1)
    assert pictures_stored(settings) == 3
    send(ann, "/drafts")
    assert alts(ann) == []
    staging.remove_stale(Site(db, settings), 1)
    assert not files(settings)


def test_a_scheduled_post_goes_out_with_its_pictures(ann: FlaskClient, web: Web) -> None:
    at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    fields = {"path": "/statuses", "key": KEY, "at": at}
    assert post(ann, (photo(), "a red sky"), **fields).status_code == 303
    assert "1 picture" in page_text(ann.get("/scheduled"))
    [address] = addresses(ann)
    draft = drafts.get(web.db, 1, KEY)
    drafts.save(web, 1, KEY, draft.fields, datetime.now(UTC), draft.pictures)
    web.do(worker.publish_due)
    [(src, *_, alt)] = pictures_on(ann.get("/@ann"))
    assert alt == "a red sky" and web.app.test_client().get(src).status_code == 200
    assert src not in address


def test_deleting_a_draft_deletes_its_files_immediately(ann: FlaskClient, settings: Config) -> None:
    save(ann, (photo((900, 600)), ""), (photo(), ""))
    assert files(settings)
    assert ann.post(f"/drafts/{KEY}/delete").status_code == 303
    assert not files(settings)


def test_the_pictures_of_a_suspended_members_drafts_are_not_served(
    ann: FlaskClient, web: Web
) -> None:
    save(ann, (photo(), ""))
    [address] = addresses(ann)
    web.do(World.suspend, 1)
    assert ann.get(address).status_code == 404


@pytest.mark.parametrize("path", ["/drafts", "/statuses"])
def test_a_picture_is_refused_that_the_draft_has_no_longer(
    ann: FlaskClient, settings: Config, path: str
) -> None:
    save(ann, (photo(), "first"), (photo(), "second"))
    rows = rows_of(ann)
    send(ann, "/drafts", rows[0])  # in another window
    stored = pictures_stored(settings)
    staging.remove_stale(Site(ann.application.extensions["linnet.db"], settings), 1)
    new = Row("", "third", content=photo())
    refused = send(ann, path, *rows, new)
    assert refused.status_code == 409
    assert "Some pictures are gone. Please choose them again." in page_text(refused)
    assert composer_text(refused) == "my words"
    assert alt_fields(refused)[:3] == ["first", "second", "third"]
    assert alts(ann) == ["first"] and pictures_stored(settings) == stored - 1


@pytest.mark.parametrize("path", ["/drafts", "/statuses"])
def test_values_that_were_not_made_for_the_member_are_refused(
    ann: FlaskClient, web: Web, path: str
) -> None:
    ben = web.member("ben")
    save(ann, (photo(), "first"))
    [row] = rows_of(ann)
    for client, token in ((ben, row.stored), (ann, row.stored[:-1]), (ann, "x"), (ann, "\ud83d")):
        refused = send(client, path, Row(token.encode("utf-8", "replace").decode(), "first"))
        assert refused.status_code == 422
        assert "Please choose them again." in page_text(refused)
        assert alt_fields(refused)[0] == "first"


def test_a_picture_is_posted_once_however_often_it_is_named(ann: FlaskClient) -> None:
    save(ann, (photo(), "first"))
    [row] = rows_of(ann)
    assert send(ann, "/statuses", row, row, row).status_code == 303
    assert len(pictures_on(ann.get("/@ann"))) == 1


@pytest.mark.parametrize(
    ("pictures", "sentence"),
    [
        ([(photo(), "")] * 5, "A post has at most 4 pictures."),
        ([(b"no picture", "")], "We can’t read that picture."),
        ([(photo(), "鳥" * 1501)], "The limit is 1500."),
        ([], "Write something first."),
    ],
)
def test_pictures_that_cannot_be_posted_are_not_saved(
    ann: FlaskClient, settings: Config, pictures: list[tuple[bytes, str]], sentence: str
) -> None:
    refused = save(ann, *pictures)
    assert refused.status_code == 422 and sentence in page_text(refused)
    assert not files(settings) and alts(ann) == []


def test_a_refused_form_still_has_the_pictures_of_its_draft(ann: FlaskClient) -> None:
    save(ann, (photo(), "first"))
    [row] = rows_of(ann)
    refused = send(ann, "/statuses", row, text="x" * 281)
    assert refused.status_code == 422
    [address] = [unescape(found) for found in ADDRESS.findall(refused.text)]
    assert ann.get(address).status_code == 200
    assert "Please choose them again." not in page_text(refused)


def test_limits_apply_to_new_pictures_of_drafts(settings: Config) -> None:
    with serving(replace(settings, limit_pictures=Rate(1, 3600), drafts_max=1)) as app:
        ann = join(app, "ann")
        save(ann, (photo(), "first"))
        rows, before = rows_of(ann), files(settings)
        assert send(ann, "/drafts", *rows).status_code == 303
        refused = send(ann, "/drafts", *rows, Row("", "second", content=photo()))
        assert refused.status_code == 429 and files(settings) == before
        full = post(ann, path="/drafts", text="one more", key="abcdefgh-2")
        assert full.status_code == 409 and files(settings) == before


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_form_that_comes_back_unsaved_has_its_pictures(
    ann: FlaskClient, monkeypatch: pytest.MonkeyPatch, is_saved: bool
) -> None:
    real = drafts.save

    def fail(*values: Any, **options: Any) -> bool:
        if is_saved:
            real(*values, **options)
        raise Unavailable("store_down")

    with monkeypatch.context() as patch:
        patch.setattr(drafts, "save", fail)
        refused = save(ann, (photo(), "a red sky"))
    tokens = re.findall(r'name="stored" value="([^"]+)"', refused.text)
    assert refused.status_code == 503 and len(tokens) == 1
    assert send(ann, "/drafts", Row(unescape(tokens[0]), "a red sky")).status_code == 303
    assert alts(ann) == ["a red sky"]


def described() -> bytes:
    """Return a picture that describes itself."""
    exif = Image.Exif()
    exif[0x010E] = "A fox looks at a hen"
    content = io.BytesIO()
    Image.new("RGB", (60, 40)).save(content, "JPEG", exif=exif)
    return content.getvalue()


def test_a_pictures_own_description_is_suggested_in_a_draft_and_never_published_unseen(
    ann: FlaskClient, web: Web
) -> None:
    body, headers = multipart([("picture", described())])
    answer = ann.post("/pictures/description", data=body, headers=headers)
    assert answer.json == {"description": "A fox looks at a hen"}
    assert ann.post("/pictures/description", data={}).json == {"description": ""}
    visitor = web.app.test_client().post("/pictures/description", data=body, headers=headers)
    assert visitor.status_code == 303
    post(ann, (described(), ""), path="/drafts", text="one", key=KEY)
    assert alt_fields(ann.get(f"/drafts/{KEY}")) == ["A fox looks at a hen", "", "", ""]
    post(ann, (described(), "my own"), path="/drafts", text="one", key=KEY)
    assert alt_fields(ann.get(f"/drafts/{KEY}"))[0] == "my own"
    at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    post(ann, (described(), ""), text="two", at=at, key="abcdefgh-2")
    assert alt_fields(ann.get("/drafts/abcdefgh-2"))[0] == ""
    post(ann, (described(), ""), text="three", key="abcdefgh-3")
    assert [alt for *_, alt in pictures_on(ann.get("/@ann"))] == ["Picture without a description"]
