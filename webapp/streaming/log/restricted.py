"""What not everybody may see, in the site's log: that it is there, and no word of it. Open homes of those who may see
it are told so, no other stream is; and what the page then asks for is judged anew (`statuses/by_ids.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from webapp.core.events.outbox import Event
from webapp.statuses.status import Status
from webapp.statuses.visibility.visibility import Visibility, unpack_uids

BOOST_EVENTS = {"boosted", "unboosted"}
MESSAGE_KINDS = {
    "posted": "update",
    "revised": "edit",
    "deleted": "delete",
}  # of messages; of all others: tally
# What may be carried: numbers, and how visible it was said to be. Named are as many as its text has room for.
STATUS_FIELDS = ("id", "author", "vis", "who", "to")
BOOST_FIELDS = ("id", "author", "uid", "target")


class RestrictedAudience(NamedTuple):
    """Whose homes, of those who follow the author: of `only` these, by uid, or all. A reply, `to` another, is for those
    who follow that one as well. It is what homes hold once they are loaded again.
    """

    only_uids: frozenset[int] | None = None
    reply_to_uid: int = 0


def redact(event: Event, protected_authors: Collection[int]) -> Event | None:
    """An event as the log may say it: as it is, or with no more than numbers where it is not for everybody; None where
    the log says nothing of it. `hidden`: the protected among those who wrote the status or boost it.
    """
    if not protected_authors and not Visibility(event.data.get("vis", "")).restricted:
        return event
    is_boost = event.type in BOOST_EVENTS
    if is_boost and int(event.data["author"]) in protected_authors:  # nobody is shown it so
        return None
    allowed_fields = BOOST_FIELDS if is_boost else STATUS_FIELDS
    return replace(
        event,
        data={name: event.data[name] for name in allowed_fields if name in event.data}
        | {"close": "1"},
    )


def audience_of(event: Mapping[str, str], status: Status | None) -> RestrictedAudience | None:
    """Whose homes are told of an entry of the log: by the status as it is at this moment, and of a deletion as it was.
    None for nobody: where it, or its author, is gone.
    """
    if event["type"] in BOOST_EVENTS:
        return RestrictedAudience()
    author = int(event["author"])
    if event["type"] == "deleted":
        reply_to_uid = int(event.get("to") or 0)
        return _restricted_audience(
            Visibility(event.get("vis", "")),
            unpack_uids(event.get("who")),
            author,
            0 if reply_to_uid == author else reply_to_uid,
        )
    if status is None or status.author.suspended:
        return None
    return _restricted_audience(
        status.visibility, status.mentioned_uids, author, status.reply_to_uid
    )


def _restricted_audience(
    visibility: Visibility, mentioned_uids: frozenset[int], author: int, reply_to_uid: int
) -> RestrictedAudience:
    return RestrictedAudience(
        mentioned_uids | {author} if visibility is Visibility.MENTIONED else None, reply_to_uid
    )
