"""Remove stored pictures: single ones, whole folders, and files that are not in use."""

from collections.abc import Collection
from itertools import chain

from webapp.config import Config
from webapp.core.store import Site

from . import files, restrictions
from .storage import ANIMATED, CHAT_PICTURE_FILE, PICTURE_SIZES, STATUS_SIDES, animation_path

REMOVE_BATCH = 1_000  # files of one slice
IN_FLIGHT_SECONDS = 600  # a file this young may belong to a form that is being saved


def sweep_folder(
    config: Config,
    folder: int | str,
    names_in_use: Collection[str],
    unused_names: Collection[str] = (),
) -> None:
    """Remove the pictures of a folder that are not in use.

    `folder`: a member's id, `groups/<gid>` or `chat/<cid>`.
    """
    path = config.media_path / str(folder)
    files.sweep_folder(path, names_in_use, unused_names, IN_FLIGHT_SECONDS)


def remove_unused(config: Config, names: Collection[str]) -> None:
    """Remove pictures of a member that were just stored, since their form is refused."""
    for name in filter(None, names):
        for width, _ in chain(*PICTURE_SIZES.values()):
            (config.media_path / f"{name}-{width}.webp").unlink(missing_ok=True)


def remove_chat_pictures(config: Config, names: Collection[str]) -> None:
    """Remove pictures of chats."""
    for name in names:
        for file in (f"{name}.webp", animation_path(name)):
            if CHAT_PICTURE_FILE.fullmatch(file):
                (config.media_path / file).unlink(missing_ok=True)


def remove_status_pictures(config: Config, names: Collection[str]) -> None:
    """Remove pictures of statuses."""
    for name in names:
        for rendition in (*STATUS_SIDES, ANIMATED):
            (config.media_path / f"{name}-{rendition}.webp").unlink(missing_ok=True)
        restrictions.remove(config, name)


def remove_link_pictures(config: Config, oldest_day: int) -> None:
    """Remove REMOVE_BATCH pictures of link cards from before a day (yyyymmdd)."""
    for folder in sorted((config.media_path / "cards").glob("[0-9]" * 8)):
        if int(folder.name) >= oldest_day or remove_some(config, f"cards/{folder.name}"):
            return


def remove_interrupted(site: Site, partition: int) -> None:
    """Remove files that killed processes were writing. A periodic job, safe to repeat. No trip."""
    if partition == 0:
        files.remove_interrupted(site.config.media_path, IN_FLIGHT_SECONDS)


def remove_all(config: Config, folder: int | str) -> None:
    """Remove all pictures of a folder."""
    while remove_some(config, folder):
        pass


def remove_some(config: Config, folder: int | str) -> bool:
    """Remove REMOVE_BATCH files of a folder. Return True if there are more."""
    return files.remove_some(config.media_path / str(folder), REMOVE_BATCH)
