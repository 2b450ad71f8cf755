"""Icons, the manifest, and what other sites show of a link."""

import re
from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest
from flask.testing import FlaskClient
from PIL import Image

from tests.support.chat_pages import png_file
from tests.support.page_parts import share_card
from tests.support.pages import post_status
from tests.support.world import Web
from webapp.core.settings.store import change


def test_icons_are_found_without_reading_a_page(web: Web) -> None:
    for path, kind in (("/favicon.ico", "ICO"), ("/apple-touch-icon.png", "PNG")):
        response = web.client.get(path, follow_redirects=True)
        assert response.status_code == 200 and "Set-Cookie" not in response.headers
        assert Image.open(BytesIO(response.data)).format == kind


def test_the_site_can_be_installed(web: Web) -> None:
    page = web.client.get("/").text
    [address] = re.findall(r'<link rel="manifest" href="([^"]+)"', page)
    manifest = web.client.get(address)
    assert manifest.mimetype == "application/manifest+json" and manifest.json
    assert web.client.get(manifest.json["start_url"]).status_code == 200
    for icon in manifest.json["icons"]:
        picture = Image.open(BytesIO(web.client.get(icon["src"]).data))
        assert icon["sizes"] == f"{picture.width}x{picture.height}"


@pytest.mark.parametrize(
    ("contact", "shown"),
    [
        ("ada@linnet.example", "mailto:ada@linnet.example"),
        ("a da%@linnet.example", ""),
        ("ada+50%@linnet.example", "mailto:ada+50%25@linnet.example"),
        ("https://linnet.example/report", "https://linnet.example/report"),
        ("http://linnet.example/report", ""),
        ("ask the owl", ""),
        ("", ""),
    ],
)
def test_a_finder_of_a_weakness_is_told_whom_to_write_to(
    web: Web, contact: str, shown: str
) -> None:
    db, live = web.db, web.app.extensions["linnet.settings"]
    change(db, live, {"contact_email": contact})
    answer = web.client.get("/.well-known/security.txt")
    if not shown:
        assert answer.status_code == 404
        return
    assert answer.content_type == "text/plain; charset=utf-8"
    assert "Set-Cookie" not in answer.headers and "public" in answer.headers["Cache-Control"]
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())
    expires = datetime.fromisoformat(fields.pop("Expires"))
    assert timedelta(170) < expires - datetime.now(UTC) < timedelta(365)
    assert fields == {
        "Contact": shown,
        "Preferred-Languages": "en, zh",
        "Canonical": "http://localhost/.well-known/security.txt",
    }


def test_a_link_shows_the_author_and_the_first_picture(ann: FlaskClient, web: Web) -> None:
    plain = share_card(web.client.get(f"/@ann/{post_status(ann, 'a <b>song</b>')}"))
    assert plain["og:title"] == "Ann (@ann)"
    assert plain["og:description"] == "a &lt;b&gt;song&lt;/b&gt;"
    assert plain["twitter:card"] == "summary_large_image"
    form = {"text": "look", "pictures": (png_file(), "a.png"), "alt": "a reed"}
    for warning, expected in (("", "summary_large_image"), ("spiders", "summary")):
        ann.post("/statuses", data={**form, "cw": warning, "pictures": (png_file(), "a.png")})
        [newest, *_] = re.findall(r'id="status-(\d+)"', ann.get("/home").text)
        address = f"/@ann/{newest}"
        card = share_card(web.client.get(address))
        assert card["twitter:card"] == expected
        assert card["og:description"] == (f"Warning: {warning}" if warning else "look")
        assert card["og:url"] == f"http://localhost{address}"
        picture = card["og:image"].removeprefix("http://localhost")
        assert web.client.get(picture).status_code == 200
        assert picture.startswith("/static/" if warning else "/media/")
        assert card.get("og:image:alt") == (None if warning else "a reed")


def test_profiles_and_the_first_page_have_cards(ann: FlaskClient, web: Web) -> None:
    ann.post("/settings/profile", data={"name": "Ann", "bio": "Reeds & rain"})
    assert share_card(web.client.get("/@ann"))["og:description"] == "Reeds &amp; rain"
    assert share_card(web.client.get("/"))["og:type"] == "website"


def test_posts_that_are_not_for_everybody_have_no_card(ann: FlaskClient) -> None:
    ann.post("/statuses", data={"text": "only mine", "visibility": "followers"})
    [newest] = re.findall(r'id="status-(\d+)"', ann.get("/home").text)
    assert share_card(ann.get(f"/@ann/{newest}")) == {}
