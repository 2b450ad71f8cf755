"""Posts on other sites and on paper: frames, data for search engines, pictures with words."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.conftest import long
from tests.e2e import measurements
from tests.e2e.conftest import OpenPage, add_pictures, open_part, sign_up, start_session

WORDS = "A reed bunting on a reed"


@pytest.fixture
def other_site() -> Iterator[tuple[str, list[str]]]:
    """Serve a page on another origin. Yield its address and a list of what its body holds."""
    content: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            page = f'<!doctype html><link rel="icon" href="data:,">{"".join(content)}'
            self.wfile.write(page.encode())

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://localhost:{server.server_port}/", content
    server.shutdown()
    server.server_close()


def post_picture(page: Page, tmp_path: Path, warning: str = "") -> str:
    """Post a picture with its words. Return the path of the post."""
    file = tmp_path / "reed.png"
    Image.new("RGB", (900, 600), "#0c6a62").save(file)
    page.goto("/home")
    page.get_by_label("What’s happening?").fill("look")
    add_pictures(page, file)
    page.get_by_label("Description of picture 1").fill(WORDS)
    if warning:
        open_part(page, "Add a warning")
        page.locator("[name=cw]").fill(warning)
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".gallery").first).to_be_attached()
    return str(page.locator(".status-time").first.get_attribute("href"))


def test_another_site_shows_a_post_in_a_frame(
    open_page: OpenPage,
    site: str,
    other_site: tuple[str, list[str]],
    tmp_path: Path,
    expected_errors: list[str],
) -> None:
    expected_errors.append("Blocked script execution")  # the test's own, in the sandbox
    address, content = other_site
    ann = sign_up(open_page(), "ann")
    path = post_picture(ann, tmp_path)
    reader = open_page()
    answer = reader.request.get("/oembed", params={"url": f"{site}{path}"}).json()
    content.append(answer["html"])
    reader.goto(address)
    frame = reader.frame_locator("iframe")
    expect(frame.locator(".status-body")).to_have_text("look")
    picture = frame.locator(".gallery img")
    expect(picture).to_be_visible()
    picture.evaluate("image => image.decode()")  # it has loaded
    with reader.expect_popup() as opened:
        frame.get_by_role("link", name="Read the conversation").click()
    expect(opened.value.get_by_role("heading", level=1)).to_have_text("Post")
    assert opened.value.url == f"{site}{path}"


def test_a_site_cannot_frame_other_pages(
    open_page: OpenPage, site: str, other_site: tuple[str, list[str]], expected_errors: list[str]
) -> None:
    expected_errors += ["frame-ancestors", "X-Frame-Options", "ERR_BLOCKED_BY_RESPONSE", "404"]
    address, content = other_site
    page = open_page()
    content.append(f'<iframe src="{site}/login"></iframe><iframe src="{site}/@ann/5/embed">')
    page.goto(address)
    gone = page.frame_locator("iframe >> nth=1")
    expect(gone.get_by_role("heading", level=1)).to_have_text("Post not available")
    expect(page.frame_locator("iframe >> nth=0").locator("form")).to_have_count(0)


@pytest.mark.long
@pytest.mark.parametrize("scheme", [long("light"), "dark"])
def test_frames_are_accessible_and_fit(
    open_page: OpenPage, tmp_path: Path, scheme: str, expected_errors: list[str]
) -> None:
    expected_errors.append("404")
    ann = sign_up(open_page(), "ann")
    path = post_picture(ann, tmp_path, "birds")
    page = open_page(color_scheme=scheme, reduced_motion="reduce")
    measurements.prepare(page)
    faults: list[measurements.Fault] = []
    for shown in (f"{path}/embed", "/@ann/5/embed", "/offline"):
        page.goto(shown)
        faults += measurements.movements(page, shown)
        faults += measurements.layout_faults(page, shown, 360)
    assert faults == []


@pytest.mark.long
def test_browsers_have_no_complaint_about_what_search_engines_read(open_page: OpenPage) -> None:
    ann = sign_up(open_page(), "ann", post="a song")
    path = str(ann.locator(".status-time").first.get_attribute("href"))
    visitor = open_page()  # it checks the console at the end
    for shown in (path, "/@ann"):
        visitor.goto(shown)
        assert visitor.locator('script[type="application/ld+json"]').count() == 1


def test_paper_has_pictures_and_their_words(open_page: OpenPage, tmp_path: Path) -> None:
    ann = start_session(open_page(), "ann")
    paths = [post_picture(ann, tmp_path, warning) for warning in ("", "birds")]
    for path in paths:
        ann.goto(path)
        words, picture = ann.locator(".picture-words"), ann.locator(".gallery img")
        expect(words).to_be_hidden()
        ann.emulate_media(media="print")
        expect(words).to_have_text(WORDS)
        expect(words).to_be_visible()
        expect(picture).to_be_visible()
        expect(ann.locator(".status-body")).to_be_visible()
        box, below = picture.bounding_box(), words.bounding_box()
        assert box and below and box["y"] + box["height"] <= below["y"] + 1
        for control in ("button", "form", "nav", "textarea", "select", ".icon-button"):
            assert ann.locator(f"{control}:visible").count() == 0, control
        ann.emulate_media(media="screen")
