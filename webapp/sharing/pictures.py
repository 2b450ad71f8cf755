"""The drawn pictures of links: which posts have one, and the cached files of them.

A file is named after its content. So an edited post or a renamed author gets another one.
"""

import hashlib
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock

from webapp.config import Config
from webapp.core.errors import NotFound, Unavailable
from webapp.core.media import files
from webapp.core.rendering.static.site_icons import icon_file
from webapp.core.store import Site
from webapp.statuses import Status

from .drawing import LINNET, LINNET_ICON, Card, draw

FOLDER = "drawn"  # in the media folder
DESIGN = 1  # counted up when the same post is drawn in another way
FILES_MAX = 2_000  # some 40 MB
AGE_MAX_SECONDS = 7 * 86_400
DRAW_WAIT_SECONDS = 5.0  # for other pictures that are being drawn
draw_lock = Lock()  # a process draws one at a time


def card_of(config: Config, status: Status) -> Card | None:
    """Return the text to draw for a status. None for one that has pictures or a warning.

    None also if not everybody may see it.
    """
    if status.visibility.restricted or status.pictures or status.cw:
        return None
    author = status.author
    return Card(author.name, author.login, status.text, config.site_name, icon_file(config))


def digest_of(card: Card) -> str:
    """Return the hash of a picture's content."""
    parts = [str(DESIGN), card.name, card.login, card.text]
    if (card.site, card.icon) != (LINNET, LINNET_ICON):
        parts += [card.site, card.icon.name]
    content = "\0".join(parts)
    return hashlib.sha256(content.encode()).hexdigest()[: files.HASH_LENGTH]


def file_name(card: Card) -> str:
    """Return the path of a picture's file below the media folder."""
    return f"{FOLDER}/{digest_of(card)}.png"


def cached_picture(config: Config, card: Card) -> bytes | None:
    """Return a picture that was drawn before, None if it must be drawn."""
    with suppress(NotFound):
        return files.read(config.media_path / file_name(card))
    return None


def draw_and_store(config: Config, card: Card) -> bytes:
    """Draw a picture and store it. Of several requests for it, the first one draws.

    Raises Unavailable if too many pictures wait to be drawn.
    """
    if not draw_lock.acquire(timeout=DRAW_WAIT_SECONDS):
        raise Unavailable("overloaded", retry_after=10)
    try:
        content = cached_picture(config, card)
        if content is None:
            content = draw(card)
            _store(config, card, content)
        return content
    finally:
        draw_lock.release()


def remove_old(site: Site, partition: int) -> None:
    """Remove files that are old or too many, with the first partition. No trip."""
    if partition == 0:
        with suppress(FileNotFoundError):
            _remove_surplus(site.config.media_path / FOLDER)


def _store(config: Config, card: Card, content: bytes) -> None:
    """Write a file, and remove those that are old or too many. It is sent even if this fails."""
    with suppress(Unavailable, OSError):
        files.write(config.media_path, {file_name(card): content})
        _remove_surplus(config.media_path / FOLDER)


def _remove_surplus(folder: Path) -> None:
    for file in _surplus(folder):
        file.unlink(missing_ok=True)


def _surplus(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that are older than AGE_MAX_SECONDS, or too many."""
    written: list[tuple[float, Path]] = []
    for file in folder.iterdir():
        with suppress(FileNotFoundError):  # another process has removed it
            written.append((file.stat().st_mtime, file))
    written.sort(reverse=True)
    oldest = time.time() - AGE_MAX_SECONDS
    for place, (written_at, file) in enumerate(written):
        if place >= FILES_MAX or written_at < oldest:
            yield file
