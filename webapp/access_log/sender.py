"""Write a line for each answered request to files of the process, and ship them to the store.

Fields: time, route, status, ms, bytes, cached, member or visitor, country; `-` for none. The route
DROPPED stands for lines that are missing: its bytes are their number.
"""

from __future__ import annotations

import fcntl
import os
import socket
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from webapp.core.errors import Unavailable
from webapp.core.logs import log
from webapp.core.net.countries import country_of
from webapp.core.store import Site, script
from webapp.core.web.request_log import Answered

from . import keys

SEND = script("access_log/lua/send.lua")
CHANNEL = "access_log"  # of `send.lua`: blocks as they come
FOLDER, SUFFIX = "access", ".lines"  # in DATA_DIR; names begin with the day
FILE_SECONDS = 3.0  # after which a file is complete
BLOCK_BYTES = 131_072
DAY = slice(10)  # of a time or a name: 2026-11-28
DROPPED = "dropped"


class Sender:
    """Sends the lines of one process, and what processes that died have left on the machine.

    The lock on a file says that somebody writes or ships it.
    """

    def __init__(self, site: Site) -> None:
        self._site, self._folder = site, site.config.data_dir / FOLDER
        self._lock = threading.Lock()
        self._file, self._day, self._end, self._dropped = -1, "", 0.0, 0

    def start(self) -> Sender:
        """Ship from now on, in a thread that lives as long as the process."""
        threading.Thread(target=self._run, name="access log", daemon=True).start()
        return self

    def __call__(self, answered: Answered) -> None:
        """Write a line, if ACCESS_LOG is on; count it as dropped if the disk has no room."""
        config = self._site.config
        if not config.access_log:
            return
        country = country_of(config, answered.address)
        with self._lock:
            try:
                self._write(answered, country)
            except OSError:
                self._dropped += 1

    def ship(self) -> None:
        """Ship complete files and remove them, the oldest first, until the store has no room.

        One trip a file and one a block, and one for its end. Raises Unavailable.
        """
        with self._lock:
            if time.monotonic() > self._end:
                self._complete()
        for path in self._files():
            with suppress(OSError), path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not self._ship_file(path.name, file):
                    return
                path.unlink()
                self._site.db.run(("HDEL", keys.progress(), path.name))

    def _ship_file(self, name: str, file: BinaryIO) -> bool:
        """Send the rest of a file. Return False if the store has no room for it."""
        sent, limit = int(self._site.db.run(("HGET", keys.progress(), name)) or 0), self._bytes_max
        while block := _whole_lines(file, sent):
            before = sent
            command = SEND(file=name, start=sent, day=name[DAY], text=block, limit=limit)
            sent = int(self._site.db.run(command))
            if sent == before:
                return False
        return True

    def _write(self, answered: Answered, country: str) -> None:
        """Write a line, and one for those dropped before. Raises OSError."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        if now[DAY] != self._day or time.monotonic() > self._end:
            self._open(now[DAY])
        line = _encode(now, *answered.words(), country)
        if self._dropped:
            line += _encode(now, DROPPED, "", "", str(self._dropped), "", "", "")
        os.write(self._file, line)
        self._dropped = 0

    def _open(self, day: str) -> None:
        """Open and lock another file. Raises OSError, also if too many bytes wait here."""
        self._complete()
        self._folder.mkdir(0o700, parents=True, exist_ok=True)
        if sum(map(_size, self._files())) > self._bytes_max:
            raise OSError("too many lines wait")
        name = f"{day}-{time.time_ns()}-{socket.gethostname()}-{os.getpid()}{SUFFIX}"
        file = os.open(self._folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        if not os.fstat(file).st_nlink:  # taken for a complete one before it was locked
            os.close(file)
            return self._open(day)
        self._file, self._day, self._end = file, day, time.monotonic() + FILE_SECONDS

    def _complete(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file, self._day = -1, ""

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{SUFFIX}"))

    @property
    def _bytes_max(self) -> int:
        return self._site.config.files_max

    def _run(self) -> None:
        while True:
            time.sleep(FILE_SECONDS)
            try:
                self.ship()
            except Unavailable:
                continue
            except Exception:  # the thread must go on: without it, lines fill the disk
                log.warning("lines of the access log were not sent", exc_info=True)


def _encode(*fields: str) -> bytes:
    return ("\t".join(field or "-" for field in fields) + "\n").encode("ascii", "replace")


def _size(path: Path) -> int:
    """Return the bytes of a file, 0 for one that was shipped meanwhile."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _whole_lines(file: BinaryIO, start: int) -> bytes:
    """Return lines of a file from a place on, BLOCK_BYTES at most; b"" at its end."""
    file.seek(start)
    text = file.read(BLOCK_BYTES)
    return text[: text.rfind(b"\n") + 1]
