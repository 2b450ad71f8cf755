"""Move blocks of lines from the store to the files of their days, and count them. Each once."""

import fcntl
import gzip
import os
import re
import socket
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from webapp.core.logs import log
from webapp.core.store import Site, script, to_dict

from . import keys
from .sender import DROPPED

FINISH = script("access_log/lua/finish.lua")
FOLDER, SUFFIX = "logs", ".log.gz"  # in DATA_DIR; a file has one part for each block
# A line with a break or a tab in a field does not match. Further fields are of a newer version.
LINE = re.compile(
    r"[^\t]*\t[^\t]*\t(\d)\d\d\t[^\t]*\t[^\t]*\t[^\t]*\t(member|visitor)\t([A-Z]{2}|-)(?:\t|\Z)"
)
DROPPED_LINE = re.compile(rf"[^\t]*\t{DROPPED}\t-\t-\t(\d{{1,15}})\t")
KEPT = timedelta(days=30)
BLOCKS_MAX = 40  # of one call


def move_blocks(site: Site) -> None:
    """Move the oldest blocks. One trip, and two a block.

    If the worker dies in the middle, the next writes the same lines to the same place.
    """
    blocks = site.db.run(("XRANGE", keys.blocks(), "-", "+", "COUNT", BLOCKS_MAX))
    folder = site.config.data_dir / FOLDER
    try:
        for block, fields in blocks:
            folder.mkdir(0o700, parents=True, exist_ok=True)
            _move(site, folder, block, **to_dict(fields))
            _remove_old(site, folder)
    except OSError as error:  # a full disk must not keep the worker from its other jobs
        log.warning("lines of the access log are not moved: %s", error)


def _move(site: Site, folder: Path, block: str, day: str, text: str) -> None:
    """Write a block behind what is counted of its day's file. Raises OSError.

    The lock on the file is for two workers of one machine.
    """
    name = f"{socket.gethostname()}:{day}"
    flags = os.O_RDWR | os.O_CREAT
    with open(os.open(folder / f"{day}{SUFFIX}", flags, 0o600), "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        counted = int(site.db.run(("HGET", keys.progress(), name)) or 0)
        file.truncate(min(counted, os.fstat(file.fileno()).st_size))
        file.seek(0, os.SEEK_END)
        file.write(gzip.compress(text.encode()))
        file.flush()
        os.fsync(file.fileno())
        counts = _count(text)
        if not site.run(FINISH, block=block, day=day, file=name, size=file.tell(), counts=counts):
            file.truncate(counted)


def _count(text: str) -> Counter[str]:
    """Return the counts of lines, by the names of `day_counts`."""
    counts: Counter[str] = Counter()
    for line in text.removesuffix("\n").split("\n"):
        if dropped := DROPPED_LINE.match(line):
            counts[DROPPED] += int(dropped[1])
        elif found := LINE.match(line):
            counts.update(("lines", f"{found[1]}xx", found[2], f"country:{found[3]}"))
        else:
            counts["unreadable"] += 1
    return counts


def _remove_old(site: Site, folder: Path) -> None:
    """Remove the files of days that are older than KEPT. One trip for each."""
    oldest = f"{datetime.now(UTC) - KEPT:%Y-%m-%d}"
    for path in folder.glob(f"*{SUFFIX}"):
        if path.name < oldest:
            path.unlink()
            day = path.name.removesuffix(SUFFIX)
            site.db.run(("HDEL", keys.progress(), f"{socket.gethostname()}:{day}"))
