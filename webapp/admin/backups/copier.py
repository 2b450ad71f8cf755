"""Copying files into a copy that is being made, or linking those that never change."""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
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
        """Write what waits in memory."""
        self._file.flush()

    def facts(self, source_size: int) -> FileFacts:
        """Return what the list says of the file."""
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
        self._transform = transform
        self.files: dict[str, FileFacts] = {}
        self.linked = 0

    def add(self, source: Path, name: str, never_changes: bool) -> None:
        """Add a file under a name, with the bytes that it has now. Only its end may grow.

        One that never changes is linked to the copy before, if it is there. Raises
        FileNotFoundError, FileChangedError, and StoreError if the disk has no room.
        """
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if never_changes and (facts := self._link(source, target, name)):
            self.linked += 1
        else:
            facts = self._copy(source, target)
        self.files[name] = facts

    def add_text(self, text: str, name: str) -> None:
        """Add a file with this text."""
        path, data = self.folder / name, text.encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        self.files[name] = self._write(BytesIO(data), len(data), path)

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

    def _link(self, source: Path, target: Path, name: str) -> FileFacts | None:
        """Link a file to the copy before. Return None if that has no such file."""
        facts = self._previous.files.get(name) if self._previous else None
        if not self._previous or not facts:
            return None
        before, info = self._previous.folder / name, source.stat()
        with suppress(OSError):  # removed by hand, or a file system without links
            old = before.stat()
            size = old.st_size if facts.source_size is None else facts.source_size
            if (size, old.st_mtime_ns) == (info.st_size, info.st_mtime_ns):
                os.link(before, target)
                return facts
        return None

    def _copy(self, source: Path, target: Path) -> FileFacts:
        with source.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if free_megabytes(self.folder) < ENOUGH + size / MEGABYTE:
                raise StoreError(f"Too little room on the disk for a copy of {source}.")
            facts = self._write(file, size, target)
        shutil.copystat(source, target)
        return facts

    def _write(self, source: IO[bytes], size: int, target: Path) -> FileFacts:
        """Write the first `size` bytes of a file to another, and wait for the disk."""
        start = _Start(source, size)
        with target.open("wb") as file:
            summed = _Summed(file)
            self._transform(cast(IO[bytes], start), cast(IO[bytes], summed))
            if start.left:
                raise FileChangedError(f"{target.name} became shorter")
            file.flush()
            os.fsync(file.fileno())
        return summed.facts(size)
