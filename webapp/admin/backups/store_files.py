"""The append-only files of a store on this machine, and how they are copied while it writes."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webapp.config import Config
from webapp.core.errors import StoreError, Unavailable
from webapp.core.store import Db
from webapp.core.store.connection import connect
from webapp.core.store.reads import parse_info
from webapp.server import embedded_store
from webapp.server.embedded_store import AOF_FOLDER, AOF_MANIFEST

from .copier import Copier, FileChangedError

FILE_LINE = re.compile(r"^file (\S+) seq \d+ type ([bi])\b.*$", re.MULTILINE)
ATTEMPTS = 5
PAUSE = 1.0  # seconds, for a rewrite to end
ELSEWHERE = "Copy the files on the machine of the store, as docs/operations.md says."


@dataclass(frozen=True, slots=True)
class StoreFiles:
    """Where a store keeps its append-only files. `manifest` names those that count."""

    folder: Path
    manifest: str = AOF_MANIFEST

    def read_manifest(self) -> str:
        """Return the lines of the files that count. Raises OSError, StoreError without any."""
        text = (self.folder / self.manifest).read_text(encoding="utf-8")
        if lines := "".join(f"{match[0]}\n" for match in FILE_LINE.finditer(text)):
            return lines
        raise StoreError(f"{self.folder / self.manifest} names no files without blanks.")


def file_names(manifest: str) -> Iterator[tuple[str, bool]]:
    """Yield the names of the files of a manifest, and whether they never change.

    The store appends to the last one. A rewrite puts new files in the place of the others.
    """
    names = [match[1] for match in FILE_LINE.finditer(manifest)]
    return ((name, name != names[-1]) for name in names)


def copy_store(copier: Copier, config: Config) -> None:
    """Copy the files of a store: every write that was acknowledged before is in the copy.

    The site may run. Begins again if the store rewrites its files meanwhile, so nothing else may be
    in the copy yet. Raises StoreError if the store is restarted or replaced, is on another machine
    or has no append-only files.
    """
    with _running_store(config) as db:
        run = _run_of(db)
        files = _own_files(db) if db and not config.embedded else _embedded_files(config)
        for _ in range(ATTEMPTS):
            if _copy_once(copier, files):
                break
            copier.clear()
            time.sleep(PAUSE)
        else:
            raise StoreError(f"The store rewrote its files {ATTEMPTS} times. Try again later.")
        if run != (_run_of(db) if db else embedded_store.is_running(config.data_dir) or None):
            raise StoreError("The store was started or replaced during the copy. Try again.")


def _copy_once(copier: Copier, files: StoreFiles) -> bool:
    """Copy all files. Return False if the store rewrote them meanwhile."""
    manifest = files.read_manifest()
    with suppress(FileNotFoundError, FileChangedError):
        for name, never_changes in file_names(manifest):
            copier.add(files.folder / name, f"{AOF_FOLDER}/{name}", never_changes)
        if files.read_manifest() == manifest:
            copier.add_text(manifest, f"{AOF_FOLDER}/{AOF_MANIFEST}")
            return True
    return False


@contextmanager
def _running_store(config: Config) -> Iterator[Db | None]:
    """Connect to the store. None for an embedded one that does not run."""
    is_running = not config.embedded or embedded_store.is_running(config.data_dir)
    db = connect(config) if is_running else None
    try:
        yield db
    except Unavailable:
        raise StoreError("The store ended during the copy. Try again.") from None
    finally:
        if db:
            db.close()


def _run_of(db: Db | None) -> Any:
    """Return the id of this run of a store, which changes with a failover. None if it is down."""
    if db is None:
        return None
    info = parse_info(db.on_every_primary("INFO")[0])
    return info["run_id"], info["role"], info["master_replid"]


def _embedded_files(config: Config) -> StoreFiles:
    files = StoreFiles(config.data_dir / AOF_FOLDER)
    if not embedded_store.has_files(config.data_dir):
        raise StoreError(f"There is no store in {config.data_dir}. Choose one with --data-dir.")
    return files


def _own_files(db: Db) -> StoreFiles:
    """Return where a Redis of the operator's own keeps its files. Raises StoreError."""
    if not db.is_single_server:
        raise StoreError(f"REDIS_URL is a Cluster. {ELSEWHERE}")
    client = dict(re.findall(r"(l?addr)=(\S*):", str(db.on_every_primary("CLIENT", "INFO")[0])))
    if not client or client["addr"] != client["laddr"]:
        raise StoreError(f"The store is on another machine. {ELSEWHERE}")
    names = ("appendonly", "dir", "appenddirname", "appendfilename")
    replies = [db.on_every_primary("CONFIG", "GET", name)[0] for name in names]
    if not all(isinstance(reply, list) and len(reply) == 2 for reply in replies):
        raise StoreError(f"The store does not say where its files are. {ELSEWHERE}")
    is_on, folder, aof_folder, name = (str(reply[1]) for reply in replies)
    if is_on != "yes":
        raise StoreError("The store has no append-only file. Run CONFIG SET appendonly yes.")
    return StoreFiles(Path(folder, aof_folder), f"{name}.manifest")
