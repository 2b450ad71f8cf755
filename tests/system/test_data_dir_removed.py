"""A site whose data folder is removed stops, and acknowledges no further posts."""

import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.request import build_opener

import pytest

from tests.conftest import long
from tests.support.posting import Poster, posting
from tests.support.processes import until
from tests.support.running_site import SupervisedSite, alive, descendants, start as start
from webapp.server.embedded_store import AOF_FOLDER

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
Start = Callable[..., SupervisedSite]


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def remove_aof(folder: Path) -> None:
    shutil.rmtree(folder / AOF_FOLDER)


def remove_files(folder: Path) -> None:
    for file in (folder / AOF_FOLDER).iterdir():
        file.unlink()


def remove_written_files(folder: Path) -> None:
    for file in (folder / AOF_FOLDER).glob("*.aof"):
        file.unlink()


def replace(folder: Path) -> None:
    folder.rename(folder.with_name("moved"))
    folder.mkdir()
    (folder / "lock").touch()
    (folder / AOF_FOLDER).mkdir()


@pytest.mark.parametrize(
    "change", [remove, *map(long, (remove_aof, remove_files, remove_written_files, replace))]
)
def test_no_post_is_acknowledged_after_the_site_has_lost_its_data_folder(
    start: Start, change: Callable[[Path], None]
) -> None:
    site = start(LIMIT_POST="100000/1")
    site.until_ready()
    processes = descendants(site.process.pid)
    poster = Poster(site)
    with posting(poster):
        change(site.folder)
        assert site.wait() == 1
        count = len(poster.acknowledged)
        until(lambda: not alive(processes))  # children of children end with their parents
    assert len(poster.acknowledged) <= count + 1  # one response may have been under way
    [line] = [line for line in site.messages.splitlines() if "data folder" in line]
    assert str(site.folder) in line and "backup" in line


@pytest.mark.long
def test_a_folder_that_is_moved_back_has_every_acknowledged_post(start: Start) -> None:
    site = start(LIMIT_POST="100000/1")
    site.until_ready()
    poster = Poster(site)
    moved = site.folder.with_name("moved")
    with posting(poster):
        site.folder.rename(moved)
        assert site.wait() == 1
    moved.rename(site.folder)
    site = start(PAGE_SIZE="1000")
    site.until_ready()
    with build_opener().open(f"{site.url}/@ann") as page:
        html = page.read().decode()
    assert not [text for text in poster.acknowledged if f"{text}<" not in html]
