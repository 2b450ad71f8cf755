"""A site whose data folder is removed stops, and acknowledges no further posts."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tests.conftest import long
from tests.server.test_supervisor import Site, alive, descendants, sign_up, start
from tests.support.processes import TOKEN, until
from webapp.server.embedded_store import AOF_FOLDER

__all__ = ["start"]
pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
Start = Callable[..., Site]


class Poster:
    """A member who posts through the form, and records acknowledged posts."""

    def __init__(self, site: Site) -> None:
        self._url = site.url
        self._browser = build_opener(HTTPCookieProcessor())
        sign_up(self._browser, site, "ann")
        with self._browser.open(f"{self._url}/statuses/new") as page:
            token = TOKEN.search(page.read().decode())
        assert token
        self._token = token[1]
        self.acknowledged: list[str] = []
        self.failures = 0

    def post(self) -> None:
        """Post once."""
        text = f"post {len(self.acknowledged)}"
        form = {"csrf_token": self._token, "text": text, "key": text.replace(" ", "-" * 8)}
        try:
            with self._browser.open(f"{self._url}/statuses", urlencode(form).encode()) as page:
                assert page.url == f"{self._url}/home"
            self.acknowledged.append(text)
        except (URLError, ConnectionError):
            self.failures += 1


@contextmanager
def posting(poster: Poster) -> Iterator[None]:
    """Let a member post while the block runs."""
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(0.01):
            poster.post()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        until(lambda: len(poster.acknowledged) >= 3)
        yield
        until(lambda: poster.failures >= 3)
    finally:
        stop.set()
        thread.join()


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
