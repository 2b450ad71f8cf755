"""The data folder of the embedded store: who holds it, and where its socket is."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

from webapp.errors import StoreError

SOCKET_NAME = "valkey.sock"
SOCKET_PATH_MAX = (
    100  # bytes of a socket's path; the kernel's limit is 108 with a zero, on some systems 104
)
DATA_DIR_OPTIONS = "--data-dir or DATA_DIR"
LOCK_TIMEOUT = 2.0  # seconds to wait for a store that is just ending
POLL_SECONDS = 0.05  # seconds between two tries


def socket_path(folder: Path) -> Path:
    """Where the store of a data folder listens: in the folder or, when that path is too long for a socket,
    where the link in the folder leads."""
    path = (folder / SOCKET_NAME).absolute()
    return Path(os.readlink(path)) if path.is_symlink() else path


def shorten_socket_path(folder: Path) -> None:
    """Gives a folder with too long a path a link to a short, private place for its socket."""
    link = (folder / SOCKET_NAME).absolute()
    if len(os.fsencode(link)) <= SOCKET_PATH_MAX:
        return
    if link.is_symlink():
        if _is_private(Path(os.readlink(link)).parent):
            return
        link.unlink()
    link.symlink_to(Path(mkdtemp(prefix="linnet-")) / SOCKET_NAME)


def lock(folder: Path) -> int:
    """A file descriptor that holds the folder: whoever has it open, or a copy, keeps every other store out.

    Raises StoreError when the folder is held already, or cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock_fd = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(
            f"The data folder cannot be used: {error}. Choose another with {DATA_DIR_OPTIONS}."
        ) from None
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock_fd
        if time.monotonic() > deadline:
            os.close(lock_fd)
            raise StoreError(
                f"Another Linnet already runs on the data in {folder.absolute()}."
                f" Stop it, or choose another folder with {DATA_DIR_OPTIONS}."
            )
        time.sleep(POLL_SECONDS)


def _is_private(directory: Path) -> bool:
    """Whether only we can enter it; a cleaned-up temporary folder may have been made anew by somebody else."""
    try:
        info = directory.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & 0o077
