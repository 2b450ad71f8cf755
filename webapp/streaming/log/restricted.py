"""Statuses that are not for everybody, in the site's log.

The log holds numbers about them, never a word. Open homes of those who may see such a status are
sent its numbers; no other stream is. The page then asks for the status, and its rights are checked
at that moment (`statuses/by_ids.py`).
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from webapp.core.events.outbox import Event
from webapp.statuses import Status, Visibility
from webapp.statuses.values.visibility import unpack_uids

from .entries import BOOST_EVENTS

# The fields that a restricted entry keeps: numbers, and how visible the status was.
STATUS_FIELDS = ("id", "author", "visibility", "mentioned", "reply_to_uid")
BOOST_FIELDS = ("id", "author", "uid", "status")


class RestrictedAudience(NamedTuple):
    """The homes that a restricted message is for, out of those that show its author.

    The visibility policy decides by the effective `visibility` and `mentioned_uids`. A reply to
    another member, `reply_to_uid`, is only for homes that show that member as well; 0: no reply.
    """

    visibility: Visibility = Visibility.FOLLOWERS
    mentioned_uids: frozenset[int] = frozenset()
    reply_to_uid: int = 0


def redact(event: Event, protected_authors: Collection[int]) -> Event | None:
    """Return an event as the log may hold it; None if the log must not hold it.

    An event about a status that is not for everybody keeps its numbers only. `protected_authors`:
    the protected members among those who wrote the status or boosted it.
    """
    if not protected_authors and not Visibility(event.data.get("visibility", "")).restricted:
        return event
    is_boost = event.type in BOOST_EVENTS
    if is_boost and event.number("author") in protected_authors:
        return None  # nobody sees boosts of a protected member's statuses
    allowed_fields = BOOST_FIELDS if is_boost else STATUS_FIELDS
    data = {name: event.data[name] for name in allowed_fields if name in event.data}
    return replace(event, data=data | {"restricted": "1"})


def audience_of(event: Mapping[str, str], status: Status | None) -> RestrictedAudience | None:
    """Return the homes that are notified of a restricted entry, None if nobody is.

    The status as it is now decides; of a deletion, the status as it was. `status` is None if it
    is gone.
    """
    if event["type"] in BOOST_EVENTS:
        return RestrictedAudience()
    author = int(event["author"])
    if event["type"] == "deleted":
        reply_to_uid = int(event.get("reply_to_uid") or 0)
        return RestrictedAudience(
            Visibility(event.get("visibility", "")),
            unpack_uids(event.get("mentioned")),
            0 if reply_to_uid == author else reply_to_uid,
        )
    if status is None or status.author.suspended:
        return None
    return RestrictedAudience(status.visibility, status.mentioned_uids, status.reply_to_uid)
