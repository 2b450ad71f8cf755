"""Make an archive and import a file in a browser, with and without scripts."""

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, sign_up
from tests.e2e.live import accessibility_problems
from webapp.archive.worker import DataTasks
from webapp.core.store import Site


@pytest.mark.parametrize("scripts", [True, long(False)], ids=["with scripts", "without scripts"])
def test_an_archive_is_made_and_a_file_imported(
    served: Flask, open_page: OpenPage, scripts: bool
) -> None:
    worker = DataTasks(Site(served.extensions["linnet.db"], served.extensions["linnet.config"]))
    page = sign_up(open_page(scripts), "ann", "/settings/data")
    page.get_by_role("button", name="Make an archive").click()
    expect(page.get_by_role("progressbar")).to_have_count(1)
    assert worker.run_due() == 1
    if not scripts:
        page.reload()
    with page.expect_download() as download:
        page.locator("#archive").get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "linnet-ann.zip"
    content = {"name": "x.csv", "mimeType": "text/csv", "buffer": b"nobody\n"}
    page.get_by_label("CSV file").set_input_files(content)  # type: ignore[arg-type]
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("progressbar")).to_have_count(1)
    assert worker.run_due() == 1
    if not scripts:
        page.reload()
    expect(page.get_by_text("1 line didn’t fit.")).to_be_visible()
    if scripts:
        assert not accessibility_problems(page)
