"""Fetching linked pages and their pictures: what is refused, bounded and followed."""

from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

import pytest
from PIL import Image

from tests.statuses.link_cards.conftest import CardScene
from tests.support.linked_site import content, page, png
from tests.support.webhook_receiver import drip, status
from webapp.core.media.storage import LINK_PICTURE_SIZE
from webapp.core.net import safe_http
from webapp.core.store import Site
from webapp.statuses.link_cards import fetching, keys
from webapp.statuses.link_cards.fetching import FetchFailed, fetch_card
from webapp.statuses.values.card import LinkCard

SPECIAL = ("127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1")


def fetch(scene: CardScene, path: str = "/", **settings: object) -> LinkCard | None:
    return fetch_card(Site(scene.db, replace(scene.config, **settings)), scene.site.url(path))


def allow_port(scene: CardScene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the port of the test's site among those of public web servers."""
    monkeypatch.setattr(fetching, "PORTS", (urlsplit(scene.site.url("/")).port,))


@pytest.mark.parametrize("address", SPECIAL)
def test_addresses_that_are_not_public_are_refused(
    scene: CardScene, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_port(scene, monkeypatch)
    scene.site.pages = {"/": page()}
    scene.site.hosts = {"reeds.net": address}
    assert fetch(scene, link_cards="on") is None
    assert not scene.site.paths


def test_only_ports_of_web_servers_are_asked(
    scene: CardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safe_http, "is_public", lambda address: True)
    scene.site.pages = {"/": page("Console of another service")}
    assert fetch(scene, link_cards="on") is None and not scene.site.paths
    allow_port(scene, monkeypatch)
    assert fetch(scene, link_cards="on") is not None


def test_each_redirect_is_checked_again(scene: CardScene, monkeypatch: pytest.MonkeyPatch) -> None:
    allow_port(scene, monkeypatch)
    checked: list[str] = []

    def is_public(address: str) -> bool:
        checked.append(address)
        return address == "127.0.0.1"  # as if this were a public address

    monkeypatch.setattr(safe_http, "is_public", is_public)
    scene.site.hosts = {"inside.net": "127.0.0.2"}
    inside = scene.site.url("/secret", host="inside.net")
    scene.site.pages = {"/": status(302, Location=inside), "/secret": page("Secret")}
    assert fetch(scene, link_cards="on") is None
    assert scene.site.paths == ["/"] and checked == ["127.0.0.1", "127.0.0.2"]
    scene.site.pages = {"/": page("Reeds", picture=inside), "/secret": content(png(), "image/png")}
    card = fetch(scene, link_cards="on")
    assert card and card.picture == "" and "/secret" not in scene.site.paths


@pytest.mark.parametrize(
    "location",
    ["ftp://reeds.net/", "file:///etc/passwd", "http://user:word@reeds.net/", "javascript:1",
     "http://[broken", "gopher://127.0.0.1:6379/_FLUSHALL", "http://reeds.net/ x",
     "data:text/html,x"],
)  # fmt: skip
def test_redirects_lead_to_plain_web_addresses_only(scene: CardScene, location: str) -> None:
    scene.site.pages = {"/": status(302, Location=location)}
    assert fetch(scene) is None
    assert scene.site.paths == ["/"]


def test_a_few_redirects_are_followed(scene: CardScene) -> None:
    scene.site.pages = {
        **{f"/{n}": status(301 + n % 2, Location=f"/{n - 1}") for n in range(1, 6)},
        "/0": page("Found", picture="p.png"),
        "/p.png": content(png(), "image/png"),
    }
    card = fetch(scene, "/3")
    assert card and card.title == "Found" and card.picture
    assert card.url == scene.site.url("/3")  # where the author's link leads
    with pytest.raises(FetchFailed, match="redirects"):
        fetch(scene, "/4")


@pytest.mark.parametrize("code", [200, 204, 301, 401, 403, 404, 410])
def test_answers_without_a_page_have_no_card(scene: CardScene, code: int) -> None:
    scene.site.pages = {"/": status(code)}
    assert fetch(scene) is None


@pytest.mark.parametrize("code", [429, 500, 502, 503])
def test_answers_that_may_change_are_worth_another_try(scene: CardScene, code: int) -> None:
    scene.site.pages = {"/": status(code)}
    with pytest.raises(FetchFailed):
        fetch(scene)


def test_a_host_without_address_is_worth_another_try(scene: CardScene) -> None:
    scene.site.pages, scene.site.hosts = {"/": page("Reeds")}, {"reeds.net": ""}
    with pytest.raises(FetchFailed, match="no_host"):
        fetch(scene)
    status_id = scene.post(f"see {scene.site.url()}")
    scene.make()
    assert scene.waiting == [status_id] and not scene.site.paths
    scene.site.hosts = {}
    scene.db.run(("HSET", keys.linked_page(scene.site.url()), "until", 0))
    scene.make_all_due()
    scene.make()
    assert scene.card(status_id) == LinkCard(scene.site.url(), "Reeds")


def test_an_endless_answer_is_cut_off(scene: CardScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "TIMEOUT_SECONDS", 0.2)
    scene.site.pages = {"/": drip}
    with pytest.raises(FetchFailed, match="late"):
        fetch(scene)


def test_no_request_begins_after_the_deadline(
    scene: CardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "TOTAL_SECONDS", -1.0)
    with pytest.raises(FetchFailed, match="late"):
        fetch(scene)
    assert not scene.site.paths


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "text/plain", ""])
def test_only_html_is_read(scene: CardScene, kind: str) -> None:
    scene.site.pages = {"/": content(b"<title>Reeds</title>", kind)}
    assert fetch(scene) is None


def test_compressed_answers_are_refused(scene: CardScene) -> None:
    scene.site.pages = {"/": content(b"<title>Reeds</title>", Content_Encoding="gzip")}
    with pytest.raises(FetchFailed):
        fetch(scene)


def test_a_page_is_read_until_its_head_ends_or_the_limit(scene: CardScene) -> None:
    written = 0

    def endless(handler: BaseHTTPRequestHandler) -> None:
        nonlocal written
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        handler.close_connection = True
        handler.wfile.write(head)
        try:
            while written < 50_000_000:
                written += handler.wfile.write(b"x" * 65_536)
        except OSError:
            pass

    head = b"<title>Reeds</title></HEAD>"
    scene.site.pages = {"/": endless}
    card = fetch(scene)
    assert card and card.title == "Reeds" and written < 20_000_000
    head, written = b"<title>Rushes</title>", 0
    card = fetch(scene)
    assert card and card.title == "Rushes" and written < 20_000_000


def test_the_picture_is_a_small_copy_of_our_own(scene: CardScene) -> None:
    scene.site.pages = {
        "/": page("Reeds", picture="/p"),
        "/p": content(png((2_000, 900)), "image/jpeg"),  # many servers say the wrong type
    }
    card = fetch(scene)
    assert card and card.picture.startswith("cards/")
    with Image.open(scene.config.media_path / f"{card.picture}.webp") as picture:
        assert (picture.format, picture.size) == ("WEBP", LINK_PICTURE_SIZE)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"\x89PNG\r\n\x1a\nbroken",
        png((8, 8)),
        png((9_000, 9_000), "1"),  # more pixels than are decoded
        png() + b"0" * fetching.PICTURE_MAX,
    ],
    ids=["empty", "svg", "broken", "small", "bomb", "large"],
)
def test_a_bad_picture_leaves_a_card_without_one(scene: CardScene, body: bytes) -> None:
    scene.site.pages = {"/": page("Reeds", picture="/p"), "/p": content(body, "image/png")}
    assert fetch(scene) == LinkCard(scene.site.url(), "Reeds")
    assert not (scene.config.media_path / "cards").exists()


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:image/png;base64,AAAA", "x:y"])
def test_a_picture_of_another_scheme_is_left_out(scene: CardScene, address: str) -> None:
    scene.site.pages = {"/": page("Reeds", picture=address)}
    assert fetch(scene) == LinkCard(scene.site.url(), "Reeds")
