"""A folder of copies: their names, the list of files with which each ends, and their sums."""

import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from webapp.core.errors import StoreError

FILE_LIST = "manifest.json"
NAME_FORMAT = "%Y-%m-%dT%H-%M-%S.%fZ"
NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{6}Z")
PARTIAL = ".partial-"  # begins the names of copies that are being made, and of those cut off


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The size of a file in bytes, and its sum. `source_size`: before it was encrypted.

    `modified`: the source, unix ns. `key`: of the object in a bucket, which copies may share.
    """

    size: int
    sha256: str
    source_size: int | None = None
    modified: int | None = None
    key: str = ""

    @property
    def plain_size(self) -> int:
        """Return the bytes of the file that was copied."""
        return self.size if self.source_size is None else self.source_size


@dataclass(frozen=True, slots=True)
class Copy:
    """A whole copy. `files`: by their paths below `folder`.

    `recipients`: the public keys for whose holders all files but the list are encrypted.
    """

    folder: Path
    version: str  # of the Linnet that made it
    data_version: str
    files: Mapping[str, FileFacts]
    recipients: tuple[str, ...] = ()

    @property
    def made_at(self) -> str:
        """Return when the copy was made, in UTC."""
        return f"{datetime.strptime(self.folder.name, NAME_FORMAT):%Y-%m-%d %H:%M} UTC"

    @property
    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(file.size for file in self.files.values())


def new_name() -> str:
    """Return a name for a copy. Names sort by time."""
    return datetime.now(UTC).strftime(NAME_FORMAT)


def list_text(copy: Copy) -> str:
    """Return the list of a copy's files, as `parse_copy` reads it."""
    facts = {name: asdict(file) for name, file in copy.files.items()}
    content = {
        "linnet": copy.version,
        "data": copy.data_version,
        "recipients": copy.recipients,
        "files": facts,
    }
    return json.dumps(content, indent=1)


def read_copy(folder: Path) -> Copy:
    """Return a copy, or the newest one in a folder of copies. Raises StoreError."""
    if not NAME.fullmatch(folder.name) and (names := copy_names(folder)):
        folder = folder / names[-1]
    try:
        return parse_copy(folder, (folder / FILE_LIST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoreError(f"There is no copy in {folder}: it has no {FILE_LIST}.") from None
    except (OSError, UnicodeError) as error:
        raise StoreError(f"{folder / FILE_LIST} cannot be read: {error}.") from None


def parse_copy(folder: Path, text: str) -> Copy:
    """Return the copy of a folder by its list of files. Raises StoreError."""
    try:
        content = json.loads(text)
        files = {name: FileFacts(**facts) for name, facts in content["files"].items()}
        recipients = tuple(map(str, content.get("recipients", ())))
        copy = Copy(folder, content["linnet"], content["data"], files, recipients)
        datetime.strptime(folder.name, NAME_FORMAT)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{folder / FILE_LIST} cannot be read: {error}.") from None
    if wrong := [name for name in files if not _is_below(PurePosixPath(name))]:
        raise StoreError(f"{folder / FILE_LIST} names a file that lies elsewhere: {wrong[0]}.")
    return copy


def copy_names(folder: Path) -> list[str]:
    """Return the names of the copies in a folder, the newest last."""
    with suppress(OSError):
        return sorted(path.name for path in folder.iterdir() if NAME.fullmatch(path.name))
    return []


def check_sums(copy: Copy) -> None:
    """Read all files of a copy. Raises StoreError if one is not as it was copied."""
    for name, facts in copy.files.items():
        try:
            found = sum_of(copy.folder / name)
        except OSError as error:
            raise StoreError(f"The copy is damaged: {error}. Use an older one.") from None
        if (found.size, found.sha256) != (facts.size, facts.sha256):
            raise StoreError(
                f"The copy is damaged: {copy.folder / name} is not as it was. Use an older one."
            )


def sum_of(path: Path) -> FileFacts:
    """Return the size and the sum of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return FileFacts(file.tell(), digest)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder of copies, and remove what a killed process left in it.

    Raises StoreError if another process holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"Another command works on the copies in {folder}.") from None
        for path in folder.glob(f"{PARTIAL}*"):
            shutil.rmtree(path)
        yield
    finally:
        os.close(descriptor)


def _is_below(path: PurePosixPath) -> bool:
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts
