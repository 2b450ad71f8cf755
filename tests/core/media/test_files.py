"""Files of the media folder: several are written together, whatever fails between them."""

import errno
import io
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image

from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.media import files, removal, storage as media
from webapp.core.store import Site, partition_of
from webapp.statuses.attachments import staging

STEM = "a" * 32
DIES_AT_THE_SECOND = """
import os, signal, sys
from pathlib import Path
from webapp.core.media import files

step, calls = sys.argv[2], []
original = getattr(os, step)

def die(*args):
    calls.append(args)
    if len(calls) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return original(*args)

setattr(os, step, die)
stem = "a" * 32
contents = {f"posts/7/{stem}-{side}.webp": b"RIFF" for side in (640, 1280)}
files.write(Path(sys.argv[1]), contents)
"""


def stored(folder: Path) -> list[str]:
    """Return the paths of all files below a folder, and of what is left in its `tmp`."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() or path.parent.name == "tmp"
    )


@contextmanager
def disk_without_room(room: int) -> Iterator[None]:
    """Let no file grow beyond `room` bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("sizes", [(500, 5_000), (5_000, 500), (500, 500, 5_000)])
def test_files_that_do_not_fit_on_the_disk_leave_nothing(
    tmp_path: Path, sizes: tuple[int, ...]
) -> None:
    contents = {f"7/{number}.webp": bytes(size) for number, size in enumerate(sizes)}
    with disk_without_room(1_000), pytest.raises(Unavailable):
        files.write(tmp_path, contents)
    assert stored(tmp_path) == []
    files.write(tmp_path, contents)
    assert stored(tmp_path) == sorted(contents)


def test_a_picture_of_a_post_that_does_not_fit_leaves_none_of_its_sizes(settings: Config) -> None:
    picture = io.BytesIO()
    Image.effect_noise((1_500, 1_000), 90).save(picture, "JPEG")
    name = f"posts/7/{STEM}"
    with disk_without_room(150_000), pytest.raises(Unavailable):
        media.save_in_status(settings, name, picture)
    assert stored(settings.media_path) == []
    media.save_in_status(settings, name, picture)
    sizes = {
        path: (settings.media_path / path).stat().st_size for path in stored(settings.media_path)
    }
    assert sorted(sizes) == [f"{name}-1280.webp", f"{name}-2048.webp", f"{name}-640.webp"]
    assert sizes[f"{name}-640.webp"] < 150_000 < sizes[f"{name}-2048.webp"]


def test_a_file_that_cannot_be_moved_takes_back_the_new_ones_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(tmp_path, {"7/old.webp": b"old"})
    replace = os.replace

    def full(source: Path, target: Path) -> None:
        if target.name == "last.webp":
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(Unavailable):
        files.write(tmp_path, {"7/old.webp": b"old", "7/new.webp": b"new", "7/last.webp": b"last"})
    assert stored(tmp_path) == ["7/old.webp"]


@pytest.mark.parametrize(
    ("step", "left"), [("fsync", []), ("replace", [f"posts/7/{STEM}-640.webp"])]
)
def test_what_a_killed_process_was_writing_is_removed_by_the_periodic_jobs(
    step: str, left: list[str], site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    partition, folder = partition_of(7), site.config.media_path
    site.db.run(staging.STAGE(partition=7, names=[f"posts/7/{STEM}"]))
    arguments = [sys.executable, "-c", DIES_AT_THE_SECOND, str(folder), step]
    assert subprocess.run(arguments, check=False).returncode == -9
    for number in range(3):
        staging.remove_stale(site, partition)
        removal.remove_interrupted(site, 0)
        if number == 0:  # others may still be writing
            assert [path for path in stored(folder) if not path.startswith("tmp/")] == left
            assert any(path.startswith("tmp/") for path in stored(folder))
            monkeypatch.setattr(removal, "IN_FLIGHT_SECONDS", -1)
    assert stored(folder) == []
