"""Public pages get the best scores of Lighthouse."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from bench.showcase import lighthouse
from tests.e2e.conftest import OpenPage, sign_up, write_post


@pytest.mark.skipif(
    not lighthouse.available(), reason="Lighthouse needs `make tools`, node and a browser"
)
@pytest.mark.long
def test_public_pages_pass_lighthouse(site: str, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    sign_up(page, "wren")
    write_post(page, "a song #reeds")
    page.goto("/settings/profile")
    for kind, size in (("avatar", (400, 400)), ("header", (1500, 500))):
        file = tmp_path / f"{kind}.png"
        Image.new("RGB", size, "#0c6a62").save(file)
        page.locator(f"[name={kind}]").set_input_files(file)
    page.get_by_role("button", name="Save").click()
    status = page.locator(".status-time").get_attribute("href")
    paths = ["/public", "/@wren", str(status)]
    # Lighthouse mostly waits. Speed is not among these scores.
    with ThreadPoolExecutor(len(paths)) as pool:
        scores = list(
            pool.map(lambda path: lighthouse.scores(f"{site}{path}", lighthouse.ALWAYS), paths)
        )
    best = (dict.fromkeys(lighthouse.ALWAYS, 100), [])
    assert dict(zip(paths, scores, strict=True)) == dict.fromkeys(paths, best)
