"""A site starts from a backup that the commands of docs/operations.md made."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.request import build_opener

import pytest

from tests.support.posting import Poster, posting
from tests.support.running_site import ROOT, SupervisedSite
from tests.support.running_site import start as start
from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.server import embedded_store
from webapp.statuses import keys as status_keys

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
Start = Callable[..., SupervisedSite]
PICTURE = "7/a.webp"


def backup_commands() -> str:
    """Return the shell commands in the section on backups."""
    section = (
        (ROOT / "docs/operations.md").read_text().split("\n## Data, and how to back it up\n")[1]
    )
    lines = re.findall(r"^    (.+)$", section.split("\n## ")[0], re.MULTILINE)
    assert lines
    return "\n".join(lines)


def page(site: SupervisedSite, path: str) -> str:
    with build_opener().open(site.url + path) as response:
        return response.read().decode()


def test_a_copy_made_as_the_document_says_has_every_write_before_it(tmp_path: Path) -> None:
    site = tmp_path / "var"
    site.mkdir()
    (site / "secret_key").write_text("secret")
    store = embedded_store.start(site)
    try:
        db = connect(Config(data_dir=site))
        keys = [status_keys.last_status_id(partition) for partition in range(10)]
        db.trip(*(("SET", key, "before") for key in keys))
        subprocess.run(["sh", "-e", "-c", backup_commands()], cwd=tmp_path, check=True)
        db.trip(*(("SET", key, "after") for key in keys))
        db.close()
    finally:
        embedded_store.stop(store)
    copy = tmp_path / "backup"
    assert (copy / "secret_key").read_text() == "secret"
    store = embedded_store.start(copy)
    try:
        db = connect(Config(data_dir=copy))
        assert db.trip(*(("GET", key) for key in keys)) == ["before"] * 10
        db.close()
    finally:
        embedded_store.stop(store)


@pytest.mark.long
def test_a_copy_made_as_the_document_says_while_members_post_starts_with_all_before_it(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "var").symlink_to("site")
    site = start(LIMIT_POST="100000/1")
    site.until_ready()
    poster = Poster(site)
    (site.folder / "media/7").mkdir(parents=True)
    (site.folder / "media" / PICTURE).write_bytes(b"of a test")
    with posting(poster):
        before = list(poster.acknowledged)
        subprocess.run(["sh", "-e", "-c", backup_commands()], cwd=tmp_path, check=True)
        site.process.terminate()
        assert site.wait() == 0
    copy = tmp_path / "backup"
    assert (copy / "media" / PICTURE).read_bytes() == b"of a test"
    assert (copy / "secret_key").read_text() == (site.folder / "secret_key").read_text()

    restored = SupervisedSite(copy, (site.port, site.stream_port), PAGE_SIZE="10000")
    try:
        restored.until_ready()
        html = page(restored, "/@ann")
    finally:
        restored.process.terminate()
        restored.wait()
    assert len(before) >= 3
    assert not [text for text in before if f"{text}<" not in html]
