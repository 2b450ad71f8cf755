"""`linnet restore`: put a copy in the place of an empty data folder. Also trying a copy aside.

For `linnet backup --verify` its store starts in a throw-away folder, and its keys are counted.
"""

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory

from webapp.config import BadSetting, Config
from webapp.core.errors import StoreError
from webapp.core.store import Db
from webapp.core.store.connection import DATA_VERSION, connect
from webapp.server import embedded_store
from webapp.server.data_dir import LOCK_FILE, lock
from webapp.server.embedded_store import AOF_FOLDER, AOF_MANIFEST

from .backup import MEDIA
from .copier import Copier
from .copies import PARTIAL, Copy, check_sums, locked, read_copy
from .encryption import Transform, decrypting
from .store_files import StoreFiles, file_names

SLOTS = 1_000  # hint to SCAN: slots of the table that one answer covers


def restore(config: Config, folder: Path, identity: Path | None = None) -> Copy:
    """Put a copy, or the newest of a folder of copies, into an empty data folder.

    All sums are checked before. `identity`: the file with the key of an encrypted copy. The copy
    stays as it is: no file is linked, since the store goes on writing.
    Raises BadSetting for a store that is not embedded, StoreError; nothing is then left.
    """
    if not config.embedded:
        raise BadSetting("REDIS_URL is set. Only the embedded store under DATA_DIR is restored.")
    copy = read_copy(folder)
    if copy.data_version != DATA_VERSION:
        raise StoreError(
            f"The copy holds data of another version ({copy.data_version}); this Linnet reads"
            f" {DATA_VERSION}. Use Linnet {copy.version}."
        )
    transform = decrypting(identity) if copy.recipients else copyfileobj
    check_sums(copy)
    _require_empty(config)
    lock_fd = lock(config.data_dir)
    try:
        _require_empty(config)
        _put(copy, config, transform)
    except OSError as error:
        raise StoreError(f"Nothing was restored: {error}.") from None
    finally:
        os.close(lock_fd)
    return copy


def _require_empty(config: Config) -> None:
    """Raise StoreError if a folder holds more than a killed restore left."""
    for folder in {config.data_dir, config.media_path}:
        for path in folder.iterdir() if folder.exists() else ():
            is_left = path.name.startswith(PARTIAL) or path.name == LOCK_FILE
            if not is_left and path != config.media_path:
                raise StoreError(f"{folder} is not empty: it holds {path.name}. Move it away.")


def _put(copy: Copy, config: Config, transform: Transform) -> None:
    """Copy all files to a place beside their own, and move them there when all are written."""
    config.media_path.mkdir(parents=True, exist_ok=True)
    for folder in (config.data_dir, config.media_path):
        for path in folder.glob(f"{PARTIAL}*"):
            shutil.rmtree(path)
    with (
        TemporaryDirectory(prefix=PARTIAL, dir=config.data_dir) as data,
        TemporaryDirectory(prefix=PARTIAL, dir=config.media_path) as media,
    ):
        to_data, to_media = (Copier(Path(one), None, transform) for one in (data, media))
        for name in copy.files:
            first, _, rest = name.partition("/")
            copier, short = (to_media, rest) if first == MEDIA else (to_data, name)
            copier.add(copy.folder / name, short, never_changes=False)
        for copier, place in ((to_media, config.media_path), (to_data, config.data_dir)):
            copier.sync_folders()
            # The store comes last: without its key it would begin with another one.
            for path in sorted(copier.folder.iterdir(), key=lambda path: path.name == AOF_FOLDER):
                path.rename(place / path.name)


def try_copy(folder: Path, identity: Path | None = None) -> tuple[Copy, Counter[str]]:
    """Check the sums of a copy, or of the newest in a folder, start its store, and count its keys.

    The counts are by the first part of the keys, such as `login`. `identity`: the file with the
    key of an encrypted copy, whose store is decrypted beside it until it is counted.

    Raises StoreError if the copy is damaged or its store does not start.
    """
    copy = read_copy(folder)
    transform = decrypting(identity) if copy.recipients else None
    try:
        with locked(copy.folder.parent):
            check_sums(copy)
            with _started(copy, transform) as db:
                names = {name for names in db.scan("*", SLOTS) for name in names}
                return copy, Counter(name.split(":")[0] for name in names)
    except OSError as error:
        raise StoreError(f"The copy cannot be tried: {error}.") from None


@contextmanager
def _started(copy: Copy, transform: Transform | None) -> Iterator[Db]:
    """Start the store of a copy. Files that it only reads are linked, as it removes them later."""
    source = copy.folder / AOF_FOLDER
    with TemporaryDirectory(prefix=PARTIAL, dir=copy.folder.parent) as temporary:
        target = Path(temporary, AOF_FOLDER)
        target.mkdir()
        copier = Copier(target, None, transform or shutil.copyfileobj)
        copier.add(source / AOF_MANIFEST, AOF_MANIFEST, never_changes=False)
        for name, never_changes in file_names(StoreFiles(target).read_manifest()):
            if never_changes and not transform:
                os.link(source / name, target / name)
            else:
                copier.add(source / name, name, never_changes=False)
        process = embedded_store.start(Path(temporary))
        try:
            db = connect(Config(data_dir=Path(temporary)))
            yield db
            db.close()
        finally:
            embedded_store.stop(process)
