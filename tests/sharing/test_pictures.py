"""The drawn pictures of links: what is on them, who gets them, and which are kept."""

import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from PIL import Image, ImageChops

from tests.support.chat_pages import png_file
from tests.support.concurrently import concurrently
from tests.support.page_parts import share_card
from tests.support.pages import join, post_status, serving, status_ids
from tests.support.world import Web
from webapp.accounts import lifecycle
from webapp.accounts.store import get_by_login
from webapp.config import Config, Rate
from webapp.registry import REGISTRY
from webapp.sharing import drawing, fonts, pictures, typesetting
from webapp.sharing.drawing import Card
from webapp.statuses import store as statuses

SIZES, WIDTH, HEIGHT = (60, 30), 600, 200


def picture(content: bytes) -> Image.Image:
    """Return a drawn picture, as other sites would read it."""
    drawn = Image.open(BytesIO(content))
    assert (drawn.format, drawn.size) == ("PNG", (1200, 630))
    return drawn.convert("RGB")


def inked(content: bytes, box: tuple[int, int, int, int]) -> bool:
    """Return True if something is drawn within a box."""
    part = picture(content).crop(box)
    plain = Image.new("RGB", part.size, drawing.CANVAS)
    # Few colours are kept of a picture, so plain places may differ a little.
    difference = ImageChops.difference(part, plain).convert("L")
    return difference.point(lambda value: 255 if value > 40 else 0).getbbox() is not None


TEXT_BOX = (60, 210, 1200, 500)


@pytest.fixture
def without_system_fonts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Draw as on a machine without any font."""
    caches = (fonts._fonts, fonts._font_of, fonts._first_found, fonts._advance)
    for name in ("CHINESE_FONTS", "LATIN_FONTS"):
        monkeypatch.setattr(fonts, name, ())
    for cache in caches:
        cache.cache_clear()
    yield
    monkeypatch.undo()
    for cache in caches:
        cache.cache_clear()


def test_a_picture_shows_the_author_and_the_text() -> None:
    content = drawing.draw(Card("Ann", "ann", "a song"))
    assert inked(content, (60, 70, 400, 200)) and inked(content, TEXT_BOX)
    assert not inked(content, (600, 210, 1200, 500)), "a short text"
    assert content != drawing.draw(Card("Ann", "ann", "another"))
    assert len(drawing.draw(Card("Ann", "ann", "word " * 200))) < 100_000


@pytest.mark.usefixtures("without_system_fonts")
def test_a_text_with_missing_letters_is_left_out_whole() -> None:
    assert inked(drawing.draw(Card("Ann", "ann", "a song")), TEXT_BOX)
    generic = drawing.draw(Card("Ann", "ann", ""))
    for text in ("一只鸟", "a song 鸟", "שלום", "สวัสดี"):
        assert drawing.draw(Card("Ann", "ann", text)) == generic
    assert drawing.draw(Card("Ann", "ann", "🐦‍⬛ 👍🏽")) == generic
    assert drawing.draw(Card("鸟", "ann", "a song")) != drawing.draw(Card("Ann", "ann", "a song"))


def test_chinese_is_drawn_where_a_font_has_it() -> None:
    if not fonts.can_draw("鸟"):
        pytest.skip("no font with Chinese")
    assert inked(drawing.draw(Card("李", "li", "一只鸟在唱歌。" * 30)), TEXT_BOX)


def test_emoji_and_invisible_characters_are_left_out(without_system_fonts: None) -> None:
    assert typesetting.drawable("a\u200b song 🐦‍⬛ \u202e!\t x\n\n\n y ") == "a song ! x\ny"
    assert typesetting.drawable("\0\x1b🐦") == ""


def test_lines_fit_and_nothing_is_lost() -> None:
    for text in ("word " * 40, "w" * 300, "a " + "w" * 100 + " b", "one\ntwo three"):
        lines = typesetting.wrap(text, 30, WIDTH)
        assert all(typesetting._width(line, 30) <= WIDTH for line in lines)
        assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_long_text_is_smaller_and_then_cut() -> None:
    assert typesetting.fit("short", SIZES, WIDTH, HEIGHT) == (60, ["short"])
    size, lines = typesetting.fit(("word " * 20).strip(), SIZES, WIDTH, HEIGHT)
    assert size == 30 and lines[-1].endswith("word")
    size, lines = typesetting.fit("word " * 300, SIZES, WIDTH, HEIGHT)
    assert size == 30 and lines[-1].endswith("…")
    assert len(lines) * typesetting.line_height(size) <= HEIGHT


def test_a_link_to_a_plain_post_shows_a_drawn_picture(ann: FlaskClient, web: Web) -> None:
    posted = post_status(ann, "a <b>song</b>")
    card = share_card(web.client.get(f"/@ann/{posted}"))
    assert card["twitter:card"] == "summary_large_image"
    assert (card["og:image:width"], card["og:image:height"]) == ("1200", "630")
    path = card["og:image"].removeprefix("http://localhost")
    response = web.client.get(path)
    assert picture(response.data) and response.mimetype == "image/png"
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "public" not in response.headers["Cache-Control"]
    assert "Set-Cookie" not in response.headers
    again = web.client.get(path, headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    ann.post(f"/@ann/{posted}/edit", data={"text": "another song", "version": "0"})
    changed = share_card(web.client.get(f"/@ann/{posted}"))["og:image"]
    assert changed.removeprefix("http://localhost") != path, "sites ask again after an edit"
    found = web.client.get(path).data
    assert found == web.client.get(changed.removeprefix("http://localhost")).data
    assert web.client.get(f"/@ANN/{posted}/card.png").location == f"/@ann/{posted}/card.png"
    assert web.client.get(f"/@ben/{posted}/card.png").status_code == 404


def test_posts_with_pictures_or_warnings_have_none(ann: FlaskClient, web: Web) -> None:
    ann.post("/statuses", data={"text": "look", "pictures": (png_file(), "a.png"), "alt": ""})
    ann.post("/statuses", data={"text": "boo", "cw": "spiders"})
    for posted in status_ids(ann.get("/home")):
        assert web.client.get(f"/@ann/{posted}/card.png").status_code == 404
        assert "card.png" not in web.client.get(f"/@ann/{posted}").text


def test_nobody_gets_the_picture_of_a_post_that_visitors_may_not_read(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    uid = get_by_login(db, "ann").uid
    path = f"/@ann/{post_status(ann, 'a song')}/card.png"
    assert web.client.get(path).status_code == 200
    for change in (lifecycle.protect, lifecycle.suspend):
        change(web, uid, True)
        assert web.client.get(path).status_code == ann.get(path).status_code == 404
        change(web, uid, False)
        assert web.client.get(path).status_code == 200
    statuses.delete(web, uid, int(path.split("/")[2]))
    assert web.client.get(path).status_code == 404


def kept_files(config: Config) -> list[Path]:
    folder = config.media_path / pictures.FOLDER
    return sorted(folder.iterdir()) if folder.exists() else []


def test_many_requests_draw_a_picture_once(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Card] = []

    def slow_draw(card: Card) -> bytes:
        drawn.append(card)
        time.sleep(0.05)
        return b"png"

    monkeypatch.setattr(pictures, "draw", slow_draw)
    card = Card("Ann", "ann", "a song")
    answers = concurrently(lambda _: pictures.draw_and_store(settings, card), 50)
    assert set(answers) == {b"png"}
    assert drawn == [card] and len(kept_files(settings)) == 1


def test_old_and_surplus_pictures_are_removed(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "FILES_MAX", 3)
    monkeypatch.setattr(pictures, "draw", lambda card: b"png")
    for number in range(5):
        pictures.draw_and_store(settings, Card("Ann", "ann", str(number)))
    files = kept_files(settings)
    assert len(files) == 3
    for file in files:
        os.utime(file, (0, time.time() - pictures.AGE_MAX_SECONDS - 60))
    pictures.draw_and_store(settings, Card("Ann", "ann", "the newest"))
    assert len(kept_files(settings)) == 1
    assert pictures.cached_picture(settings, Card("Ann", "ann", "the newest")) == b"png"


def test_the_worker_removes_old_pictures(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pictures.remove_old in REGISTRY.partition_jobs
    monkeypatch.setattr(pictures, "draw", lambda card: b"png")
    pictures.remove_old(web, 0)  # there is no folder yet
    for text in ("old", "new"):
        pictures.draw_and_store(web.config, Card("Ann", "ann", text))
    old, new = (
        web.config.media_path / pictures.file_name(Card("Ann", "ann", text))
        for text in ("old", "new")
    )
    os.utime(old, (0, time.time() - pictures.AGE_MAX_SECONDS - 60))
    pictures.remove_old(web, 1)
    assert len(kept_files(web.config)) == 2, "one partition does it for all"
    for _ in range(2):
        pictures.remove_old(web, 0)
        assert kept_files(web.config) == [new]


def test_a_full_disk_costs_nothing_but_time(
    settings: Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setattr(pictures, "draw", lambda card: b"png")
    config = replace(settings, media_dir=str(blocked))
    assert pictures.draw_and_store(config, Card("Ann", "ann", "a song")) == b"png"


def test_an_address_has_pictures_drawn_at_a_limited_rate(settings: Config) -> None:
    config = replace(settings, limit_card=Rate(2, 60))
    with serving(config) as app:
        ann, visitor = join(app, "ann"), app.test_client()
        paths = [f"/@ann/{post_status(ann, str(number))}/card.png" for number in range(3)]
        statuses = [visitor.get(path).status_code for path in paths]
        assert statuses == [200, 200, 429]
        assert visitor.get(paths[0]).status_code == 200, "kept ones are not counted"


def test_the_version_in_the_address_names_the_picture(ann: FlaskClient) -> None:
    page = ann.get(f"/@ann/{post_status(ann, 'a song')}").text
    [version] = re.findall(r"card\.png\?v=([0-9a-f]+)", page)
    ann.post("/settings/profile", data={"name": "Anna"})
    page = ann.get(f"/@ann/{status_ids(ann.get('/@ann'))[0]}").text
    assert re.findall(r"card\.png\?v=([0-9a-f]+)", page) != [version]
