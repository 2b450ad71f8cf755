"""Count the bytes of the pictures in a member's posts and drafts, from storing to removal."""

from collections.abc import Collection, Iterable

from flask_babel import gettext as _

from webapp.config import Config
from webapp.core.media.decoding import BadPicture
from webapp.core.media.files import HASH_LENGTH
from webapp.core.media.storage import status_picture_bytes
from webapp.core.store import Db, Read, Site, read, script

from . import keys

COUNT = script("statuses/attachments/lua/count_pictures.lua")
FORGET = script("statuses/attachments/lua/forget_uploads.lua")
MEGABYTE = 1_000_000
BATCH = 500  # pictures that one script counts


def picture_bytes(uid: int) -> Read[int]:
    """Read how many bytes the pictures in a member's posts and drafts have, in all sizes."""
    return read(("HGET", keys.picture_bytes(uid), "total"), lambda total: int(total or 0))


def count_pictures(site: Site, uid: int, names: Collection[str], new: Collection[str]) -> None:
    """Count pictures whose files are stored. One trip. Counting one again changes nothing.

    `new`: those that need room. The others are copies from a draft, which goes when it is posted.
    Raises BadPicture if the member has no room for these.
    """
    sizes = _sizes(site.config, names)
    most = site.config.picture_megabytes_max if new else 0
    copied = sum(size for name, size in sizes.items() if name not in new)
    if not _count(site.db, uid, sizes, most and most * MEGABYTE + copied):
        message = _(
            "The pictures of your posts and drafts may take up %(most)d MB. Delete some first.",
            most=most,
        )
        raise BadPicture("quota", message)


def forget(db: Db, partition: int, names: Collection[str]) -> None:
    """Stop counting pictures of a partition's members whose files were removed. One trip."""
    if names:
        db.run(FORGET(partition=partition, names=names))


def count_stored(site: Site, uids: Iterable[int]) -> None:
    """Count the pictures that members had before they were counted. One trip for each BATCH."""
    for uid in uids:
        files = (site.config.media_path / "posts" / str(uid)).glob("*.webp")
        names = sorted({f"posts/{uid}/{file.name[:HASH_LENGTH]}" for file in files})
        for start in range(0, len(names), BATCH):
            batch, counted = names[start : start + BATCH], dict[str, int]()
            # Until they stay the same: pictures may be stored or removed meanwhile.
            while (sizes := _sizes(site.config, batch)) != counted:
                _count(site.db, uid, sizes, 0)
                counted = sizes


def _sizes(config: Config, names: Iterable[str]) -> dict[str, int]:
    return {name: status_picture_bytes(config, name) for name in names}


def _count(db: Db, uid: int, sizes: dict[str, int], most: int) -> bool:
    return bool(db.run(COUNT(uid=uid, most=most, sizes=sizes)))
