"""A site starts from copies that were made while members post, with all that was acknowledged."""

from collections.abc import Callable
from pathlib import Path
from urllib.request import build_opener

import pytest

from tests.support.posting import Poster, posting
from tests.support.running_site import SupervisedSite, start as start
from webapp.admin.backups.backup import make_backup
from webapp.admin.backups.restore import restore
from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.server import embedded_store

pytestmark = [pytest.mark.kill, pytest.mark.long, pytest.mark.xdist_group("kill")]
Start = Callable[..., SupervisedSite]
COPIES = 20


def texts_in(folder: Path) -> set[str]:
    """Start the store of a data folder alone. Return the texts of all posts in it."""
    process = embedded_store.start(folder)
    try:
        db = connect(Config(data_dir=folder))
        names = {name for names in db.scan("status:*", 1_000) for name in names}
        texts = db.trip(*(("HGET", name, "text") for name in names))
        db.close()
    finally:
        embedded_store.stop(process)
    return set(texts)


def test_copies_made_while_members_post_have_every_acknowledged_post(
    start: Start, tmp_path: Path
) -> None:
    site = start(LIMIT_POST="100000/1")
    site.until_ready()
    poster = Poster(site)
    made = []
    with posting(poster):
        for _ in range(COPIES):
            before = list(poster.acknowledged)
            config = Config(data_dir=site.folder)
            made.append((make_backup(config, tmp_path / "backups", keep=COPIES).copy, before))
        site.process.terminate()
        assert site.wait() == 0
    for number, (copy, before) in enumerate(made):
        folder = tmp_path / str(number)
        restore(Config(data_dir=folder), copy.folder)
        assert len(before) >= 3 and set(before) <= texts_in(folder)

    assert (folder / "secret_key").read_text() == (site.folder / "secret_key").read_text()
    restored = SupervisedSite(folder, (site.port, site.stream_port), PAGE_SIZE="10000")
    try:
        restored.until_ready()
        with build_opener().open(f"{restored.url}/@ann") as page:
            html = page.read().decode()
    finally:
        restored.process.terminate()
        restored.wait()
    assert not [text for text in before if f"{text}<" not in html]
