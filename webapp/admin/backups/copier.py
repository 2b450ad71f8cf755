"""Copying files into a copy that is being made, or linking those that never change."""

import hashlib
import os
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from typing import IO, cast

from webapp.core.errors import StoreError
from webapp.server.liveness.disk_watch import ENOUGH, MEGABYTE, free_megabytes

from .copies import Copy, FileFacts
from .encryption import Transform

CHUNK = 1024 * 1024  # bytes read at once


class FileChangedError(OSError):
    """A file became shorter while it was read."""


class _Start:
    """The first `left` bytes of a file."""

    def __init__(self, file: IO[bytes], left: int) -> None:
        self._file, self.left = file, left

    def read(self, size: int = CHUNK) -> bytes:
        """Read at most `size` bytes."""
        found = self._file.read(min(size, self.left))
        self.left -= len(found)
        return found


class _Summed:
    """A file that is written, with the size and the sum of what it holds."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._digest, self._size = file, hashlib.sha256(), 0

    def write(self, data: bytes) -> int:
        """Write all of `data`."""
        self._digest.update(data)
        self._size += len(data)
        return self._file.write(data)

    def flush(self) -> None:
        """Write the buffered bytes."""
        self._file.flush()

    def facts(self, source_size: int) -> FileFacts:
        """Return the file's entry in the list."""
        return FileFacts(self._size, self._digest.hexdigest(), source_size)


class Copier:
    """Puts files into the folder of a copy. `previous`: the copy before it, if there is one.

    `transform`: encrypts or decrypts each of them. `recipients`: as `Copy.recipients`.
    """

    def __init__(
        self,
        folder: Path,
        previous: Copy | None,
        transform: Transform = copyfileobj,
        recipients: tuple[str, ...] = (),
    ) -> None:
        has_same_keys = previous is not None and previous.recipients == recipients
        self.folder, self._previous = folder, previous if has_same_keys else None
        self.recipients, self._transform = recipients, transform
        self.files: dict[str, FileFacts] = {}
        self.linked = 0

    def add(self, source: Path, name: str, never_changes: bool) -> None:
        """Add a file under a name, with the bytes that it has now. Only its end may grow.

        One that never changes is shared with the copy before, if it is there. Raises
        FileNotFoundError, FileChangedError, and StoreError if the disk has no room.
        """
        with source.open("rb") as file:
            info = os.fstat(file.fileno())
            facts = self._shared(name, info) if never_changes else None
            self.linked += facts is not None
            self.files[name] = facts or self._write(file, info.st_size, name, info.st_mtime_ns)

    def add_text(self, text: str, name: str) -> None:
        """Add a file with this text."""
        data = text.encode()
        self.files[name] = self._write(BytesIO(data), len(data), name)

    def clear(self) -> None:
        """Remove all files."""
        for name in self.files:
            (self.folder / name).unlink(missing_ok=True)
        self.files.clear()
        self.linked = 0

    def sync_folders(self) -> None:
        """Wait until the names of all files are on the disk."""
        for folder, _, _ in os.walk(self.folder):
            descriptor = os.open(folder, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)

    def _shared(self, name: str, info: os.stat_result) -> FileFacts | None:
        """Share a file with the copy before. Return None if that has no such file."""
        facts = self._previous.files.get(name) if self._previous else None
        if not facts or (facts.plain_size, facts.modified) != (info.st_size, info.st_mtime_ns):
            return None
        return facts if self._link(name, facts) else None

    def _link(self, name: str, facts: FileFacts) -> bool:
        """Link a file to the copy before. Return False if it is gone, or cannot be linked."""
        assert self._previous
        with suppress(OSError):  # removed by hand, or a file system without links
            before = self._previous.folder / name
            old = before.stat()
            if (old.st_size, old.st_mtime_ns) == (facts.size, facts.modified):
                os.link(before, self._place(name))
                return True
        return False

    def _write(
        self, source: IO[bytes], size: int, name: str, modified: int | None = None
    ) -> FileFacts:
        """Write the first `size` bytes of a file under a name, and wait for the disk.

        `modified`: when it was, unix ns.
        """
        if free_megabytes(self.folder) < ENOUGH + size / MEGABYTE:
            raise StoreError(f"Too little room on the disk for a copy of {name}.")
        with self._place(name).open("wb") as file:
            facts = self._pass_on(source, size, file)
            file.flush()
            os.fsync(file.fileno())
        if modified:
            os.utime(self._place(name), ns=(modified, modified))
        return replace(facts, modified=modified)

    def _pass_on(self, source: IO[bytes], size: int, target: IO[bytes]) -> FileFacts:
        """Write the first `size` bytes of a file to another, changed by `transform`."""
        start, summed = _Start(source, size), _Summed(target)
        self._transform(cast(IO[bytes], start), cast(IO[bytes], summed))
        if start.left:
            raise FileChangedError("a file became shorter")
        return summed.facts(size)

    def _place(self, name: str) -> Path:
        """Return where a file goes, in a folder that is there."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path
