"""`linnet backup --verify`: start the store of a copy in a throw-away folder, and count."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from webapp.config import Config
from webapp.core.errors import StoreError
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.server import embedded_store
from webapp.server.embedded_store import AOF_FOLDER, AOF_MANIFEST

from .copier import Copier
from .copies import PARTIAL, Copy, check_sums, locked, read_copy
from .encryption import Transform, decrypting
from .store_files import StoreFiles, file_names

SLOTS = 1_000  # hint to SCAN: slots of the table that one answer covers


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
