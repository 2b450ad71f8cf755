"""An open page shows the card of a link as soon as the worker has it."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.live import accessibility_problems
from tests.e2e.streaming.conftest import Visit
from tests.support import worker
from tests.support.linked_site import content, linked_site, page, png
from tests.support.settings import with_settings
from tests.support.streaming.client import Scene
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses
from webapp.statuses.link_cards.worker import LinkCardMaker

CALM = {"reduced_motion": "reduce"}  # colours are not measured in a transition
pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live site")]


def test_a_card_appears_on_open_pages(
    scene: Scene, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = scene.site
    with linked_site(monkeypatch) as linked:
        linked.pages = {
            "/": page("Reed warblers", "They sing by night.", "/p"),
            "/p": content(png(), "image/png"),
        }
        status_id = statuses.post(site, scene.ann, parse(f"see {linked.url()}"), "form-link")
        worker.drain(site)
        home = visit("/home", **CALM)
        own = visit(f"/@{scene.login('ann')}/{status_id}", uid=scene.ann, **CALM)
        profile = visit(f"/@{scene.login('ann')}", member=False, **CALM)
        pages = (home, own, profile)
        for reader in pages:
            expect(post(reader, status_id)).to_be_visible()
            expect(card_in(reader, status_id)).to_have_count(0)
        assert LinkCardMaker(with_settings(site, link_cards="private")).run_due() == 1
        worker.drain(site)
    for reader in pages:
        card = card_in(reader, status_id)
        expect(card).to_contain_text("Reed warblers")
        expect(card.locator("img")).to_have_js_property("naturalWidth", 400)
        expect(post(reader, status_id).locator(".status-edited")).to_have_count(0)
        assert not accessibility_problems(reader)
    home.goto(home.url.replace("/home", "/settings/appearance"))
    cards = home.get_by_role("group", name="Link cards")
    cards.get_by_role("button", name="Hide").click()
    home.goto(home.url.replace("/settings/appearance", "/home"))
    expect(post(home, status_id)).to_be_visible()
    expect(card_in(home, status_id)).to_be_hidden()


def post(reader: Page, status_id: int) -> Locator:
    return reader.locator(f"#status-{status_id}")


def card_in(reader: Page, status_id: int) -> Locator:
    return reader.locator(f"#status-{status_id} .page-card")
