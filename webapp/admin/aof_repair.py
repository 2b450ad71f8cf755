"""`linnet doctor --repair`: cut a damaged end off the append-only file of a stopped store.

The file holds commands as clients send them (RESP). A transaction counts from MULTI to EXEC.
"""

import os
import re
import shutil
from collections.abc import Set
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from webapp.config import BadSetting, Config
from webapp.core.errors import StoreError
from webapp.core.store.connection import open_store
from webapp.server import embedded_store
from webapp.server.data_dir import lock
from webapp.server.embedded_store import AOF_FOLDER, AOF_MANIFEST

INCREMENTAL = re.compile(r"^file (\S+) seq \d+ type i\b", re.MULTILINE)
LENGTH = re.compile(
    rb"([*$])(\d{1,10})\r\n"
)  # of a command, in arguments; of an argument, in bytes
LINE_MAX = 256  # bytes
CRLF = b"\r\n"


@dataclass(frozen=True, slots=True)
class Repair:
    """The repair of a file: bytes that it keeps, bytes that were cut, and the whole copy."""

    file: Path
    length: int
    removed: int = 0
    copy: Path | None = None

    def __str__(self) -> str:
        if self.copy is None:
            return (
                f"{self.file} is whole: {self.length} bytes. If the store does not start, restore a"
                " backup, as docs/operations.md says."
            )
        return (
            f"Cut the last {self.removed} bytes off {self.file}; it keeps {self.length}."
            f" The whole damaged file is {self.copy}."
            f" Start the site with: linnet run --data-dir {self.file.parent.parent}"
        )


def repair(config: Config) -> Repair:
    """Cut the last append-only file of a stopped embedded store at its last whole command.

    Raises BadSetting with another store, StoreError if the site runs or there is no store.
    """
    if not config.embedded:
        raise BadSetting("REDIS_URL is set. Only the embedded store under DATA_DIR is repaired.")
    folder = config.data_dir.absolute()
    if not (folder / AOF_FOLDER / AOF_MANIFEST).exists():
        raise StoreError(f"There is no store in {folder}. Choose another folder with --data-dir.")
    lock_fd = lock(folder)
    try:
        return _repair(_last_file(folder / AOF_FOLDER), _command_names())
    except OSError as error:
        raise StoreError(f"The store in {folder} cannot be repaired: {error}.") from None
    finally:
        os.close(lock_fd)


def whole_length(path: Path, command_names: Set[str]) -> int:
    """Return how many bytes the whole commands and transactions at the start of a file have.

    A command without one of `command_names`, in lower case, is damaged.
    """
    end, in_transaction = 0, False
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        while (name := _read_command(file, size)) in command_names:
            in_transaction = name != "exec" and (in_transaction or name == "multi")
            if not in_transaction:
                end = file.tell()
    return end


def _repair(path: Path, command_names: Set[str]) -> Repair:
    size, end = path.stat().st_size, whole_length(path, command_names)
    if end == size:
        return Repair(path, size)
    copy = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    shutil.copy2(path, copy)
    with copy.open("rb") as copied:
        os.fsync(copied.fileno())
    with path.open("r+b") as file:
        file.truncate(end)
        os.fsync(file.fileno())
    return Repair(path, end, size - end, copy)


def _last_file(folder: Path) -> Path:
    """Return the file to which the store wrote last. Raises StoreError."""
    names = INCREMENTAL.findall((folder / AOF_MANIFEST).read_text(errors="replace"))
    if not names:
        raise StoreError(f"{folder / AOF_MANIFEST} names no incremental file. Restore a backup.")
    return folder / str(names[-1])


def _command_names() -> frozenset[str]:
    """Return the names of the server's commands, in lower case. A server on no data tells them."""
    with TemporaryDirectory(prefix="linnet-") as folder:
        process = embedded_store.start(Path(folder), durable=False)
        try:
            db = open_store(Config(data_dir=Path(folder)).store_url)
            [names] = db.on_every_primary("COMMAND", "LIST")
            db.close()
        finally:
            embedded_store.stop(process)
    return frozenset(name.lower() for name in names)


def _read_command(file: BinaryIO, size: int) -> str:
    """Read a command of a file of `size` bytes. Return its name, "" if it is not whole."""
    while (line := file.readline(LINE_MAX)).startswith(b"#"):
        pass  # a timestamp
    name = b""
    for index in range(_parse_length(line, b"*")):
        length = _parse_length(file.readline(LINE_MAX), b"$")
        if length < 0 or file.tell() + length + len(CRLF) > size:
            return ""
        argument = file.read(length)
        if file.read(len(CRLF)) != CRLF:
            return ""
        if index == 0:
            name = argument
    return name.decode("latin-1").lower()


def _parse_length(line: bytes, kind: bytes) -> int:
    """Return the number in a line of this kind, -1 if it is another line."""
    found = LENGTH.fullmatch(line)
    return int(found[2]) if found and found[1] == kind else -1
