"""Keep pages readable on a full disk: the embedded store then refuses writes, and goes on."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from webapp.server import embedded_store
from webapp.server.child_process import log_line

MEGABYTE = 1024 * 1024
LOW = 32  # megabytes free, below which nothing is saved
ENOUGH = 64  # and from which on it is saved again


def free_megabytes(folder: Path) -> float:
    """Return how much is free on the disk of a folder; infinite if nobody knows."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free / MEGABYTE
    return float("inf")


class DiskWatch:
    """Tells the embedded store whether it may write. A write that fails would end it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._told = (0, False)  # a process id of the store, and what it knows
        self.is_full = False
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

    def check(self, store_pid: int) -> None:
        """Look, and tell the store if it does not know. Call it often."""
        self.look()
        told = (store_pid, self.is_full)
        if told != self._told and embedded_store.set_writable(self._folder, not self.is_full):
            self._told = told
