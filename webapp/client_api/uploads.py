"""Pictures that apps send before the status that shows them, remembered for a day."""

from collections.abc import Sequence

from webapp.core.errors import NotFound
from webapp.core.forms.fields import UploadedPicture
from webapp.core.media.removal import IN_FLIGHT_SECONDS
from webapp.core.store import Db, Read, Site, collect, partition_of, read, script
from webapp.statuses import Picture
from webapp.statuses.attachments import staging
from webapp.statuses.values.pictures import pack_pictures, unpack_pictures

from . import keys
from .entities.media import media_id

KEEP = script("client_api/lua/keep_upload.lua")
DROP = script("client_api/lua/drop_upload.lua")
DAY_SECONDS = 86_400


def keep(site: Site, uid: int, upload: UploadedPicture) -> Picture:
    """Store a picture, and remember it for a day. Three trips. Raises BadPicture."""
    [picture] = staging.stage(site, uid, [upload])
    remember(site.db, uid, picture)
    return picture


def find(db: Db, uid: int, number: int) -> Picture:
    """Return a picture that a member has sent. One trip. Raises NotFound."""
    [picture] = of_member(db, uid, [number])
    return picture


def of_member(db: Db, uid: int, numbers: Sequence[int]) -> list[Picture]:
    """Return the pictures with these ids that a member has sent. One trip. Raises NotFound."""
    found = db.read(collect(_stored(uid, number) for number in numbers))
    pictures = [picture for picture in found if picture]
    if len(pictures) < len(numbers):
        raise NotFound("no_upload")
    return pictures


def _stored(uid: int, number: int) -> Read[Picture | None]:
    command = ("GET", keys.media_upload(uid, number))
    return read(command, lambda stored: unpack_pictures(stored)[0] if stored else None)


def remember(db: Db, uid: int, picture: Picture) -> None:
    """Remember a picture that was stored, with its description and focus. One trip.

    Raises NotFound if a status shows it already.
    """
    command = KEEP(
        uid=uid,
        id=media_id(picture),
        partition=partition_of(uid),
        name=picture.name,
        picture=pack_pictures([picture], with_digest=True),
        seconds=DAY_SECONDS,
        wait_seconds=IN_FLIGHT_SECONDS,
    )
    NotFound.unless(db.run(command), "no_upload")


def drop(site: Site, uid: int, number: int) -> None:
    """Remove a picture that a member has sent and no status shows. Three trips. Raises NotFound."""
    picture = find(site.db, uid, number)
    dropped = site.run(DROP, uid=uid, id=number, partition=partition_of(uid), name=picture.name)
    NotFound.unless(dropped, "no_upload")
    staging.discard(site, uid, [picture.name])
