"""The files of tasks: `archives/<uid>/<token>…` below the media folder. No address leads to them.

A task writes parts into a folder of its own, and makes its result of them at its end.
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.media import files
from webapp.core.store import Site

from .tasks import ARCHIVE, IMPORT, KEPT_DAYS, POSTS, Task

FOLDER = "archives"  # in the media folder
SUFFIXES = {ARCHIVE: ".zip", IMPORT: ".csv", POSTS: ".posts"}  # of results
AGE_MAX_SECONDS = (KEPT_DAYS + 1) * 86_400  # of a file; a task may take a day


def parts_folder(config: Config, uid: int, task: Task) -> Path:
    """Return the folder of a task's parts."""
    return _folder(config, uid) / task.token


def result_file(config: Config, uid: int, task: Task) -> Path:
    """Return the file of a task's result: the archive, or the rows that did not fit."""
    return parts_folder(config, uid, task).with_suffix(SUFFIXES[task.kind])


def write_part(config: Config, uid: int, task: Task, name: str, content: bytes) -> None:
    """Write a part of a task, whole or not at all. Writing it again replaces it.

    Raises Unavailable if the disk does not take it.
    """
    files.write(config.media_path, {f"{FOLDER}/{uid}/{task.token}/{name}": content})


def write_result(config: Config, uid: int, task: Task, content: bytes) -> None:
    """Write the result of a task. Raises Unavailable if the disk does not take it."""
    name = result_file(config, uid, task).name
    files.write(config.media_path, {f"{FOLDER}/{uid}/{name}": content})


def read_parts(folder: Path, prefix: str) -> Iterator[bytes]:
    """Yield the contents of a task's parts whose names begin with `prefix`, in their order."""
    for part in sorted(folder.glob(f"{prefix}.*")):
        yield part.read_bytes()


def remove_parts(config: Config, uid: int, task: Task) -> None:
    """Remove the parts of a task."""
    shutil.rmtree(parts_folder(config, uid, task), ignore_errors=True)


def remove_leftovers(config: Config, uid: int, task: Task) -> None:
    """Remove the parts of a finished task, and the results of the member's earlier ones."""
    remove_parts(config, uid, task)
    result = result_file(config, uid, task)
    for other in result.parent.glob(f"*{result.suffix}"):
        if other != result:
            other.unlink(missing_ok=True)


def remove_all(config: Config, uid: int) -> None:
    """Remove all files of a member's tasks."""
    shutil.rmtree(_folder(config, uid), ignore_errors=True)


def remove_old(site: Site, partition: int) -> None:
    """Remove results that are no longer kept, with the first partition. No trip."""
    if partition != 0:
        return
    oldest = time.time() - AGE_MAX_SECONDS
    for path in (site.config.media_path / FOLDER).glob("*/*"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime > oldest:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
    for folder in (site.config.media_path / FOLDER).glob("*"):
        with suppress(OSError):
            folder.rmdir()  # one that is not empty stays


def _folder(config: Config, uid: int) -> Path:
    return config.media_path / FOLDER / str(uid)


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove the archives and imports of deleted accounts. No trip."""
    for event in events:
        remove_all(context.config, event.number("uid"))
