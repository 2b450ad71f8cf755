"""The files of pictures that are sent with statuses, so that none stays that no status shows.

A name is listed before its file is written. The script that posts takes it off the list, and the one that deletes puts
it back; what stays there goes, whoever died in between.
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

UPLOAD = script("statuses/attachments/lua/stage.lua")
STALE = script("statuses/attachments/lua/collect_stale.lua")
BATCH = 200  # pictures of a partition that one look removes


def stage(db: Db, config: Config, uid: int, pictures: Sequence[UploadedPicture]) -> list[Picture]:
    """Keeps pictures for a status that is about to be posted. One trip. Raises BadPicture; Unavailable, also when too
    many wait to be decoded or the disk is full.
    """
    names = [f"posts/{uid}/{secrets.token_hex(16)}" for _ in pictures]
    if not names:
        return []
    db.run(UPLOAD([keys.uploads(partition_of(uid))], *names))
    try:
        return [
            _store_picture(config, name, one) for name, one in zip(names, pictures, strict=True)
        ]
    except Exception:
        discard(db, config, uid, names)
        raise


def discard(db: Db, config: Config, uid: int, names: Collection[str]) -> None:
    """Removes pictures that no status shows."""
    media.remove_status_pictures(config, names)
    if names:
        db.run(("ZREM", keys.uploads(partition_of(uid)), *names))


def remove_stale(db: Db, config: Config, partition: int) -> None:
    """Removes what no status shows, up to BATCH pictures. Safe to do twice, and while members post. A periodic job."""
    key = keys.uploads(partition)
    names = db.run(STALE([key], media.IN_FLIGHT_SECONDS * 1000, BATCH))
    media.remove_status_pictures(config, names)
    if names:
        db.run(("ZREM", key, *names))


def _store_picture(config: Config, name: str, upload: UploadedPicture) -> Picture:
    width, height, colours, digest = media.save_in_status(
        config, name, upload.file.stream, upload.file.mimetype
    )
    return Picture(name, width, height, upload.alt, colours, upload.focus, digest)
