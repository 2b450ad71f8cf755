"""A site starts from a copy that was made while members post, with all that was acknowledged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.request import build_opener

import pytest

from tests.support.posting import Poster, posting
from tests.support.running_site import SupervisedSite
from tests.support.running_site import start as start
from webapp.admin.backups.backup import make_backup
from webapp.admin.backups.copies import Copy
from webapp.admin.backups.restore import restore
from webapp.config import Config

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
Start = Callable[..., SupervisedSite]


def profile_in(copy: Copy, site: SupervisedSite, folder: Path) -> str:
    """Start the site on a restored copy, at the ports of `site`. Return the page of @ann."""
    restore(Config(data_dir=folder), copy.folder)
    assert (folder / "secret_key").read_text() == (site.folder / "secret_key").read_text()
    restored = SupervisedSite(folder, (site.port, site.stream_port), PAGE_SIZE="10000")
    try:
        restored.until_ready()
        with build_opener().open(f"{restored.url}/@ann") as page:
            html: str = page.read().decode()
            return html
    finally:
        restored.process.terminate()
        restored.wait()


@pytest.mark.parametrize("count", [1, pytest.param(20, marks=pytest.mark.long)])
def test_copies_made_while_members_post_have_every_acknowledged_post(
    start: Start, tmp_path: Path, count: int
) -> None:
    site = start(LIMIT_POST="100000/1")
    site.until_ready()
    poster = Poster(site)
    made = []
    with posting(poster):
        for _ in range(count):
            before = list(poster.acknowledged)
            config = Config(data_dir=site.folder)
            made.append((make_backup(config, tmp_path / "backups", keep=count).copy, before))
        site.process.terminate()
        assert site.wait() == 0
    for number, (copy, before) in enumerate(made):
        html = profile_in(copy, site, tmp_path / str(number))
        assert len(before) >= 3
        assert not [text for text in before if f"{text}<" not in html]
