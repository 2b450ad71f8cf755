"""Pictures on pages: posting, every page that shows them, refusals, and deletion."""

import re
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support import chat, worker
from tests.support.animations import BLUE, RED, animation, gif
from tests.support.feeds import ATOM
from tests.support.hostile.pages import PageReader
from tests.support.hostile.values import MARKUP
from tests.support.multipart import Field, multipart
from tests.support.pages import check_error, join, page_text, serving, status_ids
from tests.support.statuses.forms import composer_text
from tests.support.statuses.picture_pages import alt_fields, pictures_on, post
from tests.support.statuses.pictures import files, photo
from tests.support.world import Web, store_of
from webapp.config import Config, Rate
from webapp.core.media import decoding
from webapp.core.store import Db, Site
from webapp.statuses import keys as status_keys
from webapp.statuses.attachments import keys as attachment_keys

LONG = b"x" * (8 * 1024 * 1024 + 1)


def test_only_the_first_picture_of_the_first_posts_loads_at_once(ann: FlaskClient) -> None:
    def eager(path: str = "/public") -> list[str]:
        """Return the alternative texts of the pictures that load at once."""
        images = re.findall(r"<img[^>]+>", ann.get(path).text)
        posted = [one for one in images if "/media/posts/" in one]
        assert all(("lazy" in one) != ('fetchpriority="high"' in one) for one in posted)
        return [re.findall(r'alt="([^"]*)"', one)[0] for one in posted if "lazy" not in one]

    post(ann, (photo(), "a red sky"), (photo(), "a blue one"), text="oldest")
    assert eager() == ["a red sky"]
    post(ann, (photo(), "loading=&#34;lazy&#34;"), text="behind a warning", cw="birds")
    post(ann, (photo(), "a nest"), text="newer")
    assert eager() == ["a nest"] == eager("/@ann")
    for number in range(4):
        ann.post("/statuses", data={"text": f"words {number}"})
    assert eager() == []


def test_every_page_shows_the_pictures_of_a_status(ann: FlaskClient, web: Web) -> None:
    found = post(ann, (photo((900, 600)), "a red sky"), (photo(), ""), text="look").status_code
    assert found == 303
    number = status_ids(ann.get("/home"))[0]
    for reader in (ann, web.client):
        for path in (
            "/home",
            "/public",
            "/",
            "/@ann",
            f"/@ann/{number}",
            f"/statuses?ids={number}",
        ):
            page = reader.get(path, follow_redirects=True)
            if reader is web.client and path == "/home":
                continue
            (small, *size, alt), (second, *_, missing_alt) = pictures_on(page)
            seen = (size, alt, missing_alt)
            assert seen == ([900, 600], "a red sky", "Picture without a description"), path
            assert small.endswith("-640.webp")
            assert f'srcset="{small} 640w, ' in page.text
            assert 'loading="lazy"' in page.text
            full = small.replace("640.webp", "1280.webp")
            assert f'<a class="gallery-picture" href="{full}">' in page.text
            assert f'<a class="gallery-picture" href="{second}">' in page.text
            assert '<path fill="#bb4455" d="M2 1h1v1h-1z"/>' in page.text
    for path in (small, full, second):
        response = web.client.get(path)
        assert (response.status_code, response.mimetype) == (200, "image/webp")
        assert response.data[:4] == b"RIFF"
        assert {"private", "immutable"} <= set(response.headers["Cache-Control"].split(", "))


def test_a_picture_is_cropped_around_its_focus(ann: FlaskClient, web: Web) -> None:
    def send(text: str, *focuses: str) -> TestResponse:
        fields: list[Field] = [("text", text)]
        for focus in focuses:
            fields += [("pictures", photo()), ("alt", ""), ("focus", focus)]
        body, headers = multipart(fields)
        return ann.post("/statuses", data=body, headers=headers)

    for wrong in ("everything", "top top", "<b>", "11-0", "3-", "-3-4", "3-4 x", "٣-4"):
        refused = send("two", wrong)
        assert refused.status_code == 422
        assert "Not a valid choice." in page_text(refused)
    assert send("two", "left", "").status_code == 303
    page = web.client.get("/@ann").text
    assert page.count('class="gallery-picture gallery-picture-left"') == 1
    assert page.count('class="gallery-picture"') == 1
    assert send("point", "10-0", "3-7").status_code == 303
    page = web.client.get("/@ann").text
    assert 'class="gallery-picture focus-x10 focus-y0"' in page
    assert 'class="gallery-picture focus-x3 focus-y7"' in page
    for focus in ("bottom", "3-7"):
        again = send("x" * 300, focus)
        assert again.status_code == 422
        assert f'<option value="{focus}" selected>' in again.text


def test_a_status_may_have_pictures_without_text(ann: FlaskClient, web: Web) -> None:
    assert post(ann, (photo(), "")).status_code == 303
    number = status_ids(ann.get("/home"))[0]
    page = web.client.get(f"/@ann/{number}")
    assert "<title>Ann: “\u20681 picture\u2069” · Linnet</title>" in page.text
    assert "status-body" not in page.text
    feed = ElementTree.fromstring(web.client.get("/@ann/feed.atom").data)
    assert feed.findtext("a:entry/a:title", namespaces=ATOM) == "1 picture"
    check_empty = ann.post("/statuses", data={"text": " "})
    assert check_empty.status_code == 422
    assert "Write something first." in page_text(check_empty)


def test_a_feed_encloses_the_pictures(web: Web) -> None:
    post(web.member("ann"), (photo((900, 600)), 'a "red" <sky>'), (photo(), ""))
    links = ElementTree.fromstring(web.client.get("/@ann/feed.atom").data).findall(
        ".//a:link[@rel='enclosure']", ATOM
    )
    assert [link.get("title") for link in links] == ['a "red" <sky>', None]
    for link in links:
        assert link.get("type") == "image/webp"
        found = web.client.get(link.attrib["href"].removeprefix("http://localhost")).status_code
        assert found == 200


@pytest.mark.parametrize(("warning", "shown"), [("", 2), ("sky", 0)])
def test_a_chat_card_shows_pictures_unless_they_are_behind_a_warning(
    web: Web, warning: str, shown: int
) -> None:
    ann = web.member("ann")
    web.member("ben")
    post(ann, (photo((900, 600)), "a red sky"), (photo(), ""), cw=warning)
    number, cid = status_ids(ann.get("/home"))[0], chat.group(web, 1, [2])
    form = {"text": "see", "status": str(number), "key": "form-key-1"}
    ann.post(f"/chats/{cid}/messages", data=form)
    page = ann.get(f"/chats/{cid}")
    assert ("2 pictures" in page_text(page)) == (not shown)
    assert alt_texts_on_cards(page) == ["a red sky", "Picture without a description"][:shown]


def test_a_quote_shows_thumbnails(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    post(ann, (photo((900, 600)), "a red sky"))
    number = status_ids(ann.get("/home"))[0]
    ben.post("/statuses", data={"text": "look", "quote": str(number), "key": "form-key-1"})
    page = web.client.get("/@ben")
    assert alt_texts_on_cards(page) == ["a red sky"]
    thumbnail = re.search(r'<img\s[^>]*src="(/media/[^"]+)"[^>]*alt="a red sky"', page.text)
    assert thumbnail and web.client.get(thumbnail[1]).status_code == 200


def alt_texts_on_cards(page: TestResponse) -> list[str]:
    """Return the alternative texts of the thumbnails on all cards of a page."""
    groups = re.findall(r'<span class="post-card-pictures">(.*?)</span>', page.text, re.DOTALL)
    return [alt for group in groups for alt in re.findall(r'alt="([^"]*)"', group)]


def test_a_page_without_pictures_has_no_picture_markup(web: Web) -> None:
    web.member("ann").post("/statuses", data={"text": "words alone"})
    for path in ("/public", "/@ann"):
        assert "gallery-picture" not in web.client.get(path).text


def test_pictures_cost_no_trips(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "linnet")
    ann = web.member("ann")
    web.member("ben")
    ann.post("/@ben/follow")  # a home without follows shows what is popular
    post(ann, text="without")
    trips = []
    for _ in range(2):
        caplog.clear()
        pictures = pictures_on(ann.get("/home"))
        trips += re.findall(r"GET /home 200 .* trips=(\d+)", caplog.text)
        for _ in range(3):
            post(ann, (photo(), ""), (photo(), ""))
    assert len(pictures) == 6
    assert len(trips) == 2 and trips[0] == trips[1]


def test_markup_in_alt_texts_is_escaped(ann: FlaskClient, web: Web) -> None:
    alts = [*MARKUP, "\u202eturned", "two\nlines", "鳥 🐦"]
    for alt in alts:
        assert post(ann, (photo(), alt), text="look").status_code == 303
    shown = [" ".join(alt.replace("\u202e", "").split()) for alt in reversed(alts)]
    for path in ("/home", "/@ann", "/public"):
        response = ann.get(path)
        page = PageReader(response.text)
        assert not page.unsafe and not page.loose, path
        assert [picture[3] for picture in pictures_on(response)] == shown, path
    assert PageReader(web.client.get("/public").text).unsafe == []


# Refusals


def check_refused(app: Flask, answer: TestResponse, status: int, *sentences: str) -> None:
    """Check that the form came back with its text, and that nothing was posted or stored."""
    assert answer.status_code == status, answer.text
    assert composer_text(answer) == "my words"
    assert alt_fields(answer)[0] == "the first"
    for sentence in (*sentences, "Please choose them again."):
        assert sentence in page_text(answer)
    assert '<details class="composer-part attach" open' in answer.text
    config: Config = app.extensions["linnet.config"]
    db: Db = app.extensions["linnet.db"]
    assert not files(config)
    assert not db.run(("EXISTS", status_keys.profile_statuses(1), attachment_keys.uploads(1)))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"no picture", "We can’t read that picture."),
        (photo()[:40], "We can’t read that picture."),
        (photo(kind="BMP"), "We can’t read that picture."),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "We can’t read that picture."),
        (LONG, "That file is too big. Pictures can be up to 8 MB."),
        (gif(5_000), "That animation is too long or too large. Make it shorter or smaller."),
    ],
)
def test_an_unusable_file_is_refused_and_nothing_stored(
    web: Web, content: bytes, sentence: str
) -> None:
    fields = ((photo(), "the first"), (content, "the second"))
    check_refused(web.app, post(web.member("ann"), *fields, text="my words"), 422, sentence)


def test_too_many_pictures_are_refused_before_decoding(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(decoding, "_load")
    fields = [(photo(), "the first")] * 5
    check_refused(
        web.app,
        post(web.member("ann"), *fields, text="my words"),
        422,
        "A post has at most 4 pictures.",
    )


def test_too_long_texts_are_refused_before_decoding(
    ann: FlaskClient, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(decoding, "_load")
    message = "That’s 1501 characters. The limit is 1500."
    check_refused(
        web.app,
        post(ann, (photo(), "the first"), (photo(), "鳥" * 1501), text="my words"),
        422,
        message,
    )
    response = post(ann, (photo(), "x" * 1500), text="x" * 281)
    assert response.status_code == 422
    assert "1 character too long" in page_text(response)
    assert alt_fields(response)[0] == "x" * 1500


def test_the_picture_limits_are_settings(settings: Config) -> None:
    with serving(replace(settings, status_pictures_max=1, alt_max=3)) as app:
        ann = join(app, "ann")
        assert ann.get("/home").text.count('class="picture-file"') == 1
        assert "at most 1 picture." in page_text(post(ann, (photo(), ""), (photo(), "")))
        assert "The limit is 3" in page_text(post(ann, (photo(), "four")))
        assert post(ann, (photo(), "one")).status_code == 303


@pytest.mark.parametrize("limit", ["limit_pictures", "limit_post"])
def test_a_rate_limited_post_keeps_its_text_and_leaves_no_files(
    settings: Config, limit: str
) -> None:
    with serving(replace(settings, **{limit: Rate(1, 3600)})) as app:  # type: ignore[arg-type]
        ann = join(app, "ann")
        post(ann, (photo(), "one"), text="first")
        before = files(settings)
        response = post(ann, (photo(), "the first"), text="my words")
        assert response.status_code == 429 and int(response.headers["Retry-After"]) > 0
        assert composer_text(response) == "my words" and files(settings) == before
        assert not store_of(app).run(("EXISTS", attachment_keys.uploads(1)))
        words_alone = ann.post("/statuses", data={"text": "words go on"})
        assert words_alone.status_code == (303 if limit == "limit_pictures" else 429)


def test_a_form_key_posts_once_per_picture(ann: FlaskClient) -> None:
    for colour in ("red", "red", "blue"):
        assert post(ann, (photo(colour=colour), ""), key="the-same-form").status_code == 303
    assert len(status_ids(ann.get("/home"))) == 2


def test_alt_texts_stay_with_their_files(ann: FlaskClient) -> None:
    post(ann, (None, "of nothing"), (photo(), "of the second place"))
    assert [alt for *_, alt in pictures_on(ann.get("/home"))] == ["of the second place"]


# Deletion


def test_deleting_a_status_removes_its_files_immediately(settings: Config) -> None:
    with serving(replace(settings, inline_projections=False)) as app:
        ann = join(app, "ann")
        post(ann, (photo((900, 600)), ""))
        page = ann.get("/home")
        [(path, *_)] = pictures_on(page)
        assert ann.get(path).status_code == 200
        ann.post(f"/statuses/{status_ids(page)[0]}/delete")
        assert not files(settings)
        check_error(ann.get(path), 404)
        worker.drain(Site(app.extensions["linnet.db"], settings))


@pytest.mark.parametrize(
    "path", ["/media/posts/1/x", "/media/posts/1/..", f"/media/posts/0/{'0' * 32}-640.webp"]
)
def test_an_invalid_picture_address_is_not_found(web: Web, path: str) -> None:
    assert web.client.get(path).status_code == 404


def test_an_animated_picture_links_to_what_moves_and_shows_the_still_everywhere(web: Web) -> None:
    ann = web.member("ann")
    fields = ((animation(), 'a "light"'), (animation(colours=(BLUE, RED)), ""), (photo(), ""))
    assert post(ann, *fields, text="look").status_code == 303
    number = status_ids(ann.get("/home"))[0]
    page = web.client.get(f"/@ann/{number}")
    links = re.findall(r'<a\s+class="gallery-picture"\s+href="([^"]+)"([^>]*)>', page.text)
    expected = ["animated.webp", "animated.webp", "640.webp"]
    assert [path.rpartition("-")[2] for path, _ in links] == expected
    expected = ['data-play="Play GIF: a "light""', 'data-play="Play GIF without a description"', ""]
    assert [unescape(more).strip() for _, more in links] == expected
    assert page.text.count(">GIF</span>") == 2
    assert all(src.endswith("-640.webp") for src, *_ in pictures_on(page))
    moving = web.client.get(links[0][0])
    assert (moving.status_code, moving.mimetype) == (200, "image/webp")
    for path in ("/@ann/media", "/@ann/feed.atom", f"/@ann/{number}/embed", "/home"):
        shown = ann.get(path).text
        assert "-640.webp" in shown and not re.search(r'(src|image)="[^"]*animated', shown), path
    ann.post(f"/statuses/{number}/delete")
    assert web.client.get(links[0][0]).status_code == 404
