"""Files of the media folder: written whole or not at all, and removed by several at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile

from webapp.core.errors import NotFound, Unavailable
from webapp.core.logs import log

HASH_LENGTH = 32  # characters that the names of a picture's files begin with


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder. Raises Unavailable if the disk does not take them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            _write_atomically(folder / name, content)
    except OSError as error:
        log.error("pictures cannot be kept in %s: %s", folder, error)
        raise Unavailable("unkept") from error


def read(file: Path) -> bytes:
    """Return a file's content. Raises NotFound."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound("no_picture") from None


def link(file: Path, other: Path) -> bool:
    """Give a file a second path in its folder. Return False if there is no such file.

    Raises Unavailable if the disk does not take it.
    """
    try:
        os.link(file, other)
    except FileNotFoundError:
        return False
    except OSError:  # some file systems have no links
        try:
            write(other.parent, {other.name: read(file)})
        except NotFound:
            return False
        except OSError:
            raise Unavailable("unkept") from None
    return True


def sweep_folder(
    folder: Path,
    names_in_use: Collection[str],
    unused_names: Collection[str],
    in_flight_seconds: float,
) -> None:
    """Remove the files of pictures that nothing refers to.

    `unused_names` are removed now. Others that are not in use are removed once they are older
    than `in_flight_seconds`: until then a form may be about to name them.
    """
    hashes_in_use = {_hash_of(name) for name in names_in_use}
    unused_hashes = {_hash_of(name) for name in unused_names}
    with suppress(FileNotFoundError):
        for file in folder.iterdir():
            file_hash = file.name[:HASH_LENGTH]
            with suppress(FileNotFoundError):
                age = time.time() - file.stat().st_mtime
                removable = file_hash in unused_hashes or age > in_flight_seconds
                if removable and file_hash not in hashes_in_use:
                    file.unlink()


def remove_some(folder: Path, limit: int) -> bool:
    """Remove about `limit` files of a folder, pictures (.webp) before what restricts them.

    Remove the folder with the last ones. Return True if there are more.
    """
    with suppress(FileNotFoundError):
        for are_pictures in (True, False):
            with os.scandir(folder) as files:
                matching = (file for file in files if file.name.endswith(".webp") == are_pictures)
                batch = list(islice(matching, limit))
            for file in batch:
                Path(file.path).unlink(missing_ok=True)
            if len(batch) == limit:
                return True
        folder.rmdir()
    return False


def _hash_of(name: str) -> str:
    return name.rpartition("/")[2]


def _write_atomically(file: Path, content: bytes) -> None:
    """Write a file and then name it, so that nobody is sent half of it.

    The same file written again becomes young again.
    """
    with NamedTemporaryFile(dir=file.parent, prefix=".", delete=False) as temp_file:
        temp_file.write(content)
        temp_file.flush()
        os.fsync(temp_file.fileno())  # it is on the disk before a profile names it
    os.replace(temp_file.name, file)
