"""The data folder of the embedded store: its lock, its modes, and the place of its socket."""

import fcntl
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

from webapp.config import SOCKET_NAME, Config
from webapp.core.errors import StoreError

from . import ports

SOCKET_PATH_MAX = 100  # bytes; the kernel's limit is 104 on some systems, with a zero at the end
LOCK_FILE = "lock"
ADDRESS_FILE = "address"  # of the pages, as of the last `linnet run`
DATA_DIR_OPTIONS = "--data-dir or DATA_DIR"
PRIVATE_UMASK = 0o077  # of every process of the site: no other user may read its files
OWN_ENTRIES = ("appendonlydir", "media", "secret_key", "valkey.log", LOCK_FILE, ADDRESS_FILE)
LOCK_TIMEOUT = 2.0  # seconds to wait for a store that is about to end
POLL_SECONDS = 0.05


def shorten_socket_path(folder: Path) -> None:
    """Link the socket of a folder whose path is too long to a short, private place."""
    link = (folder / SOCKET_NAME).absolute()
    if len(os.fsencode(link)) <= SOCKET_PATH_MAX:
        return
    if link.is_symlink():
        if _is_private(Path(os.readlink(link)).parent):
            return
        link.unlink()
    link.symlink_to(Path(mkdtemp(prefix="linnet-")) / SOCKET_NAME)


def lock(folder: Path) -> int:
    """Lock the folder, and return the file descriptor that holds the lock.

    A process that inherits the descriptor holds the lock too. Raises StoreError if the folder is
    locked already or cannot be written to.
    """
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        lock_fd = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(
            f"The data folder cannot be used: {error}. Choose another with {DATA_DIR_OPTIONS}."
        ) from None
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _make_private(folder)
            return lock_fd
        if time.monotonic() > deadline:
            os.close(lock_fd)
            raise StoreError(
                f"Another Linnet already runs on the data in {folder.absolute()}."
                f" Stop it, or choose another folder with {DATA_DIR_OPTIONS}."
            )
        time.sleep(POLL_SECONDS)


def is_in_place(folder: Path, lock_fd: int) -> bool:
    """Return True if the folder that `lock_fd` locks is still there, and not another one."""
    with suppress(OSError):
        return os.path.samestat((folder / LOCK_FILE).stat(), os.fstat(lock_fd))
    return False


def remember_address(config: Config, url: str) -> None:
    """Write down where the pages of an embedded store are, for commands that name them."""
    if config.embedded:
        with suppress(OSError):
            (config.data_dir / ADDRESS_FILE).write_text(url, encoding="utf-8")


def last_address(config: Config) -> str:
    """Return the last address of the pages of an embedded store, "" if unknown."""
    if not config.embedded:
        return ""
    try:
        return (config.data_dir / ADDRESS_FILE).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def site_url(config: Config) -> str:
    """Return the address of the pages, as far as a command can know it."""
    default = ports.url(config.host, config.port)
    return config.site_url.rstrip("/") or last_address(config) or default


def is_open_to_others(folder: Path) -> bool:
    """Return True if other users of the machine may enter a folder."""
    with suppress(OSError):
        return bool(folder.stat().st_mode & PRIVATE_UMASK)
    return False


def _make_private(folder: Path) -> None:
    """Close a data folder and its files to other users.

    The folder comes last: as long as it is open, the rest is not done. `linnet doctor` reports
    refusals of the system. A folder for all users, such as /tmp, keeps its mode.
    """
    if not is_open_to_others(folder):
        return
    with suppress(OSError):
        for name in OWN_ENTRIES:
            entry = folder / name
            for path in (entry, *entry.rglob("*")):
                if path.exists() and not path.is_symlink():
                    path.chmod(path.stat().st_mode & ~PRIVATE_UMASK)
        if not folder.stat().st_mode & stat.S_ISVTX:
            folder.chmod(0o700)


def _is_private(directory: Path) -> bool:
    """Return True if only this user can enter it.

    Somebody else may have created a temporary folder again after the system removed it.
    """
    try:
        info = directory.lstat()
    except OSError:
        return False
    is_own = stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid()
    return is_own and not info.st_mode & 0o077
