"""Files of the media folder: written together or not at all, and removed by several at a time."""

import os
import shutil
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from webapp.core.errors import NotFound, Unavailable
from webapp.core.logs import log

HASH_LENGTH = 32  # characters that the names of a picture's files begin with
TEMPORARY = "tmp"  # folder of files that are being written


def write(media: Path, files: Mapping[str, bytes]) -> None:
    """Write files, given by their paths below the media folder: all of them, or none.

    Writing a file again renews its modification time. Raises Unavailable if the disk is full, or
    does not accept them for another reason.
    """
    if not files:
        return
    try:
        for folder in {media / TEMPORARY, *((media / name).parent for name in files)}:
            folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=media / TEMPORARY) as temporary:
            sources = [Path(temporary, str(number)) for number in range(len(files))]
            for source, content in zip(sources, files.values(), strict=True):
                _write_to_disk(source, content)
            _move(dict(zip(sources, map(media.joinpath, files), strict=True)))
    except OSError as error:
        log.error("pictures cannot be kept in %s: %s", media, error)
        raise Unavailable("unkept") from error


def remove_interrupted(media: Path, in_flight_seconds: float) -> None:
    """Remove the unfinished files of killed processes."""
    with suppress(FileNotFoundError):
        for folder in (media / TEMPORARY).iterdir():
            with suppress(FileNotFoundError):
                if time.time() - folder.stat().st_mtime > in_flight_seconds:
                    shutil.rmtree(folder, ignore_errors=True)


def read(file: Path) -> bytes:
    """Return a file's content. Raises NotFound."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound("no_picture") from None


def link(media: Path, name: str, other: str) -> bool:
    """Give a file a second path in its folder. Return False if there is no such file.

    Raises Unavailable if the disk does not take it.
    """
    try:
        os.link(media / name, media / other)
    except FileNotFoundError:
        return False
    except OSError:  # some file systems have no links
        try:
            write(media, {other: read(media / name)})
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
    """Remove about `limit` files of a folder, pictures (.webp) before their restrictions.

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


def _write_to_disk(file: Path, content: bytes) -> None:
    with file.open("wb") as opened:
        opened.write(content)
        opened.flush()
        os.fchmod(opened.fileno(), 0o600)
        os.fsync(opened.fileno())  # it is on the disk before a profile names it


def _move(targets: Mapping[Path, Path]) -> None:
    """Move files to their places. If one cannot be moved, remove those that are new there."""
    new: list[Path] = []
    try:
        for source, target in targets.items():
            is_new = not target.exists()
            os.replace(source, target)
            if is_new:
                new.append(target)
    except OSError:
        for target in new:
            target.unlink(missing_ok=True)
        raise
