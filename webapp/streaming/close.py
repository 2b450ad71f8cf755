"""What not everybody may see, in the site's log: that it is there, and no word of it. Open homes of those who may see
it are told so, no other stream is; and what the page then asks for is judged anew (`statuses/asked.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from ..events import Event
from ..statuses.status import Status
from ..statuses.visibility import Visibility, unpack

BOOSTS = {"boosted", "unboosted"}
KINDS = {"posted": "update", "revised": "edit", "deleted": "delete"}  # of messages; of all others: tally
# What may be carried: numbers, and how visible it was said to be. Named are as many as its text has room for.
OF_STATUS = ("id", "author", "vis", "who", "to")
OF_BOOST = ("id", "author", "uid", "target")


class Close(NamedTuple):
    """Whose homes, of those who follow the author: of `only` these, by uid, or all. A reply, `to` another, is for those
    who follow that one as well. It is what homes hold once they are loaded again.
    """

    only: frozenset[int] | None = None
    to: int = 0


def carried(event: Event, hidden: Collection[int]) -> Event | None:
    """An event as the log may say it: as it is, or with no more than numbers where it is not for everybody; None where
    the log says nothing of it. `hidden`: the protected among those who wrote the status or boost it.
    """
    if not hidden and not Visibility(event.data.get("vis", "")).limited:
        return event
    boosts = event.type in BOOSTS
    if boosts and int(event.data["author"]) in hidden:  # nobody is shown it so
        return None
    names = OF_BOOST if boosts else OF_STATUS
    return replace(event, data={name: event.data[name] for name in names if name in event.data} | {"close": "1"})


def audience(event: Mapping[str, str], status: Status | None) -> Close | None:
    """Whose homes are told of an entry of the log: by the status as it is at this moment, and of a deletion as it was.
    None for nobody: where it, or its author, is gone.
    """
    if event["type"] in BOOSTS:
        return Close()
    author = int(event["author"])
    if event["type"] == "deleted":
        to = int(event.get("to") or 0)
        return _close(Visibility(event.get("vis", "")), unpack(event.get("who")), author, 0 if to == author else to)
    if status is None or status.author.suspended:
        return None
    return _close(status.visibility, status.named, author, status.to)


def _close(visibility: Visibility, named: frozenset[int], author: int, to: int) -> Close:
    return Close(named | {author} if visibility is Visibility.MENTIONED else None, to)
