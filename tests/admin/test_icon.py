"""/admin/icon: a picture becomes the icon wherever the site shows one, and can be undone."""

import io
import re

import pytest
from flask.testing import FlaskClient
from PIL import Image

from tests.support.pages import page_text, post_status
from tests.support.world import Web
from webapp.core.rendering.static import site_icons
from webapp.core.settings import store
from webapp.mail.letters import compose
from webapp.sharing import drawing

PATH = "/admin/icon"


def picture(colour: tuple[int, ...] = (200, 30, 90), side: int = 600) -> tuple[io.BytesIO, str]:
    """Return a file of one colour, RGB or RGBA."""
    content = io.BytesIO()
    Image.new("RGBA" if len(colour) == 4 else "RGB", (side, side), colour).save(content, "PNG")
    content.seek(0)
    return content, "icon.png"


def test_a_picture_becomes_the_icon_everywhere(web: Web, admin: FlaskClient) -> None:
    assert 'href="/static/favicon' in web.client.get("/").text
    assert admin.post(PATH, data={"picture": picture()}).status_code == 303
    config = web.app.extensions["linnet.settings"].current
    page = web.client.get("/").text
    assert "/static/favicon" not in page and 'class="brand-icon"' in page
    addresses = set(re.findall(r"/media/site/[0-9a-f]{32}-\d+\.png", page))
    found = {one.rpartition("-")[2] for one in addresses}
    assert found == {f"{n}.png" for n in (512, 192, 180, 48)}
    icons = web.client.get("/manifest.webmanifest").get_json()["icons"]
    assert [one["sizes"] for one in icons] == ["192x192", "512x512"]
    for address in (*addresses, *(one["src"] for one in icons)):
        answer = web.client.get(address)
        assert answer.mimetype == "image/png" and "immutable" in answer.headers["Cache-Control"]
        side = int(address.rpartition("-")[2].partition(".")[0])
        with Image.open(io.BytesIO(answer.data)) as stored:
            assert stored.size == (side, side) and stored.getpixel((5, 5))[:3] == (200, 30, 90)
    for path in ("/favicon.ico", "/apple-touch-icon.png"):
        assert web.client.get(path).location.startswith("/media/site/")
    assert site_icons.icon_path(config, 192) in web.client.get("/service-worker.js").text
    thumbnail = web.client.get("/api/v2/instance").get_json()["thumbnail"]["url"]
    assert thumbnail.endswith(site_icons.icon_path(config, 512))
    letter = compose(config, "login", {"code": "123456"}, "ada", "en")
    assert site_icons.icon_path(config, 48) in letter.html


def test_pictures_of_links_show_it(web: Web, admin: FlaskClient) -> None:
    status = post_status(admin, "a song")
    before = re.search(r'og:image" content="([^"]+)"', admin.get(f"/@ada/{status}").text)
    admin.post(PATH, data={"picture": picture()})
    after = re.search(r'og:image" content="([^"]+)"', admin.get(f"/@ada/{status}").text)
    assert before and after and before[1] != after[1]
    file = site_icons.icon_file(web.app.extensions["linnet.settings"].current)
    drawn = drawing.draw(drawing.Card("Ada", "ada", "a song", "Marsh", file))
    assert drawn != drawing.draw(drawing.Card("Ada", "ada", "a song", "Marsh"))


def test_it_is_undone_and_removed(web: Web, admin: FlaskClient) -> None:
    live = web.app.extensions["linnet.settings"]
    admin.post(PATH, data={"picture": picture()})
    first = live.current.icon
    admin.post(PATH, data={"picture": picture((0, 0, 0, 0))})
    assert live.current.icon != first
    with Image.open(web.config.media_path / f"site/{live.current.icon}-180.png") as apple:
        assert apple.mode == "RGB" and apple.getpixel((9, 9)) == (255, 255, 255)
    newest = web.db.read(store.history())[0]
    assert newest.name == "icon" and "Icon" in page_text(admin.get("/admin/settings"))
    assert admin.post("/admin/settings/undo", data={"id": newest.id}).status_code == 303
    assert live.current.icon == first
    assert admin.post(PATH, data={"remove_picture": "y"}).status_code == 303
    assert live.current.icon == "" and "/static/favicon" in admin.get(PATH).text


def test_what_is_no_picture_is_refused(admin: FlaskClient, web: Web) -> None:
    for data in ({}, {"picture": (io.BytesIO(b"no"), "x.png")}, {"picture": picture(side=8)}):
        answer = admin.post(PATH, data=data)
        assert answer.status_code == 422 and 'aria-invalid="true"' in answer.text
    assert not (web.config.media_path / "site").exists()
    for name in ("x", "../1/x.png", f"{'a' * 32}-192.png", f"{'a' * 32}-64.png"):
        assert admin.get(f"/media/site/{name}").status_code == 404
    for bad in ("x", "../../etc", "A" * 32):
        answer = admin.post("/admin/settings", data={"icon": bad})
        assert answer.status_code == 422


def test_only_the_newest_icons_are_kept(
    web: Web, admin: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_icons, "KEPT_MAX", 2)
    for shade in (1, 2, 3):
        admin.post(PATH, data={"picture": picture((shade, 0, 0))})
    files = list((web.config.media_path / "site").iterdir())
    assert len(files) == 2 * len(site_icons.SIDES)
