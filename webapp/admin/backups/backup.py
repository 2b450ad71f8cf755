"""`linnet backup`: copy the store, the pictures, the site's own pages and its key."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp

from webapp.about.documents import OWN_FOLDER
from webapp.config import Config
from webapp.core.errors import StoreError
from webapp.core.store.connection import DATA_VERSION

from .copier import Copier
from .copies import (
    FILE_LIST,
    NAME,
    PARTIAL,
    Copy,
    copy_names,
    list_text,
    locked,
    new_name,
    read_copy,
)
from .encryption import Transform, encrypting
from .store_files import copy_store

MEDIA, SECRET_KEY = "media", "secret_key"
REMADE = {"drawn", "tmp", "archives"}  # folders of files that are made again, or end in a week


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy that was just made. `linked`: its files that take no room of their own."""

    copy: Copy
    linked: int
    removed: int  # older copies


def make_backup(
    config: Config, folder: Path, keep: int, recipients: tuple[str, ...] = ()
) -> Backup:
    """Add a copy of a site to a folder of copies, and remove all but the newest `keep`.

    The site may run. The copy gets its name once it is whole and on the disk. With `recipients`,
    public keys of age, it is encrypted. Raises StoreError; the folder is then as before.
    """
    if folder.resolve().is_relative_to(config.media_path.resolve()):
        raise StoreError(f"{folder} is among the pictures. Choose another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            if not NAME.fullmatch(path.name) and not path.name.startswith(PARTIAL):
                raise StoreError(f"{folder} holds other things than copies: {path.name}.")
        with locked(folder):
            copy, linked = _copy_site(config, folder, recipients)
            return Backup(copy, linked, _remove_old(copy, keep))
    except OSError as error:
        raise StoreError(f"No copy was made: {error}.") from None


def _copy_site(config: Config, folder: Path, recipients: tuple[str, ...]) -> tuple[Copy, int]:
    previous = _newest(folder)
    transform = transform_for(recipients, previous)
    partial = Path(mkdtemp(prefix=PARTIAL, dir=folder))
    try:
        copier = Copier(partial, previous, transform, recipients)
        text = list_text(copy_site(copier, config))
        (partial / FILE_LIST).write_text(text, encoding="utf-8")
        copier.sync_folders()
        return read_copy(partial.rename(folder / new_name())), copier.linked
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def transform_for(recipients: tuple[str, ...], previous: Copy | None) -> Transform:
    """Return a function that encrypts files for these recipients, or copies them for none.

    Raises StoreError for a wrong recipient, and for none after a copy that was encrypted.
    """
    if previous and previous.recipients and not recipients:
        raise StoreError("The newest copy there is encrypted. Name a --recipient.")
    return encrypting(recipients) if recipients else shutil.copyfileobj


def copy_site(copier: Copier, config: Config) -> Copy:
    """Copy all files of a site. Return the copy, whose list is not written yet."""
    copy_store(copier, config)
    for source, name, never_changes in _other_files(config):
        with suppress(FileNotFoundError):  # removed meanwhile
            copier.add(source, name, never_changes)
    return Copy(copier.folder, version("linnet"), DATA_VERSION, copier.files, copier.recipients)


def _newest(folder: Path) -> Copy | None:
    with suppress(StoreError):
        return read_copy(folder)
    return None


def _other_files(config: Config) -> Iterator[tuple[Path, str, bool]]:
    """Yield files that are not the store's: where, their name in the copy, if they never change."""
    if config.embedded and not config.secret_key:  # else another key is in use than the file's
        yield config.data_dir / SECRET_KEY, SECRET_KEY, False
    for path in sorted((config.data_dir / OWN_FOLDER).glob("*/*.md")):
        yield path, f"{OWN_FOLDER}/{path.relative_to(config.data_dir / OWN_FOLDER)}", False
    for parent, folders, names in os.walk(config.media_path):
        place = Path(parent).relative_to(config.media_path)
        if not place.parts:
            folders[:] = set(folders) - REMADE
        yield from ((Path(parent, name), f"{MEDIA}/{place / name}", True) for name in names)


def _remove_old(newest: Copy, keep: int) -> int:
    """Remove all copies but the newest. A copy loses its name first. Return how many."""
    folder = newest.folder.parent
    others = [name for name in copy_names(folder) if name != newest.folder.name]
    old = others[: max(len(others) - keep + 1, 0)]
    for name in old:
        renamed = (folder / name).rename(folder / f"{PARTIAL}{name}")
        shutil.rmtree(renamed, ignore_errors=True)
    return len(old)
