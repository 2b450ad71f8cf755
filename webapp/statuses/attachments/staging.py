"""Files of pictures on their way to a status, so that no file stays that no status shows.

A name is listed before its file is written. The script that posts takes it off the list, and the
one that deletes a status puts it back. Files that stay listed are removed.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence

from webapp.config import Config
from webapp.core.forms.fields import UploadedPicture
from webapp.core.media import storage as media
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script

from . import keys
from .pictures import Picture

STAGE = script("statuses/attachments/lua/stage.lua")
COLLECT_STALE = script("statuses/attachments/lua/collect_stale.lua")
BATCH = 200  # pictures of a partition that are removed in one run


def stage(db: Db, config: Config, uid: int, pictures: Sequence[UploadedPicture]) -> list[Picture]:
    """Store pictures for a status that is about to be posted. One trip.

    Raises BadPicture; Unavailable, also if too many wait to be decoded or the disk is full.
    """
    names = [f"posts/{uid}/{secrets.token_hex(16)}" for _ in pictures]
    if not names:
        return []
    db.run(STAGE(uploads=keys.uploads(partition_of(uid)), names=names))
    try:
        return [
            _store_picture(config, name, picture)
            for name, picture in zip(names, pictures, strict=True)
        ]
    except Exception:
        discard(db, config, uid, names)
        raise


def discard(db: Db, config: Config, uid: int, names: Collection[str]) -> None:
    """Remove pictures that no status shows. One trip."""
    media.remove_status_pictures(config, names)
    if names:
        db.run(("ZREM", keys.uploads(partition_of(uid)), *names))


def remove_stale(db: Db, config: Config, partition: int) -> None:
    """Remove up to BATCH pictures that no status shows. A periodic job, safe to repeat.

    Two trips.
    """
    key = keys.uploads(partition)
    names = db.run(COLLECT_STALE(uploads=key, wait_ms=media.IN_FLIGHT_SECONDS * 1000, limit=BATCH))
    media.remove_status_pictures(config, names)
    if names:
        db.run(("ZREM", key, *names))


def _store_picture(config: Config, name: str, upload: UploadedPicture) -> Picture:
    width, height, colours, digest = media.save_in_status(
        config, name, upload.file.stream, upload.file.mimetype
    )
    return Picture(name, width, height, upload.alt, colours, upload.focus, digest)
