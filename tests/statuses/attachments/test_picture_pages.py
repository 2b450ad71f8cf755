"""Posting pictures through the pages: what is taken, how it is shown wherever a status is, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.statuses.attachments.test_pictures import files, photo
from tests.statuses.test_views import kept
from tests.support import chat, worker
from tests.support.multipart import Field, multipart
from tests.system.test_hostile_input import MARKUP, Page
from tests.system.test_pages import check_error, join, serving, shown, words
from tests.timelines.test_feeds import ATOM
from webapp.config import Config, Rate
from webapp.core.media import images
from webapp.core.store.client import Db
from webapp.statuses import keys as status_keys
from webapp.statuses.attachments import keys as attachment_keys
from webapp.statuses.drafts import keys as draft_keys

Member = Callable[[str], FlaskClient]
SRC = re.compile(r'<img src="(/media/posts/[^"]+)"[^>]* width="(\d+)" height="(\d+)" alt="([^"]*)"')
LONG = b"x" * (8 * 1024 * 1024 + 1)


def post(
    client: FlaskClient, *pictures: tuple[bytes | None, str], path: str = "/statuses", **fields: str
) -> TestResponse:
    """Posts pictures, each a file's content and what it shows."""
    sent: list[Field] = [*{"text": "", **fields}.items()]
    for content, alt in pictures:
        sent += [("pictures", content), ("alt", alt)]
    body, headers = multipart(sent)
    return client.post(path, data=body, headers=headers)


def pictures(answer: TestResponse) -> list[tuple[str, int, int, str]]:
    """The pictures on a page: address, width, height and what they show."""
    return [
        (src, int(width), int(height), unescape(alt))
        for src, width, height, alt in SRC.findall(answer.text)
    ]


def alts(answer: TestResponse) -> list[str]:
    """What the form of a page has in its fields for what pictures show."""
    return [
        unescape(alt)
        for alt in re.findall(r'<textarea[^>]* name="alt"[^>]*>(.*?)</textarea>', answer.text)
    ]


def test_pictures_are_shown_wherever_their_status_is(client: FlaskClient, member: Member) -> None:
    ann = member("ann")
    assert (
        post(ann, (photo((900, 600)), "a red sky"), (photo(), ""), text="look").status_code == 303
    )
    number = shown(ann.get("/home"))[0]
    for reader in (ann, client):
        for path in (
            "/home",
            "/public",
            "/",
            "/@ann",
            f"/@ann/{number}",
            f"/statuses?ids={number}",
        ):
            page = reader.get(path, follow_redirects=True)
            if reader is client and path == "/home":
                continue
            (one, *size, alt), (other, *_, described) = pictures(page)
            assert (size, alt, described) == (
                [900, 600],
                "a red sky",
                "Picture without a description",
            ), path
            assert (
                one.endswith("-640.webp")
                and f'srcset="{one} 640w, ' in page.text
                and 'loading="lazy"' in page.text
            )
            full = one.replace("640.webp", "1280.webp")
            assert (
                f'<a class="shot" href="{full}">' in page.text
                and f'<a class="shot" href="{other}">' in page.text
            )
            assert '<path fill="#bb4455" d="M2 1h1v1h-1z"/>' in page.text
    for path in (one, full, other):
        answer = client.get(path)
        assert (answer.status_code, answer.mimetype) == (200, "image/webp") and answer.data[
            :4
        ] == b"RIFF"
        assert {"private", "immutable"} <= set(answer.headers["Cache-Control"].split(", "))


def test_a_picture_is_cropped_around_the_part_that_its_author_chose(
    client: FlaskClient, member: Member
) -> None:
    ann = member("ann")

    def send(text: str, *focuses: str) -> TestResponse:
        sent: list[Field] = [("text", text)]
        for focus in focuses:
            sent += [("pictures", photo()), ("alt", ""), ("focus", focus)]
        body, headers = multipart(sent)
        return ann.post("/statuses", data=body, headers=headers)

    for wrong in ("everything", "top top", "<b>"):
        refused = send("two", wrong)
        assert refused.status_code == 422 and "Not a valid choice." in words(refused)
    assert send("two", "left", "").status_code == 303
    page = client.get("/@ann").text
    assert page.count('class="shot shot-left"') == 1 and page.count('class="shot"') == 1
    again = send("x" * 300, "bottom")
    assert again.status_code == 422 and '<option value="bottom" selected>' in again.text


def test_pictures_need_no_words(client: FlaskClient, member: Member, app: Flask) -> None:
    ann = member("ann")
    assert post(ann, (photo(), "")).status_code == 303
    number = shown(ann.get("/home"))[0]
    page = client.get(f"/@ann/{number}")
    assert (
        "<title>Ann: “\u20681 picture\u2069” · Linnet</title>" in page.text
        and "status-body" not in page.text
    )
    feed = ElementTree.fromstring(client.get("/@ann/feed.atom").data)
    assert feed.findtext("a:entry/a:title", namespaces=ATOM) == "1 picture"
    check_empty = ann.post("/statuses", data={"text": " "})
    assert check_empty.status_code == 422 and "Write something first." in words(check_empty)


def test_a_feed_encloses_the_pictures(client: FlaskClient, member: Member) -> None:
    post(member("ann"), (photo((900, 600)), 'a "red" <sky>'), (photo(), ""))
    links = ElementTree.fromstring(client.get("/@ann/feed.atom").data).findall(
        ".//a:link[@rel='enclosure']", ATOM
    )
    assert [link.get("title") for link in links] == ['a "red" <sky>', None]
    for link in links:
        assert link.get("type") == "image/webp"
        assert client.get(link.attrib["href"].removeprefix("http://localhost")).status_code == 200


def test_a_card_in_a_chat_says_how_many_pictures_there_are(
    app: Flask, member: Member, settings: Config
) -> None:
    ann, db = member("ann"), app.extensions["linnet.db"]
    member("ben")
    post(ann, (photo(), ""), (photo(), ""))
    number, cid = shown(ann.get("/home"))[0], chat.group(db, settings, 1, [2])
    ann.post(
        f"/chats/{cid}/messages", data={"text": "see", "status": str(number), "key": "form-key-1"}
    )
    assert "2 pictures" in words(ann.get(f"/chats/{cid}"))


def test_a_page_without_pictures_has_nothing_of_them(member: Member, client: FlaskClient) -> None:
    member("ann").post("/statuses", data={"text": "words alone"})
    for path in ("/public", "/@ann"):
        assert "shot" not in client.get(path).text


def test_pictures_cost_no_trips(
    app: Flask, member: Member, caplog: pytest.LogCaptureFixture
) -> None:
    ann = member("ann")
    for _ in range(3):
        post(ann, (photo(), ""), (photo(), ""))
    caplog.clear()
    assert len(pictures(ann.get("/home"))) == 6
    assert "GET /home 200" in caplog.text and "trips=2" in caplog.text


@pytest.mark.parametrize("alt", [*MARKUP, "\u202eturned", "two\nlines", "鳥 🐦"])
def test_what_a_picture_shows_is_text_whatever_it_is(
    member: Member, client: FlaskClient, alt: str
) -> None:
    ann = member("ann")
    assert post(ann, (photo(), alt), text="look").status_code == 303
    for path in ("/home", "/@ann", "/public"):
        answer = ann.get(path)
        page = Page(answer.text)
        assert not page.unsafe and not page.loose, path
        assert pictures(answer)[0][3] == " ".join(alt.replace("\u202e", "").split())
    assert Page(client.get("/public").text).unsafe == []


# What is refused


def check_refused(app: Flask, answer: TestResponse, status: int, *sentences: str) -> None:
    """Fails unless the form came back with what was written, and nothing is posted or stays."""
    assert answer.status_code == status, answer.text
    assert kept(answer) == "my words" and alts(answer)[0] == "the first"
    for sentence in (*sentences, "Please choose them again."):
        assert sentence in words(answer)
    assert '<details class="place attach" open' in answer.text
    config: Config = app.extensions["linnet.config"]
    db: Db = app.extensions["linnet.db"]
    assert not files(config) and not db.run(
        ("EXISTS", status_keys.profile_statuses(1), attachment_keys.uploads(1))
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"no picture", "We can’t read that picture."),
        (photo()[:40], "We can’t read that picture."),
        (photo(kind="JPEG"), "That file claims to be PNG but is JPEG."),
        (photo((8, 8)), "That picture is too small"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "We can’t read that picture."),
        (LONG, "That file is too big. Pictures can be up to 8 MB."),
    ],
)
def test_a_file_that_is_no_picture_for_us_is_refused_in_words_and_none_is_kept(
    app: Flask, member: Member, content: bytes, sentence: str
) -> None:
    sent = ((photo(), "the first"), (content, "the second"))
    check_refused(app, post(member("ann"), *sent, text="my words"), 422, sentence)


def test_too_many_are_refused_before_any_is_decoded(
    app: Flask, member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(images, "_decode")
    sent = [(photo(), "the first")] * 5
    check_refused(
        app, post(member("ann"), *sent, text="my words"), 422, "A post has at most 4 pictures."
    )


def test_too_much_said_of_a_picture_or_in_the_text_is_refused_before_any_is_decoded(
    app: Flask, member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = member("ann")
    monkeypatch.delattr(images, "_decode")
    said = "That’s 1501 characters; the limit is 1500."
    check_refused(
        app, post(ann, (photo(), "the first"), (photo(), "鳥" * 1501), text="my words"), 422, said
    )
    answer = post(ann, (photo(), "x" * 1500), text="x" * 281)
    assert (
        answer.status_code == 422
        and "1 character too long" in words(answer)
        and alts(answer)[0] == "x" * 1500
    )


def test_the_settings_say_how_many_and_how_much(settings: Config) -> None:
    with serving(replace(settings, status_pictures_max=1, alt_max=3)) as app:
        ann = join(app, "ann")
        assert ann.get("/home").text.count('name="pictures"') == 1
        assert "at most 1 picture." in words(post(ann, (photo(), ""), (photo(), "")))
        assert "the limit is 3" in words(post(ann, (photo(), "four")))
        assert post(ann, (photo(), "one")).status_code == 303


def test_a_member_who_sends_pictures_too_often_is_told_so_and_keeps_the_words(
    settings: Config,
) -> None:
    with serving(replace(settings, limit_pictures=Rate(1, 3600))) as app:
        ann = join(app, "ann")
        post(ann, (photo(), "one"))
        before = files(settings)
        answer = post(ann, (photo(), "the first"), text="my words")
        assert answer.status_code == 429 and int(answer.headers["Retry-After"]) > 0
        assert kept(answer) == "my words" and files(settings) == before
        assert ann.post("/statuses", data={"text": "words go on"}).status_code == 303


def test_one_who_may_not_post_leaves_no_files(settings: Config) -> None:
    with serving(replace(settings, limit_post=Rate(1, 3600))) as app:
        ann = join(app, "ann")
        ann.post("/statuses", data={"text": "first"})
        answer = post(ann, (photo(), "the first"), text="my words")
        assert answer.status_code == 429 and kept(answer) == "my words"
        assert not files(settings) and not app.extensions["linnet.db"].run(
            ("EXISTS", attachment_keys.uploads(1))
        )


def test_another_picture_in_the_same_form_is_another_post_and_the_same_is_the_same(
    member: Member,
) -> None:
    ann = member("ann")
    for colour in ("red", "red", "blue"):
        assert post(ann, (photo(colour=colour), ""), key="the-same-form").status_code == 303
    assert len(shown(ann.get("/home"))) == 2


def test_a_file_beside_an_empty_place_keeps_its_words(member: Member) -> None:
    ann = member("ann")
    post(ann, (None, "of nothing"), (photo(), "of the second place"))
    assert [alt for *_, alt in pictures(ann.get("/home"))] == ["of the second place"]


# What goes


def test_a_deleted_status_takes_its_pictures_along_at_once(settings: Config) -> None:
    with serving(replace(settings, inline_projections=False)) as app:
        ann = join(app, "ann")
        post(ann, (photo((900, 600)), ""))
        page = ann.get("/home")
        [(path, *_)] = pictures(page)
        assert ann.get(path).status_code == 200
        ann.post(f"/statuses/{shown(page)[0]}/delete")
        assert not files(settings)
        check_error(ann.get(path), 404)
        worker.drain(app.extensions["linnet.db"], settings)


@pytest.mark.parametrize(
    "path", ["/media/posts/1/x", "/media/posts/1/..", f"/media/posts/0/{'0' * 32}-640.webp"]
)
def test_an_address_that_is_no_pictures_is_none(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


# Drafts


def test_a_draft_keeps_the_words_and_says_that_it_keeps_no_pictures(
    member: Member, settings: Config
) -> None:
    ann = member("ann")
    answer = post(ann, (photo(), "of it"), path="/drafts", text="my words")
    assert answer.status_code == 303
    page = ann.get("/drafts")
    assert "Draft saved without its pictures." in words(page) and "my words" in words(page)
    assert not files(settings)


def test_a_post_that_is_to_wait_is_refused_rather_than_loses_its_pictures(
    app: Flask, member: Member
) -> None:
    ann = member("ann")
    sent = {"path": "/drafts/schedule", "text": "my words", "at": "2026-12-24T18:30"}
    answer = post(ann, (photo(), "the first"), **sent)
    check_refused(app, answer, 422, "A scheduled post can’t have pictures.")
    assert 'value="2026-12-24T18:30"' in answer.text and not app.extensions["linnet.db"].run(
        ("EXISTS", draft_keys.drafts(1))
    )
