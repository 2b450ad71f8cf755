"""Copying files into a copy that is being made, or linking those that never change."""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path

from webapp.core.errors import StoreError
from webapp.server.liveness.disk_watch import ENOUGH, MEGABYTE, free_megabytes

from .copies import Copy, FileFacts, sum_of

CHUNK = 1024 * 1024  # bytes read at once


class FileChangedError(OSError):
    """A file became shorter while it was read."""


class Copier:
    """Puts files into the folder of a copy. `previous`: the copy before it, if there is one."""

    def __init__(self, folder: Path, previous: Copy | None) -> None:
        self.folder, self._previous = folder, previous
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
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.files[name] = sum_of(path)

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
            if (old.st_size, old.st_mtime_ns) == (info.st_size, info.st_mtime_ns):
                os.link(before, target)
                return facts
        return None

    def _copy(self, source: Path, target: Path) -> FileFacts:
        digest = hashlib.sha256()
        with source.open("rb") as file, target.open("wb") as copy:
            size = left = os.fstat(file.fileno()).st_size
            if free_megabytes(self.folder) < ENOUGH + size / MEGABYTE:
                raise StoreError(f"Too little room on the disk for a copy of {source}.")
            while left:
                if not (chunk := file.read(min(CHUNK, left))):
                    raise FileChangedError(f"{source} became shorter")
                digest.update(chunk)
                copy.write(chunk)
                left -= len(chunk)
            copy.flush()
            os.fsync(copy.fileno())
        shutil.copystat(source, target)
        return FileFacts(size, digest.hexdigest())
