"""Bytes of the pictures in a member's posts and drafts: counted while their files are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from flask_babel import gettext as _

from webapp.core.media.decoding import BadPicture
from webapp.core.media.files import HASH_LENGTH
from webapp.core.media.storage import status_picture_bytes
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, read
from webapp.core.store.scripts import script

from . import keys

COUNT = script("statuses/attachments/lua/count_pictures.lua")
FORGET = script("statuses/attachments/lua/forget_uploads.lua")
MEGABYTE = 1_000_000
BATCH = 500  # pictures that one script counts


def picture_bytes(uid: int) -> Read[int]:
    """Read how many bytes the pictures in a member's posts and drafts have, in all sizes."""
    return read(("HGET", keys.picture_bytes(uid), "total"), lambda total: int(total or 0))


def count_pictures(site: Site, uid: int, names: Collection[str], *, are_new: bool) -> None:
    """Count pictures whose files are stored. One trip. Counting one again changes nothing.

    `are_new`: raises BadPicture if the member has no room for them.
    """
    most = site.config.picture_megabytes_max if are_new else 0
    sizes = {name: status_picture_bytes(site.config, name) for name in names}
    if not _count(site.db, uid, sizes, most * MEGABYTE):
        message = _(
            "The pictures of your posts and drafts may take up %(most)d MB. Delete some first.",
            most=most,
        )
        raise BadPicture("quota", message)


def forget(db: Db, partition: int, names: Collection[str]) -> None:
    """Count pictures of a partition's members no longer, whose files are removed. One trip."""
    if names:
        db.run(FORGET(partition=partition, names=names))


def count_stored(site: Site, uids: Iterable[int]) -> None:
    """Count the pictures that members had before they were counted. One trip for each BATCH."""
    for uid in uids:
        folder, sizes = site.config.media_path / "posts" / str(uid), Counter[str]()
        for file in folder.glob("*.webp"):
            sizes[f"posts/{uid}/{file.name[:HASH_LENGTH]}"] += file.stat().st_size
        names = list(sizes)
        for start in range(0, len(names), BATCH):
            _count(site.db, uid, {one: sizes[one] for one in names[start : start + BATCH]}, 0)


def _count(db: Db, uid: int, sizes: dict[str, int], most: int) -> bool:
    pairs = [part for pair in sizes.items() if pair[1] for part in pair]
    return bool(db.run(COUNT(uid=uid, most=most, sizes=pairs)))
