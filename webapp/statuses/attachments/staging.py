"""Files of pictures on their way to a status, a draft or a message, so that none stays unseen.

A name is listed before its file is written. The script that posts, sends or saves a draft takes it
off the list. The one that deletes a status or a draft puts it back. Files that stay listed are
removed.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import replace

from webapp.config import Config
from webapp.core.forms.fields import UploadedPicture
from webapp.core.media import removal, restrictions, storage as media
from webapp.core.store import Site, partition_of, script
from webapp.statuses.values.pictures import Picture

from . import quota
from .own_descriptions import own_description

STAGE = script("statuses/attachments/lua/stage.lua")
COLLECT_STALE = script("statuses/attachments/lua/collect_stale.lua")
ChosenPicture = UploadedPicture | Picture  # a new file, or a picture of the draft
BATCH = 200  # pictures of a partition that are removed in one run


def stage(site: Site, uid: int, chosen: Sequence[ChosenPicture]) -> list[Picture]:
    """Store pictures for a status that is about to be posted. Two trips.

    The pictures of its draft get another name and stay where they are. One without files keeps
    its name, which cannot be posted. Raises BadPicture, also if the member has no room for more;
    Unavailable, also if too many wait to be decoded or the disk is full.
    """
    return _stage(site, uid, chosen, is_restricted=False)


def stage_for_draft(
    site: Site, uid: int, chosen: Sequence[ChosenPicture], suggests: bool = False
) -> list[Picture]:
    """Store new pictures for a draft: only its writer may open them. Two trips if there are some.

    Those that the draft has keep their names. `suggests`: one without a description gets that of
    its file, which its writer sees in the draft. Raises as `stage`.
    """
    uploads = [one for one in chosen if isinstance(one, UploadedPicture)]
    if suggests:
        alt_max = site.config.alt_max
        uploads = [
            replace(one, alt=one.alt or own_description(one.file.stream, alt_max))
            for one in uploads
        ]
    staged = iter(_stage(site, uid, uploads, is_restricted=True))
    return [one if isinstance(one, Picture) else next(staged) for one in chosen]


def withdraw(
    site: Site, uid: int, staged: Sequence[Picture], chosen: Sequence[ChosenPicture]
) -> None:
    """Remove the staged pictures of a form that was refused. One trip at most."""
    chosen_names = {one.name for one in chosen if isinstance(one, Picture)}
    discard(site, uid, {picture.name for picture in staged} - chosen_names)


def discard(site: Site, uid: int, names: Collection[str]) -> None:
    """Remove pictures that no status and no draft shows. One trip."""
    removal.remove_status_pictures(site.config, names)
    quota.forget(site.db, partition_of(uid), names)


def remove_stale(site: Site, partition: int) -> None:
    """Remove up to BATCH pictures that nothing shows. A periodic job, safe to repeat. Two trips."""
    wait_ms = removal.IN_FLIGHT_SECONDS * 1000
    names = site.run(COLLECT_STALE, partition=partition, wait_ms=wait_ms, limit=BATCH)
    removal.remove_status_pictures(site.config, names)
    removal.remove_chat_pictures(site.config, names)
    quota.forget(site.db, partition, names)


def list_waiting(site: Site, partition: int, names: Sequence[str]) -> None:
    """List pictures whose files are about to be written. One trip."""
    site.run(STAGE, partition=partition, names=names)


def _stage(
    site: Site, uid: int, chosen: Sequence[ChosenPicture], is_restricted: bool
) -> list[Picture]:
    names = [f"posts/{uid}/{secrets.token_hex(16)}" for _ in chosen]
    if not names:
        return []
    list_waiting(site, partition_of(uid), names)
    try:
        if is_restricted:
            restrictions.restrict(site.config, names)
        stored = [_store(site.config, name, one) for name, one in zip(names, chosen, strict=True)]
        pairs = zip(names, chosen, strict=True)
        new = [name for name, one in pairs if isinstance(one, UploadedPicture)]
        quota.count_pictures(site, uid, names, new)
        return stored
    except Exception:
        discard(site, uid, names)
        raise


def _store(config: Config, name: str, chosen: ChosenPicture) -> Picture:
    if isinstance(chosen, UploadedPicture):
        return _store_upload(config, name, chosen)
    size = (chosen.width, chosen.height)
    has_files = media.copy_in_status(config, chosen.name, name, size, chosen.animated)
    return replace(chosen, name=name) if has_files else chosen


def _store_upload(config: Config, name: str, upload: UploadedPicture) -> Picture:
    stored = media.save_in_status(config, name, upload.file.stream)
    return Picture(
        name=name,
        width=stored.width,
        height=stored.height,
        alt=upload.alt,
        colours=stored.colours,
        focus=upload.focus,
        digest=stored.digest,
        animated=stored.animated,
    )
