"""Lighthouse finds nothing to mend on what visitors and search engines see."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from bench.showcase import lighthouse
from tests.e2e.conftest import OpenPage, join, write


@pytest.mark.skipif(
    not lighthouse.available(), reason="Lighthouse needs `make tools`, node and a browser"
)
def test_what_everybody_sees_is_accessible_well_made_and_found(
    site: str, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page()
    join(page, "wren")
    write(page, "a song #reeds")
    page.goto("/settings/profile")
    for kind, size in (("avatar", (400, 400)), ("header", (1500, 500))):
        file = tmp_path / f"{kind}.png"
        Image.new("RGB", size, "#0c6a62").save(file)
        page.locator(f"[name={kind}]").set_input_files(file)
    page.get_by_role("button", name="Save").click()
    status = page.locator(".status-time").get_attribute("href")
    paths = ["/public", "/@wren", str(status)]
    with ThreadPoolExecutor(
        len(paths)
    ) as pool:  # most of its time Lighthouse waits; none of this is about speed
        found = list(
            pool.map(lambda path: lighthouse.scores(f"{site}{path}", lighthouse.ALWAYS), paths)
        )
    assert dict(zip(paths, found, strict=True)) == dict.fromkeys(
        paths, (dict.fromkeys(lighthouse.ALWAYS, 100), [])
    )
