"""The pictures of a message that is being sent: stored first, removed again if it is not sent.

They are listed before, so that those of a process that died are removed too.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from flask_babel import gettext as _

from webapp.accounts import store as accounts
from webapp.chat import reading
from webapp.chat.cleanup import removed_if_refused
from webapp.chat.ids import other_member_uid
from webapp.chat.keys import chat_partition
from webapp.chat.members import policy
from webapp.chat.models import Content, Picture
from webapp.core.errors import Forbidden, NotFound, Refused, Unavailable
from webapp.core.forms.fields import UploadedPicture
from webapp.core.media import removal, storage as media
from webapp.core.media.decoding import BadPicture
from webapp.core.text.cleaning import clean_line
from webapp.core.text.parser import Unacceptable
from webapp.core.web import config, db, rate_limits, site
from webapp.statuses.attachments import staging

from . import sending


def consume_limits(uid: int, has_pictures: bool) -> None:
    """Count a message and its pictures against a member's limits. One trip. Raises RateLimited."""
    limits = [("chat", str(uid), config().limit_chat)]
    if has_pictures:
        limits.append(("chat-pictures", str(uid), config().limit_pictures))
    rate_limits.consume(db(), *limits)


def send(uid: int, cid: str, content: Content, uploads: Sequence[UploadedPicture], key: str) -> int:
    """Store pictures, send a message with them, and return its id. Raises BadPicture, Refused."""
    stored = store_pictures(uid, cid, uploads)
    with_pictures = replace(content, pictures=tuple(stored))
    with removed_if_refused(config(), [picture.name for picture in stored]):
        message_id = sending.send(site(), uid, cid, with_pictures, key)
    remove_unused(uid, cid, message_id, stored)
    return message_id


def store_pictures(uid: int, cid: str, uploads: Sequence[UploadedPicture]) -> list[Picture]:
    """Store the pictures of a message of this member, and return them.

    Their names are unique to this request, so they can be removed again. Raises BadPicture, also
    for too many; NotFound, Forbidden.
    """
    limit = config().chat_pictures_max
    if len(uploads) > limit:
        raise BadPicture("too_many", _("A message has at most %(most)d pictures.", most=limit))
    names: list[str] = []
    if uploads:
        _require_may_write(uid, cid)
        names = [media.new_in_chat(cid) for _ in uploads]
        staging.list_waiting(site(), chat_partition(cid), names)
    stored: list[Picture] = []
    try:
        for name, upload in zip(names, uploads, strict=True):
            one = media.save_in_chat(config(), name, upload.file.stream)
            alt = clean_alt(upload.alt)
            picture = Picture(one.name, one.width, one.height, alt, one.animated, one.digest)
            stored.append(picture)
    except (BadPicture, Unavailable):
        remove_pictures(stored)
        raise
    return stored


def remove_pictures(pictures: Sequence[Picture]) -> None:
    """Remove stored pictures."""
    removal.remove_chat_pictures(config(), [picture.name for picture in pictures])


def remove_unused(uid: int, cid: str, message_id: int, stored: Sequence[Picture]) -> None:
    """Remove pictures that the message does not have, as it was sent before. One trip."""
    if not stored:
        return
    with suppress(Refused):  # the message is sent, whatever happens here
        message = db().read(reading.find_message(uid, cid, message_id))
        used = {picture.name for picture in message.pictures} if message else set()
        remove_pictures([picture for picture in stored if picture.name not in used])


def _require_may_write(uid: int, cid: str) -> None:
    """Raise NotFound or Forbidden for somebody who cannot write in a chat. At most four trips.

    Otherwise anybody could fill its folder. A direct chat may begin with a picture.
    """
    other_uid = other_member_uid(cid, uid)
    try:
        chat_page = db().read(reading.open_chat(uid, cid))
    except NotFound:
        if other_uid is None:
            raise
    else:
        if chat_page.chat.kind == "announcement" and not chat_page.is_owner:
            raise Forbidden("only_owners")
    if other_uid is not None:
        is_suspended = db().read(accounts.get_or_404(other_uid)).suspended
        if is_suspended or policy.is_blocked(db(), uid, other_uid):
            raise Forbidden("cannot_write_them")


def clean_alt(alt: str) -> str:
    """Return a description of a picture, cut to its limit; "" for one that is not allowed."""
    try:
        return clean_line(alt[: config().alt_max], config().alt_max)
    except Unacceptable:
        return ""
