"""Keep pages readable on a full disk: the embedded store then refuses writes, and goes on."""

import os
import shutil
import time
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from webapp.server import embedded_store
from webapp.server.child_process import log_line
from webapp.server.embedded_store import AOF_FOLDER

MEGABYTE = 1024 * 1024
FILES_MAX = 20_000  # whose sizes a page may add up
NOTE_SECONDS = 60.0  # between two looks whether the disk is low
LOW = 32  # megabytes free, below which nothing is saved
ENOUGH = 64  # and from which on it is saved again
EARLY = 256  # free beside the room for another copy of the store, below which operators are warned
LOW_SINCE = "disk_low"  # a file of the data folder, written when that began


def free_megabytes(folder: Path) -> float:
    """Return how much is free on the disk of a folder; infinite if nobody knows."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free / MEGABYTE
    return float("inf")


def folder_megabytes(folder: Path) -> tuple[float, bool]:
    """Return the size of a folder's files, and True if it has more than those that were read."""
    files = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    size = 0
    for file in islice(files, FILES_MAX):
        with suppress(OSError):
            size += file.stat().st_size
    return size / MEGABYTE, next(files, None) is not None


def is_low(folder: Path) -> bool:
    """Return True if the store may soon lack room: it writes its files anew beside the old ones."""
    return free_megabytes(folder) < EARLY + folder_megabytes(folder / AOF_FOLDER)[0]


def low_since(folder: Path) -> datetime | None:
    """Return since when the disk is low, None if `linnet run` has not seen that."""
    with suppress(OSError):
        return datetime.fromtimestamp((folder / LOW_SINCE).stat().st_mtime, UTC)
    return None


class DiskWatch:
    """Tells the embedded store whether it may write. A write that fails would end it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._told = (0, False)  # a process id of the store, and what it knows
        self.is_full = False
        self._looked_at = 0.0
        self.look()

    def look(self) -> None:
        """Look whether the disk is full, and log a change."""
        was_full = self.is_full
        self.is_full = free_megabytes(self._folder) < (ENOUGH if was_full else LOW)
        if self.is_full and not was_full:
            log_line(
                f"disk full: less than {LOW} MB are free for {self._folder}. Pages can be read, but"
                f" nothing is saved until {ENOUGH} MB are free."
            )
        elif was_full and not self.is_full:
            log_line("the disk has room again, so everything is saved again.")

    def note_low(self) -> None:
        """Keep since when the disk is low, for `linnet doctor` and `/admin`. Once a minute."""
        if (now := time.monotonic()) < self._looked_at + NOTE_SECONDS and self._looked_at:
            return
        self._looked_at = now
        file = self._folder / LOW_SINCE
        with suppress(OSError):
            if not is_low(self._folder):
                file.unlink(missing_ok=True)
            elif not file.exists():
                file.touch()
                log_line(f"disk low: {free_megabytes(self._folder):,.0f} MB free. Make room soon.")

    def check(self, store_pid: int) -> None:
        """Look, and tell the store if it does not know. Call it often."""
        self.look()
        self.note_low()
        told = (store_pid, self.is_full)
        if told != self._told and embedded_store.set_writable(self._folder, not self.is_full):
            self._told = told
